"""A serial line in memory: bytes arrive in order, at the pace of the baud rate, and wake the other end."""

import asyncio
from collections.abc import Callable

from robotd.model.serial import SetLine
from robotd.sim.lines import Line
from robotd.timing.virtual_loop import run_virtual

BAUD = 1000  # a hundred bytes a second


class Device:
    """Sends what it was given, at `wake_at` or when asked."""

    def __init__(self, *sends: bytes, wake_at: float | None = None) -> None:
        self.sends: list[bytes | SetLine] = list(sends)
        self.wake_at = wake_at
        self.got: list[tuple[float, bytes]] = []
        self.asked: list[float] = []
        self.answer: Callable[[bytes], bytes] = lambda data: b""

    def receive(self, now: float, data: bytes) -> None:
        self.got.append((round(now, 6), data))
        if answer := self.answer(data):
            self.sends.append(answer)

    def transmit(self, now: float) -> list[bytes | SetLine]:
        self.asked.append(now)
        if self.wake_at is not None and now < self.wake_at:
            return []
        self.wake_at = None
        sent, self.sends = self.sends, []
        return sent


def carried(one: Device, other: Device, at: float = 1.0, then: Callable[[Line], None] = lambda line: None) -> None:
    """A line between two devices for a second; `then` happens at `at`."""

    async def play() -> None:
        line = Line(one, other, BAUD)
        line.kick()
        await asyncio.sleep(at)
        then(line)
        await asyncio.sleep(1.0)

    run_virtual(play())


def test_bytes_arrive_when_the_last_of_them_has_passed() -> None:
    one, other = Device(b"0123456789"), Device()
    carried(one, other)
    assert (other.got, one.got) == ([(0.1, b"0123456789")], [])


def test_what_is_sent_while_the_line_is_busy_follows_behind() -> None:
    one, other = Device(b"0123456789"), Device()

    def send_more(line: Line) -> None:
        one.sends.append(b"ab")
        line.kick()

    carried(one, other, 0.05, send_more)
    assert other.got == [(0.1, b"0123456789"), (0.12, b"ab")]


def test_an_end_that_receives_something_may_answer_at_once() -> None:
    one, other = Device(b"?"), Device()
    other.answer = lambda data: b"!" if data == b"?" else b""
    carried(one, other)
    assert one.got == [(0.02, b"!")]


def test_an_end_is_asked_at_the_instant_that_it_named_and_not_before() -> None:
    one, other = Device(b"late", wake_at=0.5), Device()
    carried(one, other)
    assert other.got == [(0.54, b"late")]
    assert [asked for asked in one.asked if 0.0 < asked < 0.5] == []


def test_modem_lines_between_bytes_are_no_bytes() -> None:
    one, other = Device(b"ab"), Device()
    one.sends.append(SetLine(dtr=True))
    one.sends.append(b"c")
    carried(one, other)
    assert other.got == [(0.03, b"ab"), (0.03, b"c")]  # at once, and as it was cut: datagrams stay apart


def test_a_closed_line_carries_nothing_not_even_what_was_on_its_way() -> None:
    one, other = Device(b"0123456789"), Device(b"later", wake_at=0.5)

    def close(line: Line) -> None:
        line.close()
        line.kick()

    carried(one, other, 0.05, close)
    assert (other.got, one.got) == ([], [])
