"""The module half of emulated modems, on the simulated channel."""

from radio.framing import CobsParser, wrap
from radio.mock.channel import Channel, Transmission


class ModemEmulator:
    """An emulated module of robot `number`, sans-I/O; what the host writes goes to `receive`.

    On the simulated channel every packet goes as a bare serial modem sends it, so that modems of all kinds are one
    team, as if a base station connected them. `latency_s` lies between the host's last byte and the start of the
    packet. `wake_at` moves whenever another radio sends: let `Channel.watch` call whatever looks at it again.
    """

    def __init__(self, channel: Channel, number: int, now: float, latency_s: float = 0.0) -> None:
        self._channel, self._number, self._latency_s = channel, number, latency_s
        self._received_until = now
        self._parser = CobsParser()
        self._answers: list[tuple[float, bytes]] = []  # (when due, what goes to the host)

    @property
    def wake_at(self) -> float | None:
        """When `transmit` has something to do but after `receive`: a report is due, or a packet is over."""
        arrival = self._channel.next_end(self._number, self._received_until)
        return min([*(at for at, _ in self._answers), *([arrival] if arrival is not None else [])], default=None)

    def transmit(self, now: float) -> list[bytes]:
        """What is due for the host: answers, and what came in."""
        due = [data for at, data in self._answers if at <= now]
        self._answers = [answer for answer in self._answers if answer[0] > now]
        return due + [data for arrival in self._take_arrivals(now) for data in self._decode(arrival)]

    def _take_arrivals(self, now: float) -> list[Transmission]:
        """What came since the last call."""
        arrived = self._channel.arrivals(self._number, self._received_until, now)
        self._received_until = now
        return arrived

    def _decode(self, arrival: Transmission) -> list[bytes]:
        """The packets that came, as the module writes them to the host."""
        rssi_dbm = self._channel.rssi_dbm(arrival.sender, self._number)
        return [self._encode(payload, arrival.sender, rssi_dbm) for payload in self._parser.feed(arrival.data)]

    def _encode(self, payload: bytes, sender: int, rssi_dbm: float) -> bytes:
        """A packet as the module writes it to the host."""
        return payload

    def _send(self, now: float, payload: bytes, airtime: float) -> float:
        """Send a packet that takes `airtime` s; returns when it is over."""
        data = wrap(payload)
        return self._channel.submit(now, self._number, data, now + self._latency_s, airtime) + airtime
