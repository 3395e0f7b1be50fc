"""Line 4: frames of an attacker without key, recordings, and robots of one number."""

from __future__ import annotations

import functools
import sys

from tests.accept.check import Check, Found, passed
from tests.accept.desk import Desk

COUNT, QUICK = 1_000_000, 20_000
LIMIT_S = 3 * 3600.0
TESTS = "tests/radio/test_identity.py::test_"
PARTS = (
    (
        "after a receiver's restart no recording is taken",
        "a_receivers_restart_costs_four_beats_of_each_mate_at_most_and_takes_no_recording",
    ),
    ("a re-imaged robot is heard again within five beats", "a_reimaged_robot_is_heard_again_within_five_beats"),
    (
        "of two robots with one number the older epoch stops and says so",
        "of_two_robots_with_one_number_both_say_so_and_the_older_epoch_is_silent",
    ),
    (
        "no replayed frame stops anyone",
        "recordings_of_its_former_life_neither_stop_nor_silence_a_reimaged_robot",
    ),
)


def attacked(desk: Desk) -> Found:
    """Forged, replayed, flipped, truncated and cross-team frames, between frames of the team."""
    count = desk.fewer(COUNT, QUICK)
    ran = desk.run(sys.executable, "-m", "tests.hostile.attack", "--count", str(count), timeout_s=LIMIT_S)
    first = (ran.out.splitlines() or [ran.err.strip()[-200:]])[0]
    held = ": 0 taken, 0 stops; " in first and int(first.partition(" ")[0]) >= count
    return Found(first, f"{count}: 0 taken, 0 stops, the team heard", ran.code == 0 and held)


def part(test: str, desk: Desk) -> Found:
    """One test."""
    return passed(desk, TESTS + test)


COMMAND = f"python -m tests.hostile.attack --count {COUNT}"
CHECKS = (
    Check("4.1", "hostile frames, none accepted", COMMAND, attacked),
    *(
        Check(f"4.{n}", what, f"pytest {TESTS}{test}", functools.partial(part, test))
        for n, (what, test) in enumerate(PARTS, 2)
    ),
)
