"""What opens a connection to a Pioneer: whatever is lost of it costs a moment, and nothing drives unwatched."""

import itertools
from collections.abc import Iterator

import pytest

from boards.pioneer import frames as wire
from boards.pioneer.driver import NO_WATCHDOG, NOT_YET, UNREPORTED
from tests.boards.bench import PioneerBench, fast_world
from tests.boards.pioneer.pioneer_talk import FORWARD, Talk


def spoilt(bench, kind, sort):
    """Let a byte be lost of the first packet of `kind`, an order to the robot or its answer by `sort`; the list is
    empty while there was none."""
    end, hit = (bench.emulator, bench.board)[sort == "answer"], []
    hear = end.receive

    def receive(now, data):
        for at in range(len(data) - 3):
            if not hit and data[at : at + 2] == wire.HEADER and data[at + 3] == kind:
                hit.append(now)
                data = data[: at + 1] + data[at + 2 :]
        hear(now, data)

    end.receive = receive
    return hit


SENT = (wire.SYNC0, wire.SYNC1, wire.SYNC2, wire.ENABLE, wire.SONAR, wire.CONFIG, wire.SETA, wire.SETRA)


@pytest.mark.parametrize(
    ("kind", "sort"),
    [*((kind, "order") for kind in SENT), (wire.SYNC0, "answer"), (wire.SYNC2, "answer"),
     (wire.CONFIGURATION, "answer")],
)  # fmt: skip
def test_a_packet_of_the_greeting_that_is_lost_costs_a_moment(kind, sort):
    bench = PioneerBench(fast_world())
    hit = spoilt(bench, kind, sort)
    bench.run(4.0)
    capabilities = bench.board.capabilities(bench.now)
    assert hit
    assert capabilities.missing == ()
    assert {"mobile", "gripper", "odometry", "front-range", "side-range", "bumpers"} <= set(capabilities.resources)
    assert bench.board.reboots == 0
    bench.run(1.0, FORWARD)
    assert min(bench.wheels()) > 0.05


@pytest.mark.parametrize("lost", [wire.OPEN, wire.PULSE])
def test_an_opening_that_is_lost_costs_a_moment(lost):
    bench = PioneerBench(fast_world())
    hear, hit = bench.emulator.receive, []

    def receive(now, data):
        packet = wire.order(*((wire.OPEN, 1) if lost == wire.OPEN else (wire.PULSE, None)))
        opening = wire.order(wire.OPEN, 1) in data
        if opening and not hit:
            hit.append(now)
            data = data.replace(packet, packet[1:], 1)
        hear(now, data)

    bench.emulator.receive = receive
    bench.run(5.0)
    assert hit
    assert bench.board.capabilities(bench.now).missing == ()
    assert bench.board.reboots == 0


@pytest.mark.parametrize(("kind", "sort"), [(wire.CONFIG, "order"), (wire.CONFIGURATION, "answer")])
def test_a_robot_whose_watchdog_is_off_is_not_driven_whatever_is_lost_of_its_configuration(kind, sort):
    bench = PioneerBench(fast_world())
    bench.emulator.watchdog_s = 0.0
    spoilt(bench, kind, sort)
    for _ in range(80):
        bench.run(0.05, FORWARD)
        assert bench.wheels() == (0, 0)
    assert dict(bench.board.capabilities(bench.now).missing)["mobile"] == NO_WATCHDOG


def test_a_configuration_with_a_byte_missing_anywhere_is_not_believed():
    told = wire.build_configuration(1000, gripper=True, watchdog=0)
    whole = wire.packet(wire.CONFIGURATION, told)
    wrong = whole[:-1] + bytes([whole[-1] ^ 1])
    for at in range(len(whole)):
        talk = Talk()
        talk.greet(config=None)
        for n in range(1, 4):
            talk.board.receive(n / 10, wrong[:at] + wrong[at + 1 :])
            talk.receive(n / 10)
            talk.board.receive(n / 10 + 0.01, wrong)
            assert talk.missing(n / 10 + 0.02)["mobile"] in (NOT_YET, NO_WATCHDOG)


