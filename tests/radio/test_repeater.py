"""The share of one radio of a base station: its airtime, and the robots left out when that is short."""

from hypothesis import given, settings
from hypothesis import strategies as st

from radio.duty_cycle import DutyCycleLimiter
from radio.regulations import HOUR_S, SubBand
from radio.repeater import LEAD_S, Repeater
from radio.slots import SlotPlan
from tests.hostile.endurance import worst_hour
from tests.radio.helper import HandModem

PLACES = {number: number - 1 for number in range(1, 7)}
SLICING = SlotPlan(7, 3.0)
SCARCE = SubBand("eu868", 869.4, 869.65, duty=0.04)  # of a modem with 40 ms to a frame: three in a period, no more
FRAMES = {number: bytes((16, number)) + bytes(38) for number in PLACES}
BEACON = bytes((16, 0)) + bytes(20)


class Bench:
    """A repeater with a modem worked by hand, in periods of 3.003 s."""

    def __init__(self, band: SubBand | None = None, slot_plan: SlotPlan = SLICING) -> None:
        self.modem = HandModem()
        self.repeater = Repeater(self.modem, band, slot_plan, PLACES)
        self.slot_plan = slot_plan
        self.repeater.limiter.begin(0.0, None)
        self.periods = 0

    def period(self, *senders: int) -> list[int]:
        """One period in which frames of these came in before; the robots that were repeated."""
        self.periods += 1
        at, before = self.periods * self.slot_plan.period_s, len(self.modem.sends)
        for sender in senders:
            self.repeater.pass_on(at - 1.0, sender, FRAMES[sender])
        if self.repeater.can_beacon(at - LEAD_S, at):
            self.repeater.beacon(at - LEAD_S, at, BEACON)
            self.modem.leave()
        for when in (*(due for due, _ in self.repeater._plan), at + 2.9):
            sent = len(self.modem.sends)
            self.repeater.step(when)
            if len(self.modem.sends) > sent:
                self.modem.leave()
        return [frame[1] for _, frame, _ in self.modem.sends[before:] if frame[1]]


def test_all_that_came_is_repeated_in_the_slots_of_its_senders() -> None:
    bench = Bench()
    assert bench.period(5, 2, 6) == [2, 5, 6]
    begins = [at for _, frame, at in bench.modem.sends if frame[1]]
    slots = [(at - SLICING.period_s - 0.022) / SLICING.slot_s for at in begins]
    assert [int(slot) for slot in slots] == [1, 4, 5]
    assert all(slot % 1.0 * SLICING.slot_s + 0.04 + 0.049 < SLICING.slot_s for slot in slots)
    assert bench.repeater.counts["repeated"] == 3
    assert not bench.repeater.held


def test_a_frame_whose_instant_was_missed_collides_with_none_and_is_repeated_a_period_later() -> None:
    bench = Bench()
    at = 2 * SLICING.period_s
    bench.repeater.pass_on(at - 1.0, 1, FRAMES[1])
    bench.repeater.beacon(at - LEAD_S, at, BEACON)
    bench.repeater.step(at + 0.5)  # its slot is over: the process stood still
    assert [frame[1] for _, frame, _ in bench.modem.sends] == [0]
    bench.repeater.beacon(at + SLICING.period_s - 2.0, at + SLICING.period_s - 2.0, BEACON)
    bench.repeater.step(at + SLICING.period_s - 2.0 + 0.35)
    assert [frame[1] for _, frame, _ in bench.modem.sends] == [0, 0, 1]


def test_where_the_law_leaves_little_fewer_are_repeated_by_turns_and_it_is_said() -> None:
    bench = Bench(SCARCE)
    bench.period()
    told = [bench.period(*PLACES) for _ in range(60)]
    assert bench.repeater.held
    assert bench.repeater.counts["left-out"] == 60 * 6 - sum(map(len, told))
    each = [sum(said.count(number) for said in told) for number in PLACES]
    assert min(each) >= 15
    assert max(each) - min(each) <= 1
    assert bench.repeater.counts["beacons"] == 61  # slots come first


def test_when_there_is_room_again_nothing_is_left_out() -> None:
    bench = Bench(SCARCE)
    for _ in range(5):
        bench.period(*PLACES)
    assert bench.repeater.held
    assert bench.period(4) == [4]
    assert not bench.repeater.held


@settings(max_examples=4, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 40), st.sets(st.sampled_from(sorted(PLACES)))), max_size=3))
def test_in_no_hour_does_it_exceed_its_share(runs) -> None:
    """Whatever came, and after a pause in which nothing was sent."""
    bench = Bench(SCARCE)
    for times, senders in (*runs, (900, set(PLACES)), (100, set()), (200, set(PLACES))):
        for _ in range(times):
            bench.period(*sorted(senders))
    spans = [(at, bench.modem.airtime(len(frame))) for _, frame, at in bench.modem.sends]
    assert worst_hour(spans) <= 0.04 * HOUR_S


def test_an_account_with_a_burst_lets_frames_of_a_period_go_when_they_suit_and_no_more_of_them() -> None:
    band = SubBand("eu433", 433.05, 434.79, duty=0.1)
    steady, bursting = DutyCycleLimiter(band, 0.1, 3.0), DutyCycleLimiter(band, 0.1, 3.0, burst_s=3.0)
    for limiter in (steady, bursting):
        limiter.begin(0.0, None)
        limiter.spend(10.0, 0.1, paced=True)
    assert steady.free_at > 11.0
    assert bursting.free_at < 10.0
    for _ in range(3):
        bursting.spend(10.0, 0.1, paced=True)
    assert bursting.free_at > 11.0
    spent, at = 0.1 * 4, 10.0
    while at < 10.0 + HOUR_S - 0.2:
        at = max(at, bursting.free_at)
        bursting.spend(at, 0.1, paced=True)
        spent += 0.1
    assert 0.98 * 360.0 < spent < 360.0 - 9 * 0.1  # ten frames are held back for stops
