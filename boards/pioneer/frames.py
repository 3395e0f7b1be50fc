"""The packets of ActivMedia's robots (P2OS, ARCOS: Pioneer 1 to 3, AmigoBot, PeopleBot), for driver and emulator.

`FA FB`, a length that counts all bytes after itself, command or kind, argument or data, checksum. Numbers are
little-endian, but for the checksum. After the robots' manuals and the ARIA library's documented constants.
"""

import struct
from typing import NamedTuple

from boards.parser import FrameParser
from robotd.model.value import value

HEADER = b"\xfa\xfb"
SHORTEST, LONGEST = 3, 200  # of the length byte: a bare command; more than any packet has

SYNC0, SYNC1, SYNC2 = 0, 1, 2  # while no connection is open; then the same numbers are PULSE, OPEN, CLOSE
PULSE, OPEN, CLOSE, ENABLE, SETA, SETO, VEL, SAY, CONFIG = 0, 1, 2, 4, 5, 7, 11, 15, 18
RVEL, SETRA, SONAR, STOP, VEL2, GRIPPER, IOREQUEST, BUMPSTALL, E_STOP = 21, 23, 28, 29, 32, 33, 40, 44, 55
SYNC_ERROR = 255
STANDING, MOVING, CONFIGURATION = 0x32, 0x33, 0x20  # kinds of packets from the robot
POSITIVE, NEGATIVE, TEXT = 0x3B, 0x1B, 0x2B  # kinds of arguments

GRIP_OPEN, GRIP_CLOSE, GRIP_STOP, LIFT_UP, LIFT_DOWN, LIFT_STOP, GRIP_STORE, GRIP_DEPLOY = 1, 2, 3, 4, 5, 6, 7, 8
NOT_OPEN, NOT_AT_LIMIT, OUTER_BEAM, INNER_BEAM = 1, 2, 4, 8  # bits of the gripper's byte
LEFT_FREE, RIGHT_FREE, LIFT_MOVES, PADDLES_MOVE = 16, 32, 64, 128

MOTORS_ON, SONARS_ON = 1, 2  # bits of the flags; of the sonars, the first group

TURN = 4096  # headings in a turn
COUNTER = 1 << 15  # x and y count so far


@value
class Units:
    """What a robot counts in: mm of one count of x and y, headings in a turn, mm/s of one count of speed."""

    distance: float
    turn: int = TURN
    speed: float = 1.0


_PIONEER_1 = Units(0.05066, 1024, 2.5332)
UNITS = {
    "p3dx": Units(0.485), "p3at": Units(0.465), "p2dx": Units(0.84), "p2de": Units(0.969), "p2at": Units(1.32),
    "amigo": Units(0.5083, speed=0.6154), "pionat": Units(0.07, 1024, 2.5332),
    **dict.fromkeys(("pion1m", "pion1x", "psos1m", "psos1x", "psos43m"), _PIONEER_1),
}  # fmt: skip
"""By subclass, as ARIA has them."""


def units_of(subclass: str) -> Units | None:
    """What robots of a subclass count in; None where that is not known. Those with an SH controller count mm."""
    return Units(1.0) if subclass.endswith("-sh") else UNITS.get(subclass)


def checksum(body: bytes) -> int:
    """Over command and argument: 16-bit words added, an odd last byte XORed into the low one."""
    total = sum(int.from_bytes(body[at : at + 2], "big") for at in range(0, len(body) - 1, 2)) & 0xFFFF
    return total ^ body[-1] if len(body) % 2 else total


def packet(kind: int, data: bytes = b"") -> bytes:
    """A whole packet; ValueError for more data than one holds."""
    body = bytes([kind]) + data
    if len(body) + 2 > LONGEST:
        raise ValueError(f"a packet of {len(body) + 2} bytes: expected at most {LONGEST}")
    return HEADER + bytes([len(body) + 2]) + body + checksum(body).to_bytes(2, "big")


def order(command: int, argument: int | str | None = None) -> bytes:
    """A command with its argument: a negative number goes as its absolute value, of another kind."""
    if argument is None:
        return packet(command)
    if isinstance(argument, str):
        text = argument.encode("latin-1", "replace")
        return packet(command, bytes([TEXT, len(text)]) + text)
    kind = POSITIVE if argument >= 0 else NEGATIVE
    return packet(command, bytes([kind]) + struct.pack("<H", abs(argument)))


def argument_of(data: bytes) -> int | str | None:
    if len(data) >= 3 and data[0] in (POSITIVE, NEGATIVE):
        value = int.from_bytes(data[1:3], "little")
        return value if data[0] == POSITIVE else -value
    if len(data) >= 2 and data[0] == TEXT:
        return data[2 : 2 + data[1]].decode("latin-1")
    return None


