"""A module that delimits and checks packets by itself, on the simulated air."""

from __future__ import annotations

from dataclasses import dataclass

from radio.framing import CobsParser, wrap
from radio.mock.channel import Channel


@dataclass(frozen=True, slots=True)
class Arrival:
    """A packet that came, from whom, and how strong, dBm."""

    payload: bytes
    sender: int
    rssi_dbm: float


class Transceiver:
    """The radio half of an emulated module of robot `number`.

    On the simulated air every packet goes as a bare serial modem sends it, so that modems of all kinds are one
    team, as if a base station stood between them. `latency_s` lies between the host's last byte and the air.
    """

    def __init__(self, channel: Channel, number: int, now: float, latency_s: float) -> None:
        self._channel, self._number, self._latency_s = channel, number, latency_s
        self._heard_until = now
        self._unwrapper = CobsParser()

    @property
    def next_at(self) -> float | None:
        """When the next packet is over, of those known."""
        return self._channel.next_end(self._number, self._heard_until)

    def send(self, now: float, payload: bytes, airtime: float | None = None) -> float:
        """Put a packet on the air; returns when it is over. `airtime` as `Channel.submit`."""
        data = wrap(payload)
        start = self._channel.submit(now, self._number, data, now + self._latency_s, airtime)
        return start + (self._channel.airtime(len(data)) if airtime is None else airtime)

    def heard(self, now: float) -> list[Arrival]:
        """What came since the last call."""
        arrived = self._channel.arrivals(self._number, self._heard_until, now)
        self._heard_until = now
        return [
            Arrival(payload, x.sender, self._channel.rssi_dbm(x.sender, self._number))
            for x in arrived
            for payload in self._unwrapper.feed(x.data)
        ]
