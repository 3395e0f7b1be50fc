"""The serial side of an XBee module on the simulated channel."""

from radio.airtime import ieee802154_airtime
from radio.mock.channel import Channel, Transmission
from radio.mock.emulator import ModemEmulator
from radio.xbee import frames as api

LATENCY_S = 0.008  # a module listens for a free channel, and its own processor takes a few milliseconds
IEEE = (0x1747, 0x10EF)  # HV and VR of an XBee with 802.15.4 firmware
ZIGBEE = (0x1946, 0x23A7)  # of an XBee S2, a router
LONGEST = 100  # bytes in a packet
TABLE, HELD_S = 8, 8.0  # a Zigbee router remembers so many broadcasts for so long, and passes no more
FULL = 0x32  # delivery status of a packet that was not sent: no resources


class XBeeEmulator(ModemEmulator):
    """The module of robot `number` in API `mode` 1 or 2.

    A frame in the other mode's escaping is one that the module does not understand, as on a real one.
    """

    def __init__(
        self,
        channel: Channel,
        number: int,
        now: float,
        *,
        mode: int = 2,
        firmware: tuple[int, int] = IEEE,
        latency_s: float = LATENCY_S,
    ) -> None:
        super().__init__(channel, number, now, latency_s)
        self._settings = {
            "AP": bytes((mode,)),
            "HV": firmware[0].to_bytes(2, "big"),
            "VR": firmware[1].to_bytes(2, "big"),
            "NP": LONGEST.to_bytes(2, "big"),
        }
        self._requests = api.ApiFrameParser(escaped=mode == 2, known=api.REQUESTS)
        self._ieee = firmware == IEEE
        self._broadcasts: list[float] = []  # when each came that the Zigbee table holds

    def receive(self, now: float, data: bytes) -> None:
        """Bytes from the host."""
        for frame in self._requests.feed(data):
            if len(frame) < api.REQUESTS.get(frame[0], api.LONGEST):
                continue
            if frame[0] == api.AT:
                self._report(now, self._answer(frame))
            elif frame[0] == api.TRANSMIT:
                self._submit(now, frame, bytes((api.STATUS, frame[1])) + api.UNKNOWN16 + b"\0", b"\0", 14)
            elif self._ieee:
                self._submit(now, frame, bytes((api.STATUS16, frame[1])), b"", 5)

    def reset(self, now: float) -> None:
        """The module starts again, and reports it."""
        self._answers.clear()
        self._report(now, bytes((api.MODEM, 0)))

    def _report(self, at: float, data: bytes) -> None:
        self._answers.append((at, api.enclose(data, escaped=self._requests.escaped)))

    def _answer(self, frame: bytes) -> bytes:
        value = self._settings.get(frame[2:4].decode("latin-1"))
        head = bytes((api.AT_REPLY,)) + frame[1:4]
        return head + (b"\0" + value if value is not None else b"\2")  # 2: no such command

    def _submit(self, now: float, frame: bytes, head: bytes, tail: bytes, place: int) -> None:
        """Send the payload at `place`, and report if the host gave the frame a number."""
        sent = self._ieee or self._has_room(now)
        over = now
        if sent:
            payload = frame[place:]
            over = self._send(now, payload, ieee802154_airtime(len(payload)))
        if frame[1]:
            self._report(over, head + bytes((0 if sent else FULL,)) + tail)

    def _has_room(self, now: float) -> bool:
        """Whether the broadcast table has room for one more, from the air or the host, which then is in it."""
        self._broadcasts = [at for at in self._broadcasts if at > now - HELD_S]
        if len(self._broadcasts) >= TABLE:
            return False
        self._broadcasts.append(now)
        return True

    def _decode(self, arrival: Transmission) -> list[bytes]:
        return super()._decode(arrival) if self._ieee or self._has_room(self._received_until) else []

    def _encode(self, payload: bytes, sender: int, rssi_dbm: float) -> bytes:
        if self._ieee:
            head = bytes((api.RECEIVE16, *sender.to_bytes(2, "big"), round(-rssi_dbm), 0x02))
        else:
            address = (0x0013A20040000000 + sender).to_bytes(8, "big")
            head = bytes((api.RECEIVE,)) + address + api.UNKNOWN16 + b"\x02"
        return api.enclose(head + payload, escaped=self._requests.escaped)
