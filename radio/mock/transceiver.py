"""Modules that delimit and check packets by themselves, on the simulated channel."""

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

    On the simulated channel every packet goes as a bare serial modem sends it, so that modems of all kinds are one
    team, as if a base station connected them. `latency_s` lies between the host's last byte and the start of the
    packet.
    """

    def __init__(self, channel: Channel, number: int, now: float, latency_s: float) -> None:
        self._channel, self._number, self._latency_s = channel, number, latency_s
        self._received_until = now
        self._parser = CobsParser()

    @property
    def next_at(self) -> float | None:
        """When the next packet is over, of those known."""
        return self._channel.next_end(self._number, self._received_until)

    def send(self, now: float, payload: bytes, airtime: float | None = None) -> float:
        """Send a packet; returns when it is over. `airtime` as `Channel.submit`."""
        data = wrap(payload)
        start = self._channel.submit(now, self._number, data, now + self._latency_s, airtime)
        return start + (self._channel.airtime(len(data)) if airtime is None else airtime)

    def received(self, now: float) -> list[Arrival]:
        """What came since the last call."""
        arrived = self._channel.arrivals(self._number, self._received_until, now)
        self._received_until = now
        return [
            Arrival(payload, x.sender, self._channel.rssi_dbm(x.sender, self._number))
            for x in arrived
            for payload in self._parser.feed(x.data)
        ]


class ModemEmulator:
    """An emulated module, sans-I/O; what the host writes goes to `receive`, and `_answers` are due for the host.

    `wake_at` moves whenever another radio sends: let `Channel.watch` call whatever looks at it again.
    """

    def __init__(self, channel: Channel, number: int, now: float, latency_s: float) -> None:
        self._radio = Transceiver(channel, number, now, latency_s)
        self._answers: list[bytes] = []

    @property
    def wake_at(self) -> float | None:
        """When `transmit` has something to do but after `receive`."""
        return self._radio.next_at

    def transmit(self, now: float) -> list[bytes]:
        """What is due for the host: answers, and what came in."""
        answers, self._answers = self._answers, []
        return answers + [self._encode(arrival) for arrival in self._radio.received(now)]

    def _encode(self, arrival: Arrival) -> bytes:
        """A packet as the module writes it to the host."""
        return arrival.payload
