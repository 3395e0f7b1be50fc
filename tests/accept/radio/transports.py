"""Line 2: hostile lines for every modem, latency, and clocks that are off."""

from __future__ import annotations

from tests.accept.check import Check, Found, passed
from tests.accept.desk import Desk

LINES = ("tests/radio/test_hostile_modems.py", "tests/robotd/transport/test_port_modem.py")
CLOCKS = ("tests/radio/test_pacing.py", "tests/radio/test_slots.py")
LATENCY = (
    "tests/radio/test_hostile_modems.py::test_a_team_of_all_modems_hears_itself_and_keeps_its_beat",
    "tests/robotd/experiments/test_channel.py::test_modules_have_latencies_of_5_to_60_ms_alike_or_not",
)


def lines(desk: Desk) -> Found:
    """Splits, merges, flips, drops, garbage, unplugging, mute devices, full buffers."""
    return passed(desk, *LINES)


def clocks(desk: Desk) -> Found:
    """Pacing and slots with a `now` that is 100 ppm off."""
    return passed(desk, *CLOCKS)


def latency(desk: Desk) -> Found:
    """Modems that are 5 and 60 ms late, and all between."""
    return passed(desk, *LATENCY)


CHECKS = (
    Check("2.1", "every modem on hostile lines", f"pytest {' '.join(LINES)}", lines),
    Check("2.2", "pacing and slots with clocks 100 ppm off", f"pytest {' '.join(CLOCKS)}", clocks),
    Check("2.3", "modems 5 to 60 ms late", f"pytest {' '.join(LATENCY)}", latency),
)
