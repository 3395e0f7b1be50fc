"""Line 1: published vectors and reports from the field."""

from __future__ import annotations

from tests.accept.check import Check, passed

VECTORS = (
    "tests/radio/xbee/test_xbee_frames.py",
    "tests/radio/reyax/test_reyax_lines.py",
    "tests/robotd/model/test_cobs.py",
)
NAMED = ("tests/radio/test_vectors.py",)
PORTS = ("tests/robotd/transport/test_port_pty.py", "tests/robotd/transport/test_port_modem.py")
CHECKS = (
    Check("1.1", "vectors decode and encode", f"pytest {' '.join(VECTORS)}", lambda desk: passed(desk, *VECTORS)),
    Check(
        "1.2",
        "each vector and each report has a test by its name; foreign protocols are no frames",
        f"pytest {' '.join(NAMED)}",
        lambda desk: passed(desk, *NAMED),
    ),
    Check("1.3", "reports on ports, over ptys", f"pytest {' '.join(PORTS)}", lambda desk: passed(desk, *PORTS)),
)
