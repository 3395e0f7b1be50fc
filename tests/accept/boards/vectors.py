"""Line 1: published examples of every protocol, and reports from the field."""

from __future__ import annotations

from robotd.sim.emulated import BOARDS
from tests.accept.check import Check, passed

FRAMES = (*(f"tests/boards/test_{board}_frames.py" for board in BOARDS), "tests/boards/maestro/test_maestro.py")
NAMED = ("tests/boards/test_vectors.py",)
DRIVERS = (
    *(f"tests/boards/test_{board}_driver.py" for board in BOARDS),
    *(f"tests/boards/test_{board}_senses.py" for board in ("create2", "firmata", "pioneer")),
    "tests/robotd/transport/test_wire.py",
)
CHECKS = (
    Check("1.1", "examples decode and encode", f"pytest {' '.join(FRAMES)}", lambda desk: passed(desk, *FRAMES)),
    Check("1.2", "each example and each report has a test by its id", f"pytest {' '.join(NAMED)}",
          lambda desk: passed(desk, *NAMED)),
    Check("1.3", "reports on drivers and lines", f"pytest {' '.join(DRIVERS)}",
          lambda desk: passed(desk, *DRIVERS)),
)  # fmt: skip
