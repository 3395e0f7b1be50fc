"""A gripper of one or two hobby servos on a Pololu Maestro, as an add-on of any base.

The Maestro's commands are a byte from 0x80 on and data of 7 bits, numbers low part first; its answers have neither
frame nor checksum. After Pololu's user's guide (0J40), section 5. What stops the servos when this computer dies:
nothing, unless its "serial timeout" and "on error" settings ask for it.
"""

import dataclasses
import math
from collections.abc import Iterator
from typing import Self

from pydantic import Field, model_validator

from boards.driver import Device, Table
from boards.parser import Parser, halves
from robotd.model.command import EXPIRY_S, Command
from robotd.model.senses import Grip, Senses
from robotd.model.serial import LineSettings

SET_TARGET, SET_SPEED, GET_POSITION, POLOLU = 0x84, 0x87, 0x90, 0xAA
CRC_POLYNOMIAL = 0x91  # CRC-7, lowest bit first
ASK_S = 0.05  # between an answer and the next question
ANSWER_S, LONGEST_S = 0.2, 0.8  # what an answer may take: at first, and at most, once longer ones were measured
MARGIN = 1.5  # times the longest exchange that was measured: what the next one may take
QUIET = 0.5  # of that time without a byte, after an answer that is late or damaged, before the next question
STALE_S = 0.9  # of positions: two answers missing
AGAIN_S = 1.0  # a target that holds and is not reached is sent again after, in case that was lost
GREATEST = 4 * 4000  # quarters of a microsecond: beyond what any servo is sent
LEAST_US = 10  # between the ends of a servo's way: about a degree, more than servos leave uncorrected
BROKEN = 512  # of 1023, what an input reads: below it the beam's receiver is dark


class MaestroSettings(Table):
    """The add-on's own table of a robot file."""

    baud: int = Field(9600, ge=300, le=200000, description="bits per second; without meaning over USB")
    device: int | None = Field(None, ge=0, le=127, description="its number on a line of several; default: alone")
    crc: bool = Field(default=False, description="as set in the Maestro: each command ends with a CRC-7")
    channel: int = Field(0, ge=0, le=23, description="the servo that opens and shuts")
    open_us: float = Field(1900.0, ge=400, le=2800, description="its pulse when open, us")
    shut_us: float = Field(1100.0, ge=400, le=2800, description="its pulse when shut, us")
    lift_channel: int | None = Field(None, ge=0, le=23, description="the servo that lifts; default: none")
    up_us: float = Field(1900.0, ge=400, le=2800, description="its pulse when up, us")
    down_us: float = Field(1100.0, ge=400, le=2800, description="its pulse when down, us")
    beam_channel: int | None = Field(None, ge=0, le=23, description="input of a light beam between the fingers")
    beam_low: bool = Field(default=True, description="the beam's input is low when it is broken")
    speed: int = Field(60, ge=0, le=127, description="of the servos, 25 us/s; 0: as fast as they can")

    @model_validator(mode="after")
    def _apart(self) -> Self:
        ways = [("open_us", self.open_us, "shut_us", self.shut_us)]
        if self.lift_channel is not None:
            ways.append(("up_us", self.up_us, "down_us", self.down_us))
        for one, high, other, low in ways:
            if abs(high - low) < LEAST_US:
                raise ValueError(f"{one} and {other} have to differ by at least {LEAST_US} us: it would not move")
        channels = [one for one in (self.channel, self.lift_channel, self.beam_channel) if one is not None]
        twice = next((one for one in channels if channels.count(one) > 1), None)
        if twice is not None:
            raise ValueError(f"channel {twice} is wired to two things: give each its own")
        return self


def crc7(data: bytes) -> int:
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc ^ CRC_POLYNOMIAL) >> 1 if crc & 1 else crc >> 1
    return crc


def encode(command: int, data: bytes, device: int | None = None, *, crc: bool = False) -> bytes:
    """A command, in the compact form or for a device by its number."""
    whole = bytes([command]) if device is None else bytes([POLOLU, device, command & 0x7F])
    whole += data
    return whole + bytes([crc7(whole)]) if crc else whole


