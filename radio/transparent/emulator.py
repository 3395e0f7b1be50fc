"""The serial side of a transparent modem on the simulated channel, for drivers that speak real bytes to it."""

from radio.mock.channel import Channel, Transmission
from radio.mock.emulator import ModemEmulator

PAUSE_S = 0.005  # the line quiet for so long ends a packet: EBYTE's manual has about 2 ms, an HC-12 some more
PACKET = 58  # bytes at most in one packet, as an E32 has it; the rest goes into the next


class TransparentEmulator(ModemEmulator):
    """The modem of robot `number`: what came over the air goes to the host as it is."""

    def __init__(self, channel: Channel, number: int, now: float) -> None:
        super().__init__(channel, number, now)
        self._buffer = bytearray()
        self._quiet_at = now

    @property
    def wake_at(self) -> float | None:
        """When `transmit` has something to do: the line has been quiet, or a packet has come in."""
        arrival = super().wake_at
        quiet = [self._quiet_at] if self._buffer else []
        return min([*quiet, *([arrival] if arrival is not None else [])], default=None)

    def receive(self, now: float, data: bytes) -> None:
        """Bytes from the host; a full packet goes out at once."""
        self._buffer += data
        self._quiet_at = now + PAUSE_S
        while len(self._buffer) >= PACKET:
            self._flush(now)

    def transmit(self, now: float) -> list[bytes]:
        """Put the packet that the host has finished on the air, and give the host what came in."""
        if self._buffer and now >= self._quiet_at:
            self._flush(now)
        return super().transmit(now)

    def _decode(self, arrival: Transmission) -> list[bytes]:
        return [arrival.data]

    def _flush(self, now: float) -> None:
        packet = bytes(self._buffer[:PACKET])
        del self._buffer[:PACKET]  # first: what watches the channel may call `transmit` again from within
        self._channel.submit(now, self._number, packet, now)