@pytest.mark.parametrize("permitted", [False, True])
def test_a_robot_that_never_reports_its_configuration_is_driven_only_where_its_table_permits_it(permitted):
    talk = Talk(unreported_watchdog=permitted)
    talk.greet(config=None)
    asked = []
    for n in range(1, 300):
        talk.receive(n / 10)
        asked += [n / 10] * talk.sent(n / 10).count((wire.CONFIG, 1))
        if n < 15:
            assert talk.missing(n / 10)["mobile"] == NOT_YET
    assert talk.missing(29.9).get("mobile") == (None if permitted else UNREPORTED)
    assert (talk.board.command(29.9, FORWARD).left > 0) == permitted
    assert 5 <= sum(at < 3 for at in asked) <= 6
    assert {round(b - a, 1) for a, b in itertools.pairwise(at for at in asked if at > 3)} == {5.0}


def test_accelerations_are_sent_twice_and_what_stays_off_is_switched_on_five_times_more():
    talk = Talk()
    sent = talk.greet(config=None, flags=0, sonar=())
    for n in range(1, 100):
        talk.receive(n / 10, flags=0, sonar=())
        sent += talk.sent(n / 10)
    assert [sent.count(order) for order in ((wire.SETA, 1000), (wire.SETA, -1000), (wire.SETRA, 300))] == [2, 2, 2]
    assert sent.count((wire.ENABLE, 1)) == 1 + 5
    assert sent.count((wire.SONAR, 1)) == 1 + 5
    assert "motor button" in talk.missing(9.9)["mobile"]
    assert "no fresh reading" in talk.missing(9.9)["front-range"]


def test_motors_that_were_on_are_not_switched_on_again_from_here():
    talk = Talk()
    talk.greet(config=None)
    sent = [order for n in range(1, 100) for order in (talk.receive(n / 10, flags=2), *talk.sent(n / 10))]
    assert (wire.CONFIG, 1) in sent
    assert (wire.ENABLE, 1) not in sent


class Delayed(PioneerBench):
    """A robot whose packets are `delays` (s, drawn in turn) on their way, in their order."""

    delays: Iterator[float] = itertools.repeat(0.0)

    def __post_init__(self):
        super().__post_init__()
        self.late, self.receive = [], self.board.receive
        self.board.receive = self.delay

    def delay(self, now, data):
        self.late.append((max(now + next(self.delays), self.late[-1][0] if self.late else 0.0), data))

    def line(self, now):
        super().line(now)
        for _, data in [one for one in self.late if one[0] <= now]:
            self.receive(now, data)
        self.late = [one for one in self.late if one[0] > now]


@pytest.mark.parametrize("delays", [(0.19,), (0.22,), (0.3,), (0.5,), (0.8,), (0.05, 0.25, 0.1, 0.24), (0.3, 0.1)])
def test_a_robot_that_answers_late_is_greeted_at_its_pace_and_no_late_answer_counts_as_another(delays):
    bench = Delayed(fast_world())
    bench.delays = itertools.cycle(delays)
    bench.run(1.0 + 4.0 * max(delays))
    assert bench.board.ready
    bench.run(2.0)
    assert (bench.board.ready, bench.board.reboots) == (True, 0)


def test_a_connection_of_another_host_is_closed_once_though_its_packets_are_late():
    bench = Delayed(fast_world())
    bench.delays = itertools.repeat(0.35)
    bench.emulator.connected, bench.emulator.wake_at = True, 0.0
    sent, receive = [], bench.emulator.receive
    bench.emulator.receive = lambda now, data: (sent.append(data), receive(now, data))
    bench.run(4.0)
    assert bench.board.ready
    assert sent.count(wire.order(wire.CLOSE)) == 2  # SYNC2 has the same number
