"""A gripper of one or two hobby servos on a Pololu Maestro, as an add-on of any base.

The Maestro's commands are a byte from 0x80 on and data of 7 bits, numbers low part first; its answers have neither
frame nor checksum. After Pololu's user's guide (0J40), section 5. What stops the servos when this computer dies:
nothing, unless its "serial timeout" and "on error" settings say so.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Sequence
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from robotd.model.command import EXPIRY_S, Command
from robotd.model.senses import Grip, Senses
from robotd.model.serial import LineSettings, SetLine

SET_TARGET, SET_SPEED, GET_POSITION, POLOLU = 0x84, 0x87, 0x90, 0xAA
CRC_POLYNOMIAL = 0x91  # CRC-7, lowest bit first
ASK_S = 0.05  # between two questions
ANSWER_S = 0.3  # an answer that has not come by then was lost; it is waited for, so that it answers nothing else
STALE_S = 0.7  # of positions: two answers missing
AGAIN_S = 1.0  # a target that holds and is not reached is told again after, in case that was lost
GREATEST = 4 * 4000  # quarters of a microsecond: beyond what any servo is sent
LEAST_US = 10  # between the ends of a servo's way: about a degree, more than servos leave uncorrected
BROKEN = 512  # of 1023, what an input reads: below it the beam's receiver is dark


class MaestroSettings(BaseModel):
    """The add-on's own table of a robot file."""

    model_config = ConfigDict(extra="forbid")

    baud: int = Field(9600, ge=300, le=200000, description="bits per second; without meaning over USB")
    device: int | None = Field(None, ge=0, le=127, description="its number on a line of several; default: alone")
    crc: bool = Field(default=False, description="as set in the Maestro: each command ends with a CRC-7")
    channel: int = Field(0, ge=0, le=23, description="the servo that opens and shuts")
    open_us: float = Field(1900.0, ge=400, le=2800, description="its pulse when open, us")
    shut_us: float = Field(1100.0, ge=400, le=2800, description="its pulse when shut, us")
    lift_channel: int | None = Field(None, ge=0, le=23, description="the servo that lifts; default: none")
    up_us: float = Field(1900.0, ge=400, le=2800, description="its pulse when up, us")
    down_us: float = Field(1100.0, ge=400, le=2800, description="its pulse when down, us")
    beam_channel: int | None = Field(
        None, ge=0, le=23, description="an input with a light beam between the fingers"
    )
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
    """The Maestro's checksum of a command."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc ^ CRC_POLYNOMIAL) >> 1 if crc & 1 else crc >> 1
    return crc


def halves(value: int) -> bytes:
    """The two data bytes of a number of 14 bits."""
    return bytes([value & 0x7F, value >> 7 & 0x7F])


def said(command: int, data: bytes, device: int | None = None, *, crc: bool = False) -> bytes:
    """A command, in the compact form or for a device by its number."""
    whole = bytes([command]) if device is None else bytes([POLOLU, device, command & 0x7F])
    whole += data
    return whole + bytes([crc7(whole)]) if crc else whole


class Maestro:
    """`SerialDevice` and `AddOn`. All times are the loop's clock, s."""

    Settings = MaestroSettings
    needs_port = True
    add_on = True
    adds = ("gripper",)
    when_computer_dies = "nothing: the servos hold where they are, unless the Maestro's serial timeout is set"

    def __init__(self, settings: MaestroSettings) -> None:
        self.line = LineSettings(settings.baud, silence_s=2.0)
        self.wake_at: float | None = None
        self._settings = settings
        self.counts: Counter[str] = Counter()
        self.reboots = 0  # of the Maestro, or halts by another program, noticed while connected
        channels = (settings.channel, settings.lift_channel, settings.beam_channel)
        self._asks = tuple(channel for channel in channels if channel is not None)
        self.connect(0.0)

    def _say(self, command: int, data: bytes) -> bytes:
        return said(command, data, self._settings.device, crc=self._settings.crc)

    @property
    def halt(self) -> bytes:
        """Ends the servos' pulses, twice, whatever was cut half-way before: a command byte begins anew."""
        servos = (self._settings.channel, self._settings.lift_channel)
        off = b"".join(self._say(SET_TARGET, bytes([one, 0, 0])) for one in servos if one is not None)
        return off + off

    @property
    def ready(self) -> bool:
        """Every channel's position has come since `connect`."""
        return all(channel in self._told for channel in self._asks)

    # SerialDevice

    def connect(self, now: float) -> None:
        """Ask for the positions; the servos are told nothing until there is a new command."""
        self._told: dict[int, tuple[float, int]] = {}  # by channel: when, and the position
        self._resting: set[int] = set()  # channels whose last two positions are the same
        self._answer = bytearray()
        self._asked: tuple[float, int] | None = None  # when, and which of `_asks`
        self._ask_at = now
        self._next = 0  # of `_asks`, asked last
        self._targets: dict[int, tuple[int, float]] = {}  # by channel: wanted, and until when that holds
        self._sent: dict[int, tuple[float, int]] = {}  # by channel: when, and the target
        self._on: set[int] = set()  # servos that have told a position since they were sent somewhere
        self._doubted: set[int] = set()  # of them, those that have told once that they are off
        self.wake_at = now

    def receive(self, now: float, data: bytes) -> None:
        """Take an answer; more than was asked for, or out of any servo's range, and all of it is dropped."""
        if self._asked is None:
            self.counts["unasked"] += len(data)
            return
        self._answer += data
        if len(self._answer) < 2:
            return
        position = int.from_bytes(self._answer[:2], "little")
        if len(self._answer) > 2 or position > GREATEST:
            self.counts["answer"] += 1
            return  # until its time is over: what comes meanwhile belongs to nothing
        channel = self._asks[self._asked[1]]
        same = channel in self._told and self._told[channel][1] == position
        (self._resting.add if same else self._resting.discard)(channel)
        self._told[channel] = now, position
        self._asked = None
        self._answer.clear()
        self._ask_at = self.wake_at = now + ASK_S
        if channel != self._settings.beam_channel:
            self._watch(channel, position)

    def _watch(self, channel: int, position: int) -> None:
        """A servo that was on and tells twice running that it is off was halted, or its Maestro has begun anew."""
        if position:
            self._doubted.discard(channel)
            if channel in self._sent:
                self._on.add(channel)
        elif channel in self._doubted:
            self.reboots += 1
            for what in (self._targets, self._sent, self._on, self._doubted):
                what.clear()
        elif channel in self._on:
            self._doubted.add(channel)  # nothing proves an answer: it is asked again, and told nothing meanwhile
            self._next -= 1

    def transmit(self, now: float) -> Sequence[bytes | SetLine]:
        """New targets; and one question at a time, as answers do not say what they answer."""
        told = b"".join(self._due(now))
        if self._asked is not None and now >= self._asked[0] + ANSWER_S:
            self.counts["no answer"] += not self._answer
            self._asked, self._ask_at = None, now
            self._answer.clear()
        if self._asked is None and now >= self._ask_at:
            self._next = (self._next + 1) % len(self._asks)
            self._asked = now, self._next
            told += self._say(GET_POSITION, bytes([self._asks[self._next]]))
        self.wake_at = self._asked[0] + ANSWER_S if self._asked is not None else self._ask_at
        return [told] if told else []

    def _due(self, now: float) -> list[bytes]:
        """Targets that are new, or were told in vain; none that no command holds any more."""
        self._targets = {channel: held for channel, held in self._targets.items() if now < held[1]}
        due: list[bytes] = []
        for channel, (target, _) in sorted(self._targets.items()) if not self._doubted else ():
            at, last = self._sent.get(channel, (-math.inf, -1))
            in_vain = channel in self._resting and self._told[channel][1] != target
            if last != target or (in_vain and now >= at + AGAIN_S):
                if channel not in self._sent:
                    due.append(self._say(SET_SPEED, bytes([channel]) + halves(self._settings.speed)))
                self._sent[channel] = now, target
                due.append(self._say(SET_TARGET, bytes([channel]) + halves(target)))
        return due

    # AddOn

    def missing(self, now: float) -> dict[str, str]:
        """See `AddOn`."""
        if not self.ready:
            return {"gripper": "the Maestro has not answered: are cable, baud rate and device number right?"}
        oldest = min(self._told[channel][0] for channel in self._asks)
        return {} if now - oldest < STALE_S else {"gripper": "the Maestro answers no more"}

    def complete(self, now: float, senses: Senses) -> Senses:
        """See `AddOn`: where the servos are sent by now, at their speed; half-way while they are off."""
        if self.missing(now):
            return senses
        s = self._settings
        opening, at = self._share(s.channel, s.shut_us, s.open_us)
        lift = self._share(s.lift_channel, s.down_us, s.up_us)[0] if s.lift_channel is not None else 0.0
        beam = s.beam_channel is not None and (self._told[s.beam_channel][1] < BROKEN) == s.beam_low
        ages = dataclasses.replace(senses.ages, grip=now - at)
        return dataclasses.replace(senses, grip=Grip(opening, lift, beam, bump=False), ages=ages)

    def _share(self, channel: int, low: float, high: float) -> tuple[float, float]:
        at, position = self._told[channel]
        share = (position / 4 - low) / (high - low) if position else 0.5
        return round(min(max(share, 0.0), 1.0), 3), at

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
        if self._due_now(now):
            self.wake_at = now
        return Command(opening=opening, lift=lift)

    def _aim(self, channel: int, wanted: float | None, low: float, high: float, until: float) -> float | None:
        if wanted is None or math.isnan(wanted):
            return None
        share = min(max(wanted, 0.0), 1.0)
        self._targets[channel] = round(4 * (low + share * (high - low))), until
        return share

    def _due_now(self, now: float) -> bool:
        return any(
            self._sent.get(channel, (now, -1))[1] != target for channel, (target, _) in self._targets.items()
        )
