"""The network side of UDP multicast on the simulated air, for drivers that exchange real datagrams with it."""

from __future__ import annotations

from radio.framing import SHORTEST
from radio.mock.channel import Channel
from radio.mock.transceiver import Transceiver

LATENCY_S = 0.005  # the kernel, the driver and a busy access point
AIRTIME_S = 0.0006  # of 68 bytes at 1 Mbit/s, the slowest rate of Wi-Fi, at which multicast goes


class UdpEmulator:
    """The network as robot `number` sees it, sans-I/O; each call of `receive` is one datagram of its."""

    def __init__(self, channel: Channel, number: int, now: float, *, latency_s: float = LATENCY_S) -> None:
        self._air = Transceiver(channel, number, now, latency_s)
        self._echoes: list[bytes] = []

    @property
    def wake_at(self) -> float | None:
        """When `transmit` has something to do but after `receive`."""
        return self._air.next_at

    def receive(self, now: float, data: bytes) -> None:
        """A datagram from the host; it comes back too, as multicast does."""
        self._echoes.append(data)
        if len(data) >= SHORTEST:
            self._air.send(now, data, AIRTIME_S)

    def transmit(self, now: float) -> list[bytes]:
        """Datagrams for the host."""
        echoes, self._echoes = self._echoes, []
        return echoes + [arrival.payload for arrival in self._air.heard(now)]
