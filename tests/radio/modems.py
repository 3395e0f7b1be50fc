"""Every modem's driver and its emulator on one desk, with a line between that a test may damage."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from radio.framing import wrap
from radio.mock.channel import Channel
from radio.mock.modem import MockModem
from radio.reyax.emulator import ReyaxEmulator
from radio.reyax.lines import Packet, packet_line
from radio.reyax.modem import Reyax
from radio.transparent.emulator import TransparentEmulator
from radio.transparent.modem import Transparent
from radio.udp.emulator import UdpEmulator, ZenohEmulator
from radio.udp.modem import Udp
from radio.xbee.emulator import ZIGBEE, XBeeEmulator
from radio.xbee.frames import RECEIVE16, enclose
from radio.xbee.modem import XBee
from radio.zenoh.modem import Zenoh
from robotd.model.streams import draw
from tests.radio.helper import KEY, table

STEP_S = 0.005
READY_S = 3.0  # within which every modem has answered all that its driver asks
Hurt = Callable[[bytes], Iterable[bytes]]
BAND = {"band_hz": 869_525_000}


@dataclass(frozen=True)
class Kind:
    """A modem: `driver()`, `emulator(channel, number, now)`, and how the module says that `frame` came."""

    name: str
    driver: Callable[[], Any]
    emulator: Callable[..., Any]
    says: Callable[[bytes], bytes]
    datagrams: bool = False
    answers: bool = True  # whether the module answers, so that a mute one can be told
    second: bool = False  # garbage may cost the first whole frame after it, never the second

    def __repr__(self) -> str:
        return self.name


def _xbee(mode: int, **more: Any) -> Callable[..., XBeeEmulator]:
    return lambda channel, number, now, **own: XBeeEmulator(channel, number, now, mode=mode, **more, **own)


def xbee_says(frame: bytes, *, escaped: bool) -> bytes:
    """A receive frame of 802.15.4 firmware."""
    return enclose(bytes((RECEIVE16, 0, 2, 0x28, 2)) + frame, escaped=escaped)


KINDS = (
    Kind("transparent", lambda: Transparent(Transparent.Settings()), TransparentEmulator, wrap, answers=False),
    Kind("xbee-2", lambda: XBee(XBee.Settings()), _xbee(2), lambda frame: xbee_says(frame, escaped=True)),
    Kind(
        "xbee-1",
        lambda: XBee(XBee.Settings()),
        _xbee(1),
        lambda frame: xbee_says(frame, escaped=False),
        second=True,  # where a bare 7E may stand in a frame, a sum of eight bits is all that shows a false one
    ),
    Kind(
        "xbee-zigbee",
        lambda: XBee(XBee.Settings()),
        _xbee(2, firmware=ZIGBEE),
        lambda frame: xbee_says(frame, escaped=True),
    ),
    Kind(
        "reyax",
        lambda: Reyax(Reyax.Settings(**BAND)),
        ReyaxEmulator,
        lambda frame: packet_line(Packet(2, frame, -40, 9)),
    ),
    Kind("udp", lambda: Udp(Udp.Settings()), UdpEmulator, bytes, datagrams=True, answers=False),
    Kind("zenoh", lambda: Zenoh(Zenoh.Settings()), ZenohEmulator, bytes, datagrams=True, answers=False),
)
BY_NAME = {kind.name: kind for kind in KINDS}


def frame_of(k: int, size: int = 40) -> bytes:
    """A frame like no other, full of bytes that mean something to some modem."""
    filler = b"\x7e\x00\x7d\x11\x13\r\n,+OK\r\n\xff"
    return bytes((k & 0xFF, k >> 8)) + (filler * 4)[: size - 2]


def whole(data: bytes) -> Iterable[bytes]:
    """The line as it should be."""
    return (data,)


@dataclass
class Bench:
    """Robot 1 with the modem in question, robot 2 with a direct one. `run` lets time pass in steps of 5 ms.

    `to_host` and `to_module` are what the line does to what is said; `takes` false: the line takes no more bytes.
    """

    kind: Kind
    to_host: Hurt = whole
    to_module: Hurt = whole
    emulator_of: Callable[..., Any] | None = None
    steps: int = 0
    takes: bool = True
    mute: bool = False
    written: list[tuple[float, bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        mission = table(2)
        self.channel = Channel(1, mission, key=KEY, team=1)
        self.driver = self.kind.driver()
        self.emulator = (self.emulator_of or self.kind.emulator)(self.channel, 1, 0.0)
        self.teammate = MockModem(self.channel, 2)
        self.teammate.received(0.0)
        self.driver.connect(0.0)
        self._asked = True

    @property
    def now(self) -> float:
        return self.steps * STEP_S

    def run(self, seconds: float) -> Bench:
        for _ in range(round(seconds / STEP_S)):
            self.steps += 1
            self.step()
        return self

    def step(self) -> None:
        now, driver = self.now, self.driver
        if self.takes and (self._asked or (driver.wake_at is not None and driver.wake_at <= now)):
            self._asked = False
            for data in driver.transmit(now):
                self.written.append((now, data))
                for piece in self.to_module(data):
                    self.emulator.receive(now, piece)
        for data in self.emulator.transmit(now):
            for piece in () if self.mute else self.to_host(data):
                self.hear(piece)

    def hear(self, data: bytes) -> None:
        """The module says `data`."""
        self.driver.receive(self.now, data)
        self._asked = True

    def unplug(self) -> None:
        """And plug in again: the port opens the line anew."""
        self.driver.connect(self.now)
        self._asked = True

    def received(self) -> list[bytes]:
        return [frame for _, frame in self.driver.received(self.now)]

    def exchange(self, k: int) -> tuple[bool, bool]:
        """Whether a frame of ours reaches the teammate, and one of its reaches us, within a second."""
        ours, its = frame_of(2 * k), frame_of(2 * k + 1)
        self.driver.received(self.now)
        self.teammate.received(self.now)
        self.driver.send(self.now, ours, self.now)
        self.teammate.send(self.now, its, self.now + 0.6)
        self.run(1.0)
        return ours in [frame for _, frame in self.teammate.received(self.now)], its in self.received()


class Damage:
    """A line that flips, drops and inserts bytes at random, `share` of each, and cuts what it carries anywhere."""

    def __init__(self, share: float, seed: int, *, datagrams: bool) -> None:
        self.share, self._seed, self._datagrams, self._count = share, seed, datagrams, 0

    def __call__(self, data: bytes) -> list[bytes]:
        out = []
        for byte in data:
            self._count += 1
            roll = draw(self._seed, "line", "damage", self._count)
            if roll < self.share:
                out.append(bytes((byte ^ (1 << self._count % 8),)))
            elif roll < 2 * self.share:
                out.append(b"")
            elif roll < 3 * self.share:
                out.append(bytes((byte, self._count & 0xFF)))
            else:
                out.append(bytes((byte,)))
        return [b"".join(out)] if self._datagrams else out
