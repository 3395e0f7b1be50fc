"""The lines of REYAX LoRa modules: they end with CR LF, and packets whose data may hold any byte; sans-I/O.

A packet is `+RCV=address,length,data,strength,ratio` and is read by its length, since data may hold commas, line
ends and even answers. Source: REYAX, LoRa AT command guides for RYLR998 and RYLR498 (2023) and for RYLR896.
"""

import re
from collections.abc import Iterator

from radio.framing import FrameParser
from robotd.model.value import value

END = b"\r\n"
BEGIN = b"+RCV="
LONGEST = 240  # bytes of data in a packet
BROADCAST = 0  # address
_HEAD = re.compile(rb"\+RCV=(\d{1,5}),(\d{1,3}),")
_HEAD_BEGUN = re.compile(rb"\+RCV=(?:\d{1,5}(?:,\d{0,3})?)?")
_TAIL = re.compile(rb",(-?\d{1,3}),(-?\d{1,3})\r\n")
_TAIL_BEGUN = re.compile(rb"(?:,(?:-?\d{0,3}(?:,(?:-?\d{0,3}\r?)?)?)?)?")
_LINE_LONGEST = 64  # of answers; the longest is that to AT+UID?


@value
class Packet:
    """Data from the air; RSSI, and ratio of signal to noise in dB."""

    address: int
    data: bytes
    rssi_dbm: int
    ratio: int


def send_command(data: bytes, address: int = BROADCAST) -> bytes:
    """The command that sends `data`, to be written whole; ValueError for more than a packet holds."""
    if not 0 < len(data) <= LONGEST:
        raise ValueError(f"a packet holds 1 to {LONGEST} bytes, not {len(data)}")
    return b"AT+SEND=%d,%d,%s" % (address, len(data), data) + END


def packet_line(packet: Packet) -> bytes:
    """`packet` as a module writes it."""
    head = BEGIN + b"%d,%d,%s" % (packet.address, len(packet.data), packet.data)
    return head + b",%d,%d" % (packet.rssi_dbm, packet.ratio) + END


class LineParser(FrameParser["Packet | bytes"]):
    """Packets and answers (without their line ends), in order, from whatever bytes come; never raises.

    A packet that proves wrong is given up, and so is all up to the next line end or `+RCV=`; one that is
    incomplete yields to a whole one that begins inside it. Keeps some 260 bytes at most. `counts`: malformed,
    resync (cut by another packet), noise (what came before a packet in its line), long (a line without an end).
    """

    def feed(self, data: bytes) -> list[Packet | bytes]:
        """See `FrameParser`."""
        self._part += data
        return list(self._all())

    def _all(self) -> Iterator[Packet | bytes]:
        while True:
            begin, end = self._part.find(BEGIN), self._part.find(END)
            if begin >= 0 and (end < 0 or begin < end):
                self.counts["noise"] += bool(begin)
                del self._part[:begin]
                found = self._packet()
                if found is None:
                    return
                if isinstance(found, Packet):
                    yield found
            elif end >= 0:
                line = bytes(self._part[:end])
                del self._part[: end + len(END)]
                if len(line) > _LINE_LONGEST:
                    self.counts["long"] += 1
                elif line:
                    yield line
            else:
                if len(self._part) > _LINE_LONGEST:
                    self.counts["long"] += 1
                    del self._part[: -len(BEGIN)]
                return

    def _packet(self) -> Packet | bool | None:
        """The packet that begins the buffer, taken out of it; False if it was given up, None while incomplete."""
        found = _parse(bytes(self._part))
        if isinstance(found, tuple):
            del self._part[: found[1]]
            return found[0]
        if found is None:
            inner = self._inner()
            if not inner:
                return None
            self.counts["resync"] += 1
            del self._part[:inner]
            return False
        self.counts["malformed"] += 1
        inner, end = self._part.find(BEGIN, 1), self._part.find(END)
        cuts = [cut for cut in (inner, end + len(END) if end >= 0 else -1) if cut > 0]
        del self._part[: min(cuts, default=1)]
        return False

    def _inner(self) -> int:
        """Where in the incomplete packet a whole one begins; 0 if nowhere."""
        begin = 0
        while (begin := self._part.find(BEGIN, begin + 1)) > 0:
            if isinstance(_parse(bytes(self._part[begin:])), tuple):
                return begin
        return 0


def _parse(line: bytes) -> tuple[Packet, int] | bool | None:
    """The packet at the start of `line` and its size; None while it may become one, False when it cannot."""
    head = _HEAD.match(line)
    if head is None:
        return None if _HEAD_BEGUN.fullmatch(line) else False
    size = int(head[2])
    if size > LONGEST:
        return False
    data, rest = line[head.end() : head.end() + size], line[head.end() + size :]
    if len(data) < size:
        return None
    tail = _TAIL.match(rest)
    if tail is not None:
        return Packet(int(head[1]), data, int(tail[1]), int(tail[2])), head.end() + size + tail.end()
    return None if _TAIL_BEGUN.fullmatch(rest) else False
