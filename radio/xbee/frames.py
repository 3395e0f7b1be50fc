"""The API frames of XBee modules, modes 1 and 2: 7E, length, data, checksum; sans-I/O, for driver and emulator.

In mode 2 each 7E, 7D, 11 and 13 after the delimiter is sent as 7D and the byte XOR 20, in length and checksum too.
Source: Digi, XBee/XBee-PRO S2C Zigbee user guide (90002002), "Operate in API mode".
"""

from collections.abc import Iterator, Mapping

from radio.framing import FrameParser
from robotd.model.value import value

DELIMITER, ESCAPE, FLIP = 0x7E, 0x7D, 0x20
FLOW = frozenset(b"\x11\x13")  # XON and XOFF: in mode 2 no byte of a frame when they come bare
_ESCAPED = FLOW | {DELIMITER, ESCAPE}
AROUND = 4  # delimiter, two of length, checksum
LONGEST = 320  # bytes of data: the longest payload of any module (256) and the head of an explicit receive frame
BROADCAST64, UNKNOWN16 = bytes.fromhex("000000000000FFFF"), b"\xff\xfe"

AT, TRANSMIT16, TRANSMIT = 0x08, 0x01, 0x10  # requests
RECEIVE64, RECEIVE16, STATUS16, AT_REPLY, MODEM, STATUS, RECEIVE, EXPLICIT = (
    0x80, 0x81, 0x89, 0x88, 0x8A, 0x8B, 0x90, 0x91,
)  # fmt: skip
HEADS = {RECEIVE64: 11, RECEIVE16: 5, RECEIVE: 12, EXPLICIT: 18}  # what comes before the payload, bytes
STRENGTHS = {RECEIVE64: 9, RECEIVE16: 3}  # place of the RSSI, as minus dBm
SHORTEST = {**HEADS, STATUS16: 3, AT_REPLY: 5, MODEM: 2, STATUS: 7}  # of the frames that a module sends, bytes
REQUESTS = {AT: 4, TRANSMIT: 15, TRANSMIT16: 6}  # of those that a host sends
STATUS_AT = {STATUS16: 2, STATUS: 5}  # place of the outcome of a transmission; 0 is success


def enclose(data: bytes, *, escaped: bool) -> bytes:
    """`data` (frame type first) as it goes down the line."""
    body = len(data).to_bytes(2, "big") + data + bytes((0xFF - sum(data) & 0xFF,))
    if escaped:
        body = b"".join(bytes((ESCAPE, byte ^ FLIP)) if byte in _ESCAPED else bytes((byte,)) for byte in body)
    return bytes((DELIMITER,)) + body


def at_request(number: int, command: str, value: bytes = b"") -> bytes:
    """The data of a frame that asks for a setting, or sets it to `value`."""
    return bytes((AT, number)) + command.encode("ascii") + value


def transmit_request(number: int, payload: bytes) -> bytes:
    """The data of a broadcast; `number` other than 0 asks for a status."""
    return bytes((TRANSMIT, number)) + BROADCAST64 + UNKNOWN16 + bytes(2) + payload


def transmit16_request(number: int, payload: bytes) -> bytes:
    """The same for 802.15.4 firmware, of which older modules know no other."""
    return bytes((TRANSMIT16, number)) + b"\xff\xff\0" + payload


@value
class Received:
    """A payload that came over the air, and how strong, dBm, where the frame type holds that."""

    payload: bytes
    rssi_dbm: float | None


def received_in(data: bytes) -> Received | None:
    """The payload from the air in a frame's data; None where it is no receive frame or cut short."""
    head = HEADS.get(data[0]) if data else None
    if head is None or len(data) < head:
        return None
    place = STRENGTHS.get(data[0])
    return Received(data[head:], -float(data[place]) if place is not None else None)


class ApiFrameParser(FrameParser[bytes]):
    """Finds frames in whatever bytes come, in whatever pieces; never raises, keeps some 650 bytes at most.

    In mode 2 (`escaped`) a bare 7E always begins a frame. In mode 1 a frame may contain it: a frame that proves
    wrong is looked through again from the byte after its 7E, and a whole frame of a type in `known` is taken out
    of one that is still incomplete. `counts`: bad-crc, resync (cut by another frame), long, noise (bytes between).
    """

    def __init__(self, *, escaped: bool, known: Mapping[int, int] = SHORTEST) -> None:
        super().__init__()  # it holds a frame from its delimiter on, unescaped
        self.escaped, self._known = escaped, known
        self._flips = False  # the last byte was an escape

    def reset(self, escaped: bool | None = None) -> None:
        """See `FrameParser`; with `escaped` the module's mode is known now."""
        super().reset()
        self.escaped = self.escaped if escaped is None else escaped
        self._flips = False

    def feed(self, data: bytes) -> list[bytes]:
        """The data of the whole frames: see `FrameParser`."""
        return list(self._escaped(data) if self.escaped else self._bare(data))

    def _escaped(self, data: bytes) -> Iterator[bytes]:
        for byte in data:
            if byte == DELIMITER:
                self.counts["resync"] += bool(self._part)
                self.reset(escaped=True)
            elif not self._part:
                self.counts["noise"] += 1
                continue
            elif byte == ESCAPE and not self._flips:
                self._flips = True
                continue
            elif byte in FLOW:
                continue
            self._part.append(byte ^ FLIP if self._flips else byte)
            self._flips = False
            size = _size(self._part)
            if size > LONGEST + AROUND:
                self.counts["long"] += 1
                self._part.clear()
            elif len(self._part) == size:
                frame = bytes(self._part)
                self._part.clear()
                if _is_sound(frame):
                    yield frame[3:-1]
                else:
                    self.counts["bad-crc"] += 1

    def _bare(self, data: bytes) -> Iterator[bytes]:
        self._part += data
        while (begin := self._part.find(DELIMITER)) >= 0:
            self.counts["noise"] += begin
            del self._part[:begin]
            size = _size(self._part)
            if size > LONGEST + AROUND:
                self._drop("long")
            elif len(self._part) < size:
                inner = self._inner()
                if not inner:
                    return
                self.counts["resync"] += 1
                del self._part[:inner]
            elif _is_sound(frame := bytes(self._part[:size])):
                del self._part[:size]
                yield frame[3:-1]
            else:
                self._drop("bad-crc")
        self.counts["noise"] += len(self._part)
        self._part.clear()

    def _drop(self, reason: str) -> None:
        self.counts[reason] += 1
        del self._part[0]

    def _is_known(self, frame: bytes) -> bool:
        return len(frame) - AROUND >= self._known.get(frame[3], LONGEST)

    def _inner(self) -> int:
        """Where in the incomplete frame a whole one begins; 0 if nowhere."""
        begin = 0
        while (begin := self._part.find(DELIMITER, begin + 1)) > 0:
            rest = self._part[begin:]
            size = _size(rest)
            if len(rest) >= size and _is_sound(frame := bytes(rest[:size])) and self._is_known(frame):
                return begin
        return 0


def _size(part: bytearray) -> int:
    """How long the frame that begins `part` is in all, as far as that is known."""
    return int.from_bytes(part[1:3], "big") + AROUND if len(part) >= 3 else AROUND


def _is_sound(frame: bytes) -> bool:
    return len(frame) > AROUND and sum(frame[3:]) & 0xFF == 0xFF
