"""Line 7: decoding one stream frame of a Create 2, byte for byte against pycreate2."""

from __future__ import annotations

import functools

from tests.accept.check import Check
from tests.accept.daemon.bench import bench

CHECKS = (
    Check("7.1", "a Create 2 frame against pycreate2", "python -m tests.bench create2 --json",
          functools.partial(bench, "create2")),
)  # fmt: skip
