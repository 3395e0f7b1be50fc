"""A base station that comes back goes on with the slots that robots keep, and allows for the lag of modems."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radio.pacing import INSET, SPREAD
from radio.slots import MOST_LAG_S, TYPICAL_LAG_S, SlotPhaseEstimator, SlotPlan

SLICING = SlotPlan(20, 3.0)
places = st.sets(st.integers(0, 18), min_size=1)
parts = st.lists(st.floats(0.0, 1.0), min_size=19, max_size=19)


def heard(phase: SlotPhaseEstimator, off: float, where, drawn=(0.5,) * 19, turns=(-1, 0, 2)) -> None:
    """Robots of these slots, which lie at `off`, are heard in some periods."""
    for place in sorted(where):
        for turn in turns:
            begin = off + (place + INSET + SPREAD * drawn[place]) * SLICING.slot_s + turn * SLICING.period_s
            phase.note_frame(begin, place)


def apart(one: float, other: float) -> float:
    half = SLICING.period_s / 2.0
    return abs((one - other + half) % SLICING.period_s - half)


@given(st.floats(0.0, 3.0), places, parts)
def test_the_phase_is_that_of_the_slots_which_whoever_is_heard_keeps(off, where, drawn) -> None:
    phase = SlotPhaseEstimator(SLICING, 0.0)
    heard(phase, off, where, drawn)
    assert apart(phase.find_offset(), off) <= SPREAD / 2.0 * SLICING.slot_s + 1e-6


def test_of_robots_that_keep_to_no_common_slots_any_phase_is_as_good() -> None:
    assert SlotPhaseEstimator(SLICING).find_offset() == 0.0
    phase = SlotPhaseEstimator(SLICING)
    heard(phase, 0.4, {0, 5})
    heard(phase, 0.4 + SLICING.period_s / 2.0, {3, 9})
    assert phase.find_offset() == 0.0


@pytest.mark.parametrize("lag_s", [0.0, 0.03, 0.12])
def test_the_lag_that_was_seen_on_the_air_is_left_out_afterwards(lag_s) -> None:
    before = SlotPhaseEstimator(SLICING)
    for _ in range(60):
        heard(before, lag_s, {1, 2, 7}, turns=(0,))
        before.update_lag()
    assert before.lag_s == pytest.approx(lag_s, abs=1e-3)
    after = SlotPhaseEstimator(SLICING, before.lag_s)
    heard(after, 1.0 + lag_s, {2, 7})
    assert after.find_offset() == pytest.approx(1.0, abs=1e-3)


def test_what_lies_far_off_or_was_not_heard_is_no_lag() -> None:
    phase = SlotPhaseEstimator(SLICING, 0.02)
    phase.update_lag()
    heard(phase, 1.2, {1, 2})
    phase.update_lag()
    assert phase.lag_s == 0.02
    heard(phase, -0.2, {1, 2})
    for _ in range(99):
        phase.update_lag()
    assert phase.lag_s == 0.0


@pytest.mark.parametrize("lag_s", [-0.1, MOST_LAG_S + 0.01, float("nan")])
def test_a_lag_that_no_modem_has_is_not_believed(lag_s) -> None:
    assert SlotPhaseEstimator(SLICING, lag_s).lag_s is None


def test_where_no_lag_is_known_that_of_ordinary_modems_is_left_out() -> None:
    phase = SlotPhaseEstimator(SLICING)
    heard(phase, 1.0 + TYPICAL_LAG_S, {2, 7})
    assert phase.find_offset() == pytest.approx(1.0, abs=1e-6)