class Answers(Parser[bytes]):
    """`Parser` of what has neither frame nor checksum: all that comes, as it comes."""

    def feed(self, data: bytes) -> list[bytes]:
        return [data]


class Maestro(Device):
    """`SerialDevice` and `AddOn`; `reboots` counts halts by another program, too."""

    Settings = MaestroSettings
    emulator = "boards.maestro.emulator:MaestroEmulator"
    add_on = True
    adds = ("gripper",)
    when_computer_dies = "nothing: the servos hold where they are, unless the Maestro's serial timeout is set"

    def __init__(self, settings: MaestroSettings) -> None:
        super().__init__(LineSettings(settings.baud, silence_s=2.0), Answers())
        self._settings = settings
        channels = (settings.channel, settings.lift_channel, settings.beam_channel)
        self._asks = tuple(channel for channel in channels if channel is not None)
        self._exchange_s = 0.0  # the longest that was measured
        servos = (settings.channel, settings.lift_channel)
        off = b"".join(self._encode(SET_TARGET, bytes([one, 0, 0])) for one in servos if one is not None)
        self._halt = off + off
        self.connect(0.0)

    @property
    def halt(self) -> bytes:  # type: ignore[override]
        """The end of all pulses, twice, whatever was cut before: a command byte begins anew."""
        return self._halt

    def _encode(self, command: int, data: bytes) -> bytes:
        return encode(command, data, self._settings.device, crc=self._settings.crc)

    @property
    def ready(self) -> bool:
        return self._positions is not None

    # SerialDevice

    def reset(self) -> None:
        """See `Device`; the positions are asked for, and the servos sent nowhere until there is a new command."""
        self._positions: dict[int, int] | None = None
        self._at = 0.0  # when they were asked for
        self._resting: set[int] = set()  # channels whose last two positions are the same
        self._answer = bytearray()
        self._asked: float | None = None  # when the last request was sent
        self._waits = False  # for its answer
        self._ask_at = -math.inf
        self._targets: dict[int, tuple[int, float]] = {}  # by channel: wanted, and until when that holds
        self._sent: dict[int, tuple[float, int]] = {}  # by channel: when, and the target
        self._on: set[int] = set()  # servos that have reported a position since they were sent somewhere
        self._doubted: set[int] = set()  # of them, those that have reported once that they are off

    def _take(self, now: float, frame: bytes) -> None:
        """Positions; more bytes than were asked for, or out of any servo's range, and all are dropped."""
        asked = self._asked
        if not self._waits or asked is None:
            self._counts["unasked"] += len(frame)
            if asked is not None:
                self._exchange_s = max(self._exchange_s, now - asked)  # late: the next time-out is longer
                self._ask_at = max(self._ask_at, now + QUIET * self._timeout_s)
            return
        self._answer += frame
        size = 2 * len(self._asks)
        if len(self._answer) < size:
            return
        parts = [int.from_bytes(self._answer[at : at + 2], "little") for at in range(0, size, 2)]
        if len(self._answer) > size or max(parts) > GREATEST:
            self._counts["answer"] += 1
            self._give_up(now)
            return
        self._exchange_s = max(self._exchange_s, now - asked)
        self._waits = False
        self._answer.clear()
        self._ask_at = now + ASK_S
        self._note(asked, dict(zip(self._asks, parts, strict=True)))

    def _note(self, asked: float, positions: dict[int, int]) -> None:
        last, self._positions, self._at = self._positions or {}, positions, asked
        self._resting = {channel for channel, position in positions.items() if last.get(channel) == position}
        for channel, position in positions.items():
            if channel != self._settings.beam_channel and self._watch(channel, position):
                self.reboots += 1
                for what in (self._targets, self._sent, self._on, self._doubted):
                    what.clear()

    @property
    def _timeout_s(self) -> float:
        return min(max(ANSWER_S, MARGIN * self._exchange_s), LONGEST_S)

    def _give_up(self, now: float) -> None:
        """Wait for no answer any more, and ask anew once the line has been quiet: answers have no name."""
        self._waits = False
        self._answer.clear()
        self._ask_at = now + QUIET * self._timeout_s

    def _watch(self, channel: int, position: int) -> bool:
        """True for a servo that was on and reports twice running that it is off: halted, or the Maestro restarted.
        Nothing proves an answer: after the first such one nothing is sent until the second."""
        if position:
            self._doubted.discard(channel)
            if channel in self._sent:
                self._on.add(channel)
            return False
        doubted = channel in self._doubted
        if channel in self._on:
            self._doubted.add(channel)
        return doubted

    def _send(self, now: float) -> Iterator[bytes]:
        """New targets; and one request for all positions at a time, as answers do not name their question. They
        come in the order of the request, which is always the same."""
        yield from self._due(now)
        if self._waits and now >= (self._asked or 0.0) + self._timeout_s:
            self._counts["no answer"] += not self._answer
            self._give_up(now)
        if not self._waits and now >= self._ask_at:
            self._waits = True
            self._asked = now
            yield b"".join(self._encode(GET_POSITION, bytes([channel])) for channel in self._asks)

    def _times(self, now: float) -> Iterator[float]:
        yield (self._asked or 0.0) + self._timeout_s if self._waits else self._ask_at
        if not self._doubted and any(self._sent.get(c, (now, -1))[1] != t for c, (t, _) in self._targets.items()):
            yield now

    def _due(self, now: float) -> list[bytes]:
        """Targets that are new, or were sent in vain; none that no command holds any more."""
        self._targets = {channel: held for channel, held in self._targets.items() if now < held[1]}
        due: list[bytes] = []
        for channel, (target, _) in sorted(self._targets.items()) if not self._doubted else ():
            at, last = self._sent.get(channel, (-math.inf, -1))
            in_vain = channel in self._resting and (self._positions or {}).get(channel) != target
            if last != target or (in_vain and now >= at + AGAIN_S):
                if channel not in self._sent:
                    due.append(self._encode(SET_SPEED, bytes([channel]) + halves(self._settings.speed)))
                self._sent[channel] = now, target
                due.append(self._encode(SET_TARGET, bytes([channel]) + halves(target)))
        return due

    # AddOn

    def missing(self, now: float) -> dict[str, str]:
        if not self.ready:
            return {"gripper": "the Maestro has not answered: are cable, baud rate and device number right?"}
        return {} if now - self._at < STALE_S else {"gripper": "the Maestro has stopped answering"}

    def complete(self, now: float, senses: Senses) -> Senses:
        """See `AddOn`: where the servos are sent by now, at their speed; half-way while they are off."""
        positions = self._positions
        if positions is None or self.missing(now):
            return senses
        s = self._settings
        opening = _share(positions[s.channel], s.shut_us, s.open_us)
        lift = _share(positions[s.lift_channel], s.down_us, s.up_us) if s.lift_channel is not None else 0.0
        beam = s.beam_channel is not None and (positions[s.beam_channel] < BROKEN) == s.beam_low
        ages = dataclasses.replace(senses.ages, grip=now - self._at)
        return dataclasses.replace(senses, grip=Grip(opening, lift, beam, bump=False), ages=ages)

    def command(self, now: float, command: Command) -> Command:
        """See `AddOn`: opening and lift while the Maestro answers."""
        s = self._settings
        if self.missing(now) or not command.expiry_s > 0:
            return Command()
        until = now + min(command.expiry_s, EXPIRY_S)
        opening = self._aim(s.channel, command.opening, s.shut_us, s.open_us, until)
        lift = None
        if s.lift_channel is not None:
            lift = self._aim(s.lift_channel, command.lift, s.down_us, s.up_us, until)
        self._plan(now)
        return Command(opening=opening, lift=lift)

    def _aim(self, channel: int, wanted: float | None, low: float, high: float, until: float) -> float | None:
        if wanted is None or math.isnan(wanted):
            return None
        share = min(max(wanted, 0.0), 1.0)
        self._targets[channel] = round(4 * (low + share * (high - low))), until
        return share


def _share(position: int, low: float, high: float) -> float:
    """How far a servo is on its way from `low` to `high`, us; half-way where it is off."""
    share = (position / 4 - low) / (high - low) if position else 0.5
    return round(min(max(share, 0.0), 1.0), 3)
