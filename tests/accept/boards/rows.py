"""The lines on boards that are shown by tests, by a benchmark, by fuzzing and by whole missions."""

import functools
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from typing import Any

from robotd.sim.emulated import emulations
from tests.accept.check import Check, Found, bench_check, pytest_check
from tests.accept.desk import Desk

BOARDS = emulations().boards

FAULTS = "tests/robotd/robot/test_board_faults.py"
LATCHES = {
    "garbage": "a flood of garbage", "mute": "a mute device", "unplugged": "an unplug while driving",
    "rebooted": "a reboot of the board in mid-run",
}  # fmt: skip
REPORTED = "dead_part or frozen_part or dead_motors"
BODY = "body"  # a base with add-ons: a gripper on a Maestro, positioning
INPUTS, QUICK = 10_000_000, 20_000
MISSIONS = (  # what, arguments of `robotd sim`, how many robots must have a part in what is done
    *((f"patrol by three of {base}", f"patrol --processes --board {base}", 3)
      for base in ("create2", "firmata", "kobuki", "pioneer")),
    ("cleanup by Pioneers with grippers and positioning", "cleanup --bytes --board pioneer+positioning", 2),
    ("box pushing by two Create 2", "box-pushing --bytes --board create2+positioning", 2),
    ("a mixed team", "patrol --bytes --board amber=create2 --board olive=pioneer --board slate=firmata", 3),
)  # fmt: skip


def simulate(words: str, robots: int, desk: Desk) -> Found:
    out = desk.folder / "boards" / "-".join(words.replace("-", "").split())

    def run() -> dict[str, Any]:
        shutil.rmtree(out, ignore_errors=True)  # of a run that was interrupted
        return desk.sim(*words.split(), "--out", out)

    outcome: Mapping[str, Any] = desk.kept(words, run)
    done = {task: [each["by"] for each in times] for task, times in outcome["tasks"].items() if times}
    by = {who for names in done.values() for who in names}
    odd = {name: code for name, code in outcome.get("exits", {}).items() if code} or outcome.get("raised") or {}
    figure = f"{outcome['reason']} after {outcome['duration_s']:.0f} s; "
    figure += ", ".join(f"{task} by {' '.join(sorted(set(names)))}" for task, names in sorted(done.items()))
    figure += f"; {odd}" if odd else ""
    ok = bool(outcome["accomplished"]) and len(by) >= robots and not odd
    return Found(figure, f"accomplished, by {robots} robots at least", ok)


def contract_of(board: str) -> tuple[str, ...]:
    if board == BODY:
        return ("tests/boards/test_body.py", "-k", REPORTED)
    return ("tests/boards/test_drivers.py", "-k", f"({REPORTED}) and {board}")


def keep_contract(board: str, desk: Desk) -> Found:
    """The contract on a board's bench: each part that it has and its protocol reports; the others are skipped."""
    ran = desk.run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", *contract_of(board))
    last = ran.out.strip().splitlines()[-1:] or [ran.err.strip()[-200:]]
    hidden = sorted(set(re.findall(r"the board (?:has no|cannot tell) .*", ran.out)))
    figure = "; ".join((f"exit {ran.code}", last[0], *hidden))
    return Found(figure, "exit 0, one passed at least", ran.code == 0 and " passed" in last[0])


def fuzz(desk: Desk) -> Found:
    count = desk.fewer(INPUTS, QUICK)
    state = desk.folder / f"fuzz-boards-{count}.jsonl"
    words = ("--what", "boards", "--count", str(count), "--jobs", str(desk.jobs), "--state", str(state))
    ran = desk.run(sys.executable, "-m", "tests.hostile", *words, timeout_s=24 * 3600.0)
    done = sum(map(int, re.findall(r": (\d+) inputs", ran.out)))
    figure = f"exit {ran.code}; {done} inputs, {ran.out.count('board ')} decoders; {ran.err or 'nothing raised'}"
    return Found(figure, f"{count} inputs, none raised", ran.code == 0 and done == count)


CHECKS = (
    pytest_check("1.1", "examples decode and encode", "tests/boards", "-k", "frames or maestro"),
    pytest_check("1.2", "each example and each report has a test by its id", "tests/boards/test_vectors.py"),
    pytest_check("1.3", "reports on drivers and lines", "tests/boards", "tests/robotd/transport/test_wire.py",
                 "-k", "(driver or senses or wire) and not drivers"),
    # Killed, frozen, halted, and a daemon that lives on: with a command cut at every byte.
    pytest_check("2.5", "killed, frozen, halted at every byte, in virtual time", "tests/boards", "-k",
                 "halt or eat_the_stop"),
    pytest_check("2.6", "the port pulled for 10 s: wheels at zero 0.2 s after its return", FAULTS, "-k",
                 "unplugged"),
    *(pytest_check(f"3.{part}", f"{words}: no motion until acknowledged, status says why", FAULTS, "-k", name)
      for part, (name, words) in enumerate(LATCHES.items(), 1)),
    pytest_check("3.5", "the log with such a fault replays", "tests/robotd/daemon/test_daemon.py", "-k",
                 "board_that_restarts"),
    *(Check(f"4.{part}", what, f"robotd sim {words} --json", functools.partial(simulate, words, robots))
      for part, (what, words, robots) in enumerate(MISSIONS, 1)),
    *(Check(f"5.{part}", f"{board}: a part that fails leaves within a second and returns",
            f"pytest {shlex.join(contract_of(board))}", functools.partial(keep_contract, board))
      for part, board in enumerate((*BOARDS, BODY), 1)),
    pytest_check(f"5.{len(BOARDS) + 2}", "self-checks of each driver: out of range, frozen, silent",
                 "tests/boards", "-k", "(stuck or driver or senses or maestro or positioning) and not drivers"),
    pytest_check(f"5.{len(BOARDS) + 3}", "in a mission: sets lack it, and apply again by themselves",
                 "tests/robotd/sim/test_parts.py"),
    pytest_check("6.2", "a person's transcript on pseudo-terminals", "tests/robotd/bringup/test_transcript.py"),
    bench_check("7.1", "a Create 2 frame against pycreate2", "create2"),
    Check("8.1", "make fuzz over all board decoders", "make fuzz WHAT=boards", fuzz),
)  # fmt: skip
