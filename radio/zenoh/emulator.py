"""A routed network on the simulated channel, for drivers that exchange real Zenoh messages with it."""

from __future__ import annotations

from radio.framing import SHORTEST
from radio.mock.channel import Channel
from radio.mock.transceiver import ModemEmulator

LATENCY_S = 0.02  # two Wi-Fi hops and a router between
AIRTIME_S = 0.00084  # of 105 bytes at 1 Mbit/s, a weak Wi-Fi link


class ZenohEmulator(ModemEmulator):
    """The network as robot `number` sees it; each call of `receive` is one message of its."""

    def __init__(self, channel: Channel, number: int, now: float, *, latency_s: float = LATENCY_S) -> None:
        super().__init__(channel, number, now, latency_s)

    def receive(self, now: float, data: bytes) -> None:
        """A message from the host."""
        if len(data) >= SHORTEST:
            self._radio.send(now, data, AIRTIME_S)
