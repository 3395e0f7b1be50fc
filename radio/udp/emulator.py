"""The network side of UDP multicast on the simulated channel, for drivers that exchange real datagrams with it."""

from __future__ import annotations

from radio.framing import SHORTEST
from radio.mock.channel import Channel
from radio.mock.transceiver import ModemEmulator

LATENCY_S = 0.005  # the kernel, the driver and a busy access point
AIRTIME_S = 0.0006  # of 68 bytes at 1 Mbit/s, the slowest rate of Wi-Fi, at which multicast goes


class UdpEmulator(ModemEmulator):
    """The network as robot `number` sees it; each call of `receive` is one datagram of its."""

    def __init__(self, channel: Channel, number: int, now: float, *, latency_s: float = LATENCY_S) -> None:
        super().__init__(channel, number, now, latency_s)

    def receive(self, now: float, data: bytes) -> None:
        """A datagram from the host; it comes back too, as multicast does."""
        self._answers.append(data)
        if len(data) >= SHORTEST:
            self._radio.send(now, data, AIRTIME_S)
