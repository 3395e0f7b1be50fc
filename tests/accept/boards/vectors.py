"""Line 1: published examples of every protocol, and reports from the field."""

from __future__ import annotations

import shlex

from tests.accept.check import Check, passed

FRAMES = ("tests/boards", "-k", "frames or maestro")
NAMED = ("tests/boards/test_vectors.py",)
DRIVERS = ("tests/boards", "tests/robotd/transport/test_wire.py", "-k", "driver or senses or wire")
CHECKS = (
    Check("1.1", "examples decode and encode", f"pytest {shlex.join(FRAMES)}", lambda desk: passed(desk, *FRAMES)),
    Check("1.2", "each example and each report has a test by its id", f"pytest {shlex.join(NAMED)}",
          lambda desk: passed(desk, *NAMED)),
    Check("1.3", "reports on drivers and lines", f"pytest {shlex.join(DRIVERS)}",
          lambda desk: passed(desk, *DRIVERS)),
)  # fmt: skip
