"""A robot's modem on the simulated air, without a serial line between."""

from __future__ import annotations

from collections.abc import Mapping

from radio.framing import OVERHEAD, CobsParser, wrap
from radio.mock.channel import Channel


class MockModem:
    """The radio of robot `number`. A new one hears what arrives after its first call."""

    def __init__(self, channel: Channel, number: int) -> None:
        self._channel, self._number = channel, number
        self._heard_until: float | None = None
        self._own: list[tuple[float, bytes]] = []  # (start, frame) not yet told by `left`
        self._unwrapper = CobsParser()

    def send(self, now: float, frame: bytes, at: float) -> None:
        """See `Modem.send`."""
        self._channel.withdraw(now, self._number)
        start = self._channel.submit(now, self._number, wrap(frame), at)
        self._own = [entry for entry in self._own if entry[0] <= now] + [(start, frame)]

    def received(self, now: float) -> list[tuple[float, bytes]]:
        """See `Modem.received`."""
        since, self._heard_until = self._heard_until, now
        if since is None:
            return []
        delivered = self._channel.delivered(self._number, since, now)
        return [(end, frame) for end, data in delivered for frame in self._unwrapper.feed(data)]

    def left(self, now: float) -> list[tuple[float, bytes]]:
        """See `Modem.left`."""
        if not self._own:
            return []
        left = [entry for entry in self._own if entry[0] <= now]
        self._own = self._own[len(left) :]
        return left

    def alive(self, now: float) -> bool:
        """See `Modem.alive`."""
        return self._channel.is_on(self._number, now)

    def counts(self) -> Mapping[str, int]:
        """See `Modem.counts`."""
        return self._unwrapper.counts

    def airtime(self, size: int) -> float:
        """See `Modem.airtime`."""
        return self._channel.airtime(size + OVERHEAD)

    def rssi_dbm(self, frame: bytes) -> float | None:
        """See `Modem.rssi_dbm`."""
        return None

    def advice(self, robots: int, beat_s: float) -> str:
        """See `Modem.advice`."""
        return ""
