"""The lines on the daemon that systemd's own tools, tests and benchmarks show."""

import re

from tests.accept.check import Check, Found, bench_check, pytest_check
from tests.accept.desk import ROOT, Desk

UNIT = ROOT / "packaging" / "systemd" / "robotd.service"
EXPOSURE = 2.0


def verify(desk: Desk) -> Found:
    ran = desk.run("systemd-analyze", "verify", UNIT)
    printed = (ran.out + ran.err).strip()
    return Found(
        f"exit {ran.code}; {printed[:200] or 'no output'}", "exit 0, no output", not (ran.code or printed)
    )


def exposure(desk: Desk) -> Found:
    ran = desk.run("systemd-analyze", "security", "--offline=true", UNIT)
    found = re.search(r"Overall exposure level.*: ([\d.]+)", ran.out)
    if found is None:
        raise ran.failed("no exposure in the output")
    return Found(found[1], f"at most {EXPOSURE:g}", float(found[1]) <= EXPOSURE)


TEAM = "tests/robotd/sim/test_team.py"
CHECKS = (
    pytest_check("8.4", "reboot in mid-run: no motion without permission", "tests/robotd/sim/test_verbs.py",
                 "-k", "reboots_does_not_move"),
    pytest_check("8.5", "run 2 after run 1: robots that never restarted join it, and nothing of run 1 is in it",
                 TEAM, "-k", "run_2 or two_runs"),
    pytest_check("8.6", "one edited mission file: named, no task miscounted", TEAM, "-k", "edited or miscounted"),
    pytest_check("9.1", "all faults of a robot file and its mission at once, with line, expectation, nearest key",
                 "tests/robotd/commands/test_check.py", "-k", "every_fault or as_a_process"),
    Check("10.1", "the unit is clean", "systemd-analyze verify robotd.service", verify),
    Check("10.2", "its exposure", "systemd-analyze security --offline=true robotd.service", exposure),
    pytest_check("10.3", "paths and devices of the documents", "tests/robotd/deploy/test_unit.py"),
    bench_check("11.1", "error of single tick periods against asyncio.sleep", "ticks"),
    bench_check("11.2", "simulated seconds a second, with the share of each part", "simulation"),
    bench_check("11.3", "one ALLIANCE step against one py_trees tick", "step"),
    bench_check("11.4", "start-up against its libraries; resident memory", "startup"),
)  # fmt: skip