_STOP = order(STOP)
PADDING = bytes(9)
"""Sent before each order: all that a packet of ours can want that lost its end, so that it eats no other."""
HALT = PADDING + _STOP + bytes(240) + _STOP
"""Stops the wheels whatever was cut half-way before. A cut packet takes the next bytes for its own: those that
robotd sends want 8 at most, so that the first stop counts; the second comes after all that a length byte can want.
Zeros come first: a header that was cut behind `FA FB` would take the `FA` of a stop for a length."""


class PacketParser(FrameParser[tuple[int, bytes]]):
    """Packets as kind and data. Of kind `CONFIGURATION`, whose checksum some firmware never gets right, one with a
    wrong checksum counts when the same has come twice running: what the line has damaged is not the same. `counts`
    has those used so, too."""

    header, step = HEADER, 2

    def __init__(self) -> None:
        super().__init__()
        self._unproven = b""  # the last configuration with a wrong checksum

    def reset(self) -> None:
        super().reset()
        self._unproven = b""

    def size(self, begun: bytes) -> int:
        if not SHORTEST <= begun[2] <= LONGEST:
            raise ValueError("length")
        return 3 + begun[2]

    def parse(self, whole: bytes) -> tuple[int, bytes]:
        body = whole[3:-2]
        if not self._proven(body, whole[-2:]):
            raise ValueError("checksum")
        return body[0], body[1:]

    def _proven(self, body: bytes, sent: bytes) -> bool:
        """The checksum is right, or a configuration has come twice with the same wrong one."""
        if checksum(body).to_bytes(2, "big") == sent:
            return True
        if body[0] != CONFIGURATION:
            return False
        before, self._unproven = self._unproven, body + sent
        self.counts["configuration-checksum"] += before == self._unproven
        return before == self._unproven


class Sip(NamedTuple):
    """A server information packet, in the robot's units; `grip` None where it is cut short before."""

    moves: bool
    x: int  # counts, of 15 bits
    y: int
    heading: int  # TURN to a turn
    left: int  # mm/s
    right: int
    battery: int  # tenths of a volt
    stall: int  # low byte: left wheel, rear bumpers; high byte: right wheel, front bumpers
    flags: int  # bit 0: motors on
    sonar: tuple[tuple[int, int], ...]  # number, reading
    grip: int | None = None


_SIP = struct.Struct("<HHhhhBHxxHBB")
_SONAR = struct.Struct("<BH")


def build_sip(sip: Sip) -> bytes:
    fixed = _SIP.pack(*sip[1:9], 255, len(sip.sonar))
    sonar = b"".join(_SONAR.pack(*reading) for reading in sip.sonar)
    tail = b"" if sip.grip is None else bytes([0, sip.grip, 0, 0, 0])
    return packet(MOVING if sip.moves else STANDING, fixed + sonar + tail)


def parse_sip(kind: int, data: bytes) -> Sip:
    """The contents of a packet of kind `STANDING` or `MOVING`; ValueError where it is cut short."""
    if len(data) < _SIP.size:
        raise ValueError("short")
    x, y, heading, left, right, battery, stall, flags, _, count = _SIP.unpack_from(data)
    end = _SIP.size + count * _SONAR.size
    if len(data) < end:
        raise ValueError("short")
    sonar = tuple(_SONAR.iter_unpack(data[_SIP.size : end]))
    grip = data[end + 1] if len(data) > end + 1 else None
    place = x % COUNTER, y % COUNTER
    return Sip(kind == MOVING, *place, heading, left, right, battery, stall, flags, sonar, grip)


class Configuration(NamedTuple):
    """What a robot reports of itself when it is asked."""

    top_speed: int  # mm/s
    gripper: bool
    watchdog: int  # ms without a packet after which the motors stop; 0: never


def names(data: bytes) -> tuple[str, ...]:
    """The strings of an answer to `SYNC2`: name, class, subclass."""
    return tuple(part.decode("latin-1") for part in data.split(b"\0")[:3])


_LIMITS, _REST = struct.Struct("<BHHHHH"), struct.Struct("<BBBHHBHHH")


def build_configuration(top_speed: int, *, gripper: bool, watchdog: int) -> bytes:
    """Its data; what the driver does not read is as of a P3-DX."""
    limits = _LIMITS.pack(0, 360, top_speed, 300, 2000, 500)
    rest = _REST.pack(100, 0, 0, gripper, 1, 0, 11, 16570, watchdog)
    return b"Pioneer\0p3dx-sh\0000000\0" + limits + b"emulated\0" + rest


def parse_configuration(data: bytes) -> Configuration:
    """Its contents; ValueError where it is too short."""
    *_, rest = parts = data.split(b"\0", 3)
    if len(parts) < 4 or len(rest) < _LIMITS.size:
        raise ValueError("short")
    top = _LIMITS.unpack_from(rest)[2]
    _, ended, tail = rest[_LIMITS.size :].partition(b"\0")
    if not ended or len(tail) < _REST.size:
        raise ValueError("short")
    fields = _REST.unpack_from(tail)
    return Configuration(top, bool(fields[3]), fields[8])
