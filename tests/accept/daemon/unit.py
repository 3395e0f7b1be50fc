"""Line 10: the systemd unit."""

from __future__ import annotations

import re

from tests.accept.check import Check, Found, passed
from tests.accept.desk import ROOT, Desk

UNIT = ROOT / "packaging" / "systemd" / "robotd.service"
EXPOSURE = 2.0


def verify(desk: Desk) -> Found:
    """systemd's own check."""
    ran = desk.run("systemd-analyze", "verify", UNIT)
    said = (ran.out + ran.err).strip()
    ok = ran.code == 0 and not said
    return Found(f"exit {ran.code}; {said[:200] or 'nothing said'}", "exit 0, nothing said", ok)


def exposure(desk: Desk) -> Found:
    """How much of the system the service can reach, 0 to 10."""
    ran = desk.run("systemd-analyze", "security", "--offline=true", UNIT)
    found = re.search(r"Overall exposure level.*: ([\d.]+)", ran.out)
    if found is None:
        raise ran.failed("no exposure told")
    level = float(found[1])
    return Found(f"{level:g}", f"at most {EXPOSURE:g}", level <= EXPOSURE)


def documents(desk: Desk) -> Found:
    """The test that holds the documents' paths and devices against the unit."""
    return passed(desk, "tests/robotd/guardian/test_unit.py")


CHECKS = (
    Check("10.1", "the unit is clean", "systemd-analyze verify robotd.service", verify),
    Check("10.2", "its exposure", "systemd-analyze security --offline=true robotd.service", exposure),
    Check("10.3", "paths and devices of the documents", "pytest tests/robotd/guardian/test_unit.py", documents),
)
