"""What every driver of `boards.driver` does, whatever its protocol: the contract; at instants given by hand."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boards.create2 import frames as create2
from boards.firmata import frames as firmata
from boards.kobuki import frames as kobuki
from boards.latch import Tunes
from boards.pioneer import frames as pioneer
from boards.r2 import frames as r2
from robotd.model.command import Command
from robotd.sim.emulated import emulations
from tests.boards.bench import BENCHES, fast_world, world
from tests.boards.contract import SerialBoardContract
from tests.boards.hand import withstand

BOARDS = emulations().boards

FORWARD = Command(0.1, 0.1)


@dataclass(frozen=True)
class Kit:
    """How one protocol shows a drive and a stop among the bytes that are sent; when it greets a mute robot."""

    drive: Callable[[bytes], int]
    stop: Callable[[bytes], int]
    first_s: float
    seldom_s: float
    hello: bytes


def _kinds(data: bytes, parser: Any) -> list[Any]:
    return [frame[0] for frame in parser.feed(data)]


def _duties(data: bytes) -> list[int]:
    found = firmata.MessageParser().feed(data)
    return [firmata.joined(one.data) for one in found if one.kind == firmata.ANALOGUE and one.index in (5, 6)]


KITS = {
    "create2": Kit(
        lambda data: data.count(create2.drive(100, 100)), lambda data: data.count(create2.drive(0, 0)),
        0.2, 0.8, create2.PADDING + bytes([create2.START]) + create2.listed(create2.STREAM, create2.SENSED)),
    "firmata": Kit(
        lambda data: sum(map(bool, _duties(data))) // 2, lambda data: _duties(data).count(0) // 2,
        0.3, 0.6, bytes([firmata.VERSION]) + firmata.sysex(firmata.FIRMWARE)),
    "kobuki": Kit(
        lambda data: data.count(kobuki.drive(100, 0)), lambda data: data.count(kobuki.STOP),
        0.2, 0.8, kobuki.PADDING + kobuki.request(kobuki.VERSIONS)),
    "pioneer": Kit(
        lambda data: data.count(pioneer.order(pioneer.VEL, 100)),
        lambda data: data.count(pioneer.order(pioneer.STOP)),
        0.2, 0.8, pioneer.order(pioneer.SYNC0)),
    "r2": Kit(
        lambda data: _kinds(data, r2.FrameParser()).count(r2.DRIVE),
        lambda data: _kinds(data, r2.FrameParser()).count(r2.STOP),
        0.2, 0.2, r2.frame(r2.HELLO, version=r2.VERSION)),
}  # fmt: skip


class Pair:
    """A driver and the emulator of its robot, without a line between: 10 ms at a time."""

    def __init__(self, name):
        kind = BOARDS[name]
        self.kit = KITS[name]
        desk = SimpleNamespace(world=fast_world())
        self.robot, self.driver = kind.emulator(desk, "green", 0.0), kind.driver(desk, "green")
        self.driver.connect(0.0)
        self.ticks, self.mute = 0, False

    @property
    def now(self):
        return self.ticks / 100

    def sent(self, now):
        return b"".join(part for part in self.driver.transmit(now) if isinstance(part, bytes))

    def run(self, seconds, command=None):
        """What the driver sent, with when."""
        sent = []
        for _ in range(round(seconds * 100)):
            self.ticks += 1
            if command is not None and self.ticks % 5 == 0:
                self.driver.command(self.now, command)
            data = self.sent(self.now)
            sent.append((self.now, data))
            self.robot.receive(self.now, data)
            came = self.robot.transmit(self.now)
            for part in () if self.mute else came:
                self.driver.receive(self.now, part)
        return sent

    def count(self, sent, what):
        return [at for at, data in sent for _ in range(getattr(self.kit, what)(data))]


@pytest.fixture(params=sorted(BOARDS))
def name(request):
    return request.param


@pytest.fixture
def pair(name):
    """A driver whose robot has answered."""
    found = Pair(name)
    found.run(2.0)
    assert found.driver.ready
    return found


def mobile(driver, now):
    return "mobile" in driver.capabilities(now).resources


def test_a_mute_robot_is_greeted_ever_less_often_and_for_ever(name):
    """A4, C3, F9."""
    mute = Pair(name)
    asked = [n / 100 for n in range(1000) if mute.sent(n / 100) == mute.kit.hello]
    gaps = [b - a for a, b in itertools.pairwise(asked)]
    assert gaps[0] == pytest.approx(mute.kit.first_s, abs=0.02)
    assert {round(gap, 1) for gap in gaps[3:]} == {mute.kit.seldom_s}
    assert not mute.driver.ready
    assert not mobile(mute.driver, 10.0)
    assert dict(mute.driver.capabilities(10.0).missing)["mobile"]


def test_what_comes_unasked_or_is_no_frame_makes_nothing_ready(name):
    """D5."""
    other = Pair(name)
    other.run(2.0)
    came = b"".join(part for n in range(20) for part in other.robot.transmit(other.now + n / 20))
    deaf = Pair(name)
    deaf.driver.receive(0.0, came)
    assert not deaf.driver.ready
    deaf.sent(0.1)
    deaf.driver.receive(0.1, bytes(range(256)) + came[:7])
    assert not deaf.driver.ready
    assert deaf.driver.command(0.1, FORWARD).left == 0


def test_of_many_commands_only_the_newest_is_sent(pair):
    """D8."""
    for n in range(100):
        pair.driver.command(pair.now, Command(0.1 - n / 1000, 0.1))
    pair.driver.command(pair.now, FORWARD)
    data = pair.sent(pair.now)
    assert pair.kit.drive(data) == 1
    assert pair.kit.drive(pair.sent(pair.now)) == 0


def test_a_command_that_waited_too_long_is_never_sent(pair):
    pair.driver.command(pair.now, FORWARD)
    assert pair.kit.drive(pair.sent(pair.now + 0.51)) == 0


def test_when_commands_end_stops_are_repeated_until_the_wheels_rest(pair):
    """D7."""
    pair.run(0.5, FORWARD)
    assert min(pair.robot.body.driven(pair.now)) > 0.05
    last = pair.ticks // 5 * 5 / 100
    receive, pair.robot.receive = pair.robot.receive, lambda now, data: None  # the first stops are lost
    lost = pair.count(pair.run(0.8), "stop")
    assert lost[0] == pytest.approx(last + 0.5, abs=0.03)
    assert max(b - a for a, b in itertools.pairwise(lost)) < 0.08
    pair.robot.receive = receive
    pair.run(1.0)
    assert pair.robot.body.driven(pair.now) == pytest.approx((0, 0), abs=0.001)
    assert pair.count(pair.run(1.0), "stop") == []


def test_a_new_connection_sends_no_old_command(pair):
    pair.run(0.5, FORWARD)
    pair.driver.command(pair.now, FORWARD)
    pair.driver.connect(pair.now)
    assert not pair.driver.ready
    assert pair.count(pair.run(0.5), "drive") == []


@pytest.mark.parametrize("name", sorted(BOARDS))
@given(pieces=st.lists(st.binary(max_size=80), max_size=9))
@settings(max_examples=25, deadline=None)
def test_neither_driver_nor_robot_raises_whatever_comes(name, pieces):
    pair = Pair(name)
    pair.sent(0.0)
    withstand(pair.driver, pair.robot, pieces)


def test_a_tune_begins_once_and_again_only_after_another_or_none_and_is_due_until_it_is_taken() -> None:
    tunes, begun = Tunes(), []
    for wanted in (None, 1, 1, 2, 2, None, 2):
        tunes.want(wanted)
        begun.append(tunes.take())
    assert begun == [None, 1, None, 2, None, None, 2]
    tunes.want(3)
    tunes.want(None)
    assert (tunes.take(), tunes.take()) == (3, None)


class TestContract(SerialBoardContract):
    @pytest.fixture(params=BENCHES)
    def bench(self, request):
        return BENCHES[request.param](world() if request.param == "r2" else fast_world())
