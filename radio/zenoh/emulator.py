"""A routed network on the simulated air, for drivers that exchange real Zenoh messages with it."""

from __future__ import annotations

from radio.framing import SHORTEST
from radio.mock.channel import Channel
from radio.mock.transceiver import Transceiver

LATENCY_S = 0.02  # two Wi-Fi hops and a router between
AIRTIME_S = 0.00084  # of 105 bytes at 1 Mbit/s, a weak Wi-Fi link


class ZenohEmulator:
    """The network as robot `number` sees it, sans-I/O; each call of `receive` is one message of its."""

    def __init__(self, channel: Channel, number: int, now: float, *, latency_s: float = LATENCY_S) -> None:
        self._air = Transceiver(channel, number, now, latency_s)

    @property
    def wake_at(self) -> float | None:
        """When `transmit` has something to do but after `receive`."""
        return self._air.next_at

    def receive(self, now: float, data: bytes) -> None:
        """A message from the host."""
        if len(data) >= SHORTEST:
            self._air.send(now, data, AIRTIME_S)

    def transmit(self, now: float) -> list[bytes]:
        """Messages for the host."""
        return [arrival.payload for arrival in self._air.heard(now)]
