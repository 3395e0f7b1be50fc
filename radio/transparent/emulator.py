"""The serial side of a transparent modem on the simulated channel, for drivers that speak real bytes to it."""

from __future__ import annotations

from radio.mock.channel import Channel

PAUSE_S = 0.005  # the line quiet for so long ends a packet: EBYTE's manual has about 2 ms, an HC-12 some more
PACKET = 58  # bytes at most in one packet, as an E32 has it; the rest goes into the next


class TransparentEmulator:
    """The modem of robot `number`, sans-I/O like any device: what the host writes goes to `receive`.

    `wake_at` moves whenever another radio sends: let `Channel.watch` call whatever looks at it again.
    """

    def __init__(self, channel: Channel, number: int, now: float) -> None:
        self._channel, self._number = channel, number
        self._received_until = now
        self._buffer = bytearray()
        self._quiet_at = now

    @property
    def wake_at(self) -> float | None:
        """When `transmit` has something to do: the line has been quiet, or a packet has come in."""
        quiet = [self._quiet_at] if self._buffer else []
        arrival = self._channel.next_end(self._number, self._received_until)
        return min([*quiet, *([arrival] if arrival is not None else [])], default=None)

    def receive(self, now: float, data: bytes) -> None:
        """Bytes from the host; a full packet goes out at once."""
        self._buffer += data
        self._quiet_at = now + PAUSE_S
        while len(self._buffer) >= PACKET:
            self._send(now)

    def transmit(self, now: float) -> list[bytes]:
        """Put the packet that the host has finished on the air, and give the host what came in."""
        if self._buffer and now >= self._quiet_at:
            self._send(now)
        arrived = self._channel.delivered(self._number, self._received_until, now)
        self._received_until = now
        return [data for _, data in arrived]

    def _send(self, now: float) -> None:
        packet = bytes(self._buffer[:PACKET])
        del self._buffer[:PACKET]
        self._channel.submit(now, self._number, packet, now)
