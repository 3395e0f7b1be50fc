"""The packets of the Kobuki, the base of the TurtleBot 2, for driver and emulator alike.

`AA 55`, length of the payload, payload, checksum: the XOR of length and payload. A payload is a row of
sub-payloads: number, length, data. Numbers are little-endian. After Yujin's protocol specification (the appendix
of its kobuki_core documentation).
"""

import functools
import operator
import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from boards.parser import FrameParser

BAUD = 115200
RATE = 50  # Hz, of senses, unasked
HEADER = b"\xaa\x55"
SHORTEST, LONGEST = 3, 160  # of a payload: one byte in a sub-payload; all that the specification has is 109

BASE_CONTROL, SOUND, SEQUENCE, REQUEST = 0x01, 0x03, 0x04, 0x09  # sub-payloads to the robot
CORE, DOCK, INERTIA, CLIFF, CURRENT, HARDWARE, FIRMWARE, GYRO, UDID, INPUTS = (
    0x01, 0x03, 0x04, 0x05, 0x06, 0x0A, 0x0B, 0x0D, 0x13, 0x10,
)  # fmt: skip
"""Sub-payloads from the robot."""
SIZES = {CORE: 15, CURRENT: 2, FIRMWARE: 4}  # of the data of those that are read
ORDER_SIZES = {BASE_CONTROL: 4, SOUND: 3, SEQUENCE: 1, REQUEST: 2}  # the same, of those to the robot
VERSIONS = 0x01 | 0x02 | 0x08  # what can be requested: hardware, firmware, the unique number
SEQUENCES = 7  # tunes that the robot knows
RIGHT, CENTRE, LEFT = 1, 2, 4  # bits of bumpers and cliffs
RIGHT_DROP, LEFT_DROP = 1, 2
OVER_LEFT, OVER_RIGHT = 1, 2
ADAPTER = 16  # bit of the charger's byte: the cable, not the dock
STRAIGHT, ON_THE_SPOT = 0, 1  # radii with a meaning of their own
STAMP = 1 << 16  # ms; encoders wrap there too


def checksum(rest: bytes | bytearray) -> int:
    """Of length and payload; 0 where the checksum itself is among them and right."""
    return functools.reduce(operator.xor, rest, 0)


def packet(*parts: tuple[int, bytes]) -> bytes:
    """A whole packet of sub-payloads, (number, data); ValueError for more than one holds."""
    payload = b"".join(bytes([number, len(data)]) + data for number, data in parts)
    if not SHORTEST <= len(payload) <= LONGEST:
        raise ValueError(f"a payload of {len(payload)} bytes: expected {SHORTEST} to {LONGEST}")
    rest = bytes([len(payload)]) + payload
    return HEADER + rest + bytes([checksum(rest)])


def drive(speed: int, radius: int) -> bytes:
    """Base control: mm/s of the outer wheel and mm of the arc's radius, left positive; see `course`."""
    return packet((BASE_CONTROL, struct.pack("<hh", speed, radius)))


def request(what: int) -> bytes:
    return packet((REQUEST, struct.pack("<H", what)))


def play(sequence: int) -> bytes:
    return packet((SEQUENCE, bytes([sequence])))


def course(left: int, right: int, base: float) -> tuple[int, int]:
    """Speed and radius of base control for wheel speeds in mm/s on a wheel base in mm. The speed is that of the
    outer wheel; on the spot, where the radius is 1, that of the right one."""
    if left == right:
        return right, STRAIGHT
    radius = round(base / 2 * (left + right) / (right - left))
    if abs(radius) <= ON_THE_SPOT:
        return round((right - left) / 2), ON_THE_SPOT
    if abs(radius) >= 1 << 15:
        return round((left + right) / 2), STRAIGHT
    return (right if radius > 0 else left), radius


def wheels(speed: int, radius: int, base: float) -> tuple[float, float]:
    """Wheel speeds, left and right, in mm/s, that base control makes on a wheel base in mm."""
    if radius == STRAIGHT:
        return float(speed), float(speed)
    if abs(radius) <= ON_THE_SPOT:
        return -float(speed), float(speed)
    inner = speed * (abs(radius) - base / 2) / (abs(radius) + base / 2)
    return (inner, float(speed)) if radius > 0 else (float(speed), inner)


STOP = drive(0, STRAIGHT)
PADDING = bytes(16)
"""Sent before each order: all that a packet of ours can want that lost its end, so that it eats no other."""
HALT = PADDING + STOP + bytes(256) + STOP
"""Stops the wheels whatever was cut half-way before. A cut packet takes the next bytes for its own: those that
robotd sends want 7 at most, so that the first stop counts; the second comes after all that a length can want."""


class PacketParser(FrameParser[list[tuple[int, bytes]]]):
    """The sub-payloads, (number, data), of each packet; `sizes`: of the data of those that are known."""

    header = HEADER

    def __init__(self, sizes: Mapping[int, int] = SIZES) -> None:
        super().__init__()
        self._sizes = sizes

    def size(self, begun: bytes) -> int:
        if not SHORTEST <= begun[2] <= LONGEST:
            raise ValueError("length")
        return 4 + begun[2]

    def parse(self, whole: bytes) -> list[tuple[int, bytes]] | None:
        """See `FrameParser`; a packet that is whole and cannot be read holds no other."""
        if checksum(whole[2:]):
            raise ValueError("checksum")
        try:
            return _parts(whole[3:-1], self._sizes)
        except ValueError as error:
            self.counts[str(error)] += 1
            return None


def _parts(payload: bytes, sizes: Mapping[int, int]) -> list[tuple[int, bytes]]:
    """Its sub-payloads; ValueError, its message the reason, where one is cut or not as long as is known."""
    found, at = [], 0
    while at < len(payload):
        number, size = payload[at], payload[at + 1] if at + 1 < len(payload) else len(payload)
        data = payload[at + 2 : at + 2 + size]
        if len(data) < size or sizes.get(number, size) != size:
            raise ValueError("sub-payload")
        found.append((number, data))
        at += 2 + size
    return found


class Core(NamedTuple):
    """The sub-payload `CORE`, field by field in the robot's units; bits as above."""

    stamp: int  # ms
    bumpers: int = 0
    drops: int = 0
    cliffs: int = 0
    left: int = 0  # counts
    right: int = 0
    left_duty: int = 0
    right_duty: int = 0
    buttons: int = 0
    charger: int = 0  # 0 for none
    battery: int = 160  # tenths of a volt
    over: int = 0


_CORE = struct.Struct("<HBBBHHbbBBBB")


def build_core(core: Core) -> bytes:
    return _CORE.pack(*core)


def parse_core(data: bytes) -> Core:
    """The contents of 15 bytes of data."""
    return Core._make(_CORE.unpack(data))


def data_of(parts: Sequence[tuple[int, bytes]], number: int) -> bytes | None:
    """The data of the first sub-payload with a number; None where there is none."""
    return next((data for own, data in parts if own == number), None)
