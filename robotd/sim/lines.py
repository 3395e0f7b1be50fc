"""A serial line in memory: two sans-I/O devices, each paced at the baud rate on the event loop's clock."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from robotd.model.serial import SetLine

BITS_PER_BYTE = 10  # start bit, eight data bits, stop bit
SHORTEST_S = 0.001  # between two looks at an end that says nothing: a driver asks no oftener


class End(Protocol):
    """One end of a line: a driver or an emulator."""

    @property
    def wake_at(self) -> float | None:
        """When it has something to say; None: only after receive()."""

    def receive(self, now: float, data: bytes) -> None:
        """Take what came."""

    def transmit(self, now: float) -> Sequence[bytes | SetLine]:
        """What to send now."""


@dataclass
class _Side:
    end: End
    busy_until: float = 0.0
    alarm: asyncio.TimerHandle | None = None


class Line:
    """Carries bytes both ways until `close`; `kick` after either end was given something to say."""

    def __init__(self, one: End, other: End, baud: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._sides = (_Side(one), _Side(other))
        self._seconds_per_byte = BITS_PER_BYTE / baud
        self._open = True

    def kick(self) -> None:
        """Ask both ends for what they have to send."""
        for side in self._sides:
            self._pump(side)

    def busy_until(self, end: End) -> float:
        """Until when what `end` sent is on its way."""
        return next(side.busy_until for side in self._sides if side.end is end)

    def close(self) -> None:
        """Carry nothing more, nor what is on its way."""
        self._open = False
        for side in self._sides:
            if side.alarm is not None:
                side.alarm.cancel()

    def _pump(self, side: _Side) -> None:
        now = self._loop.time()
        if not self._open or now < side.busy_until:
            return
        parts = [part for part in side.end.transmit(now) if isinstance(part, bytes)]
        if parts:
            side.busy_until = now + sum(map(len, parts)) * self._seconds_per_byte
            self._loop.call_at(side.busy_until, self._arrive, side, parts)
        self._set_alarm(side)

    def _set_alarm(self, side: _Side) -> None:
        if side.alarm is not None:
            side.alarm.cancel()
            side.alarm = None
        wake = side.end.wake_at
        if wake is not None:
            at = max(wake, side.busy_until, self._loop.time() + SHORTEST_S)
            side.alarm = self._loop.call_at(at, self._pump, side)

    def _arrive(self, source: _Side, parts: Sequence[bytes]) -> None:
        if not self._open:
            return
        target = self._sides[1] if source is self._sides[0] else self._sides[0]
        for part in parts:  # what was written at once came at once, and still as it was cut: in datagrams, say
            target.end.receive(self._loop.time(), part)
        self._pump(target)
        self._pump(source)
