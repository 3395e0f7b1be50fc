"""A reading that ought to change is watched while the body moves."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from boards.stuck import FROZEN_S, StuckDetector, moving


def test_a_reading_that_stands_through_motion_is_stuck_until_it_changes():
    watch = StuckDetector()
    assert not any(watch.note(n / 10, 5, moves=True) for n in range(8))
    assert watch.note(0.9, 5, moves=True)
    assert watch.note(1.0, 5, moves=False)  # standing still does not make it right again
    assert not watch.note(1.1, 6, moves=False)


def test_pauses_in_the_motion_start_the_count_again():
    watch = StuckDetector()
    assert not any(watch.note(n / 10, 5, moves=n % 5 != 0) for n in range(50))


@given(st.lists(st.tuples(st.integers(0, 1), st.booleans()), max_size=60))
def test_a_reading_that_changes_in_time_is_never_stuck(steps):
    watch, now, value, since = StuckDetector(), 0.0, 0, 0.0
    for change, moves in steps:
        now += 0.1
        if change or now - since >= FROZEN_S:
            value, since = value + 1, now
        assert not watch.note(now, value, moves=moves)


def test_the_noise_of_standing_is_no_motion():
    assert not moving(0.005, -0.01)
    assert moving(0.0, -0.05)
