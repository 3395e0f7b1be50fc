"""A robot's modem on the simulated channel, without a serial line between."""

from radio.framing import OVERHEAD, CobsParser, wrap
from radio.mock.channel import Channel
from radio.modem_buffers import ModemBuffers


class MockModem(ModemBuffers):
    """The radio of robot `number`. A new one receives what arrives after its first call."""

    def __init__(self, channel: Channel, number: int) -> None:
        super().__init__()
        self._channel, self._number = channel, number
        self._received_until: float | None = None
        self._parser = CobsParser()
        self._counts = self._parser.counts

    def send(self, now: float, frame: bytes, at: float) -> None:
        self._channel.withdraw(now, self._number)
        start = self._channel.submit(now, self._number, wrap(frame), at)
        self._left = [entry for entry in self._left if entry[0] <= now] + [(start, frame)]

    def received(self, now: float) -> list[tuple[float, bytes]]:
        since, self._received_until = self._received_until, now
        arrivals = self._channel.arrivals(self._number, now if since is None else since, now)
        return [(x.end, frame) for x in arrivals for frame in self._parser.feed(x.data)]

    def left(self, now: float) -> list[tuple[float, bytes]]:
        left = [entry for entry in self._left if entry[0] <= now]
        self._left = self._left[len(left) :]
        return left

    def alive(self, now: float) -> bool:
        return self._channel.is_on(self._number, now)

    def airtime(self, size: int) -> float:
        return self._channel.airtime(size + OVERHEAD)
