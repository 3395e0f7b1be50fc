"""One frame a beat at most, whatever happens; in own slots while a base station slices the channel."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radio.pacing import INSET, JITTER, LEAD_S, LISTEN_S, SPREAD, WINDOW, Pacing
from robotd.model.beliefs import HELD_BEATS
from robotd.model.streams import Stream

BEAT, TICK = 3.0, 0.05
SKEW = 100e-6


def pacing(position: int = 0, seed: int = 1, count: int = 0) -> Pacing:
    return Pacing(BEAT, position, Stream(seed, "robot", "phase", count))


def started(position: int = 0, seed: int = 1, now: float = 0.0) -> Pacing:
    made = pacing(position, seed)
    made.begin(now)
    return made


def drive(
    paced: Pacing, start: float, stop: float, beacons: tuple[float, ...] = (), slots: int = 4, late: float = 0.0
) -> list[float]:
    """The instants at which frames leave between `start` and `stop`, of a daemon that ticks every 0.05 s."""
    left, waiting, told = [], list(beacons), []
    for n in range(round(start / TICK), round(stop / TICK)):
        now = n * TICK
        while waiting and waiting[0] <= now:
            paced.follow_beacon(waiting.pop(0), slots, BEAT)
        if told and told[0] <= now:
            paced.note_sent(told.pop())
        if paced.is_due(now):
            at = paced.take(now)
            if at is not None:
                left.append(at + late)
                told = [at + late]
    return left


def gaps(times: list[float]) -> list[float]:
    return [b - a for a, b in pairwise(times)]


@given(
    st.lists(st.tuples(st.floats(0.05, 12.0), st.integers(0, 9)), min_size=1, max_size=8),
    st.floats(-SKEW, SKEW),
    st.sampled_from(["none", "all", "some"]),
    st.sampled_from([0.0, 0.004, 0.2]),
    st.integers(0, 3),
)
@settings(max_examples=40)
def test_two_frames_are_never_closer_than_a_beat_over_restarts_and_skewed_clocks(
    lives, skew, beaconed, late, position
) -> None:
    true, boot = [], 0.0
    for life, (length, seed) in enumerate(lives):
        rate = 1.0 + skew  # own seconds per true second
        every = {"none": 10**9, "all": 1, "some": 5}[beaconed]
        beacons = [k * BEAT for k in range(1, 200) if k % every == 0 or (beaconed == "some" and k % 7 == 1)]
        own = tuple(t * rate for t in beacons if boot < t)
        paced = pacing(position, seed, life)
        paced.begin(boot * rate)
        end = boot + BEAT * length
        sent = [at / rate for at in drive(paced, boot * rate, end * rate, own, late=late)]
        true += [at for at in sent if at <= end + LEAD_S]
        boot = end
    assert all(gap >= BEAT for gap in gaps(true))


def test_after_a_start_a_beat_is_waited() -> None:
    for seed in range(20):
        paced = started(seed=seed, now=100.0)
        assert 100.0 + BEAT < drive(paced, 100.0, 110.0)[0] < 100.0 + 2 * BEAT + LISTEN_S + LEAD_S


def test_in_free_run_robots_have_their_own_jittered_phase() -> None:
    first, periods = set(), []
    for seed in range(10):
        paced = started(seed=seed)
        times = drive(paced, 0.0, 120.0)
        first.add(round(times[0], 3))
        periods += gaps(times)
    assert len(first) == 10
    assert min(periods) >= BEAT
    assert max(periods) < BEAT * (1.0 + JITTER) + 0.01
    assert max(periods) - min(periods) > BEAT * JITTER / 2


def test_the_first_frame_may_leave_as_soon_as_it_is_composed_and_never_before() -> None:
    paced = started()
    at = paced._next_at
    assert not paced.is_due(at - LEAD_S - 0.001)
    assert paced.is_due(at - LEAD_S)
    assert paced.take(at - LEAD_S) == at
    assert not paced.is_due(at + 1.0)


@pytest.mark.parametrize("position", range(4))
def test_with_beacons_every_robot_keeps_to_its_slot(position: int) -> None:
    paced = started(position)
    times = drive(paced, 0.0, 300.0, tuple(k * 3.003 for k in range(1, 100)))
    assert paced.mode(297.0) == "slots"
    assert len(times) >= 97
    for at in times[2:]:
        phase = at % 3.003 / (3.003 / 4) - position
        assert INSET - 0.02 <= phase <= INSET + SPREAD + 0.02


def test_a_base_station_that_beats_a_little_fast_costs_a_frame_now_and_then_and_no_rule() -> None:
    paced = started(1)
    times = drive(paced, 0.0, 3000.0, tuple(k * BEAT for k in range(1, 1000)))
    assert min(gaps(times)) >= BEAT
    assert len(times) > 990
    assert all(1.0 <= at % BEAT / (BEAT / 4) <= 1.0 + INSET + SPREAD + WINDOW for at in times[3:])


@pytest.mark.parametrize("of", [3, 10])
def test_lost_beacons_do_not_move_the_slot(of: int) -> None:
    paced = started(2)
    beacons = tuple(k * 3.003 for k in range(1, 60) if k % of == 1)
    times = drive(paced, 0.0, 170.0, beacons)
    assert len(times) >= 54
    assert all(abs(at % 3.003 - (2 + paced._place) * 3.003 / 4) < 0.05 for at in times[2:])


def test_the_beat_is_that_of_the_beacons_while_they_come() -> None:
    paced = started(0)
    assert paced.beat_s(1.0) == BEAT
    paced.follow_beacon(1.0, 31, 4.63)
    assert paced.beat_s(1.0 + HELD_BEATS * 4.63) == 4.63
    assert paced.beat_s(1.1 + HELD_BEATS * 4.63) == BEAT


def test_when_beacons_stop_it_runs_free_and_when_they_return_in_slots() -> None:
    paced = started(0)
    before = tuple(k * 3.003 for k in range(1, 11))
    after = tuple(k * 3.003 + 1.0 for k in range(40, 50))
    times = drive(paced, 0.0, 148.0, before + after)
    silent = before[-1] + HELD_BEATS * BEAT
    assert paced.mode(before[-1] + 31.0) == "slots"
    assert min(gaps(times)) >= BEAT
    free = [at for at in times if silent + BEAT < at < after[0]]
    assert len(free) >= 10
    assert len({round(at % 3.003, 2) for at in free}) > 5
    late = [at for at in times if at > after[1] + BEAT]
    assert len({round((at - 1.0) % 3.003, 2) for at in late}) == 1
    gone = started(0)
    gone.follow_beacon(1.0, 4, BEAT)
    assert (gone.mode(1.0 + HELD_BEATS * BEAT + 0.1), gone.mode(2.0)) == ("free", "slots")


def test_beacons_that_have_no_slot_for_us_or_ask_more_than_a_frame_a_beat_are_not_followed() -> None:
    paced = started(3)
    paced.follow_beacon(1.0, 3, BEAT)
    paced.follow_beacon(1.0, 4, BEAT / 2)
    paced.follow_beacon(1.0, 0, BEAT)
    paced.follow_beacon(1.0, 4, 20.1 * BEAT)
    assert paced.mode(1.0) == "free"
    paced.follow_beacon(1.0, 4, 2 * BEAT)
    assert paced.mode(1.0) == "slots"
    assert all(gap == pytest.approx(2 * BEAT, abs=0.2) for gap in gaps(drive(paced, 0.0, 20.0)))


def test_a_daemon_that_slept_past_its_slot_waits_for_the_next() -> None:
    paced = started(0)
    for k in range(1, 4):
        paced.follow_beacon(k * 3.003, 4, BEAT)
    due = paced._next_at
    assert paced.take(due + 0.4) is None  # the window of its slot has closed; a neighbour's is open
    later = paced._next_at
    assert later == pytest.approx(due + BEAT, abs=0.01)
    assert paced.take(later + 0.2) == later + 0.2
