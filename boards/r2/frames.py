"""The R-2's serial protocol as bytes: frames and layouts, for the driver and for the board's side alike.

`docs/r2-protocol.md` is the same in words. A frame is 00, COBS(kind, body, CRC-16), 00; numbers are big-endian.
"""

from typing import Any

import construct as c

from boards.parser import LineParser
from robotd.model.cobs import crc16, decode, encode

VERSION = 1
HELLO, DRIVE, STOP = 0x01, 0x02, 0x03  # to the board
IDENTITY, SENSES = 0x81, 0x82  # from it
LONGEST = 200  # bytes of kind, body and CRC; the greatest, the identity of 16 ranges and 16 bumps, has 141

LEAVE, NO_TUNE = 0xFFFF, 0xFF  # drive: gripper axis as it is; nothing to play
NOTHING, NO_READING, STANDS_STILL = 0xFFFF, 0xFFFE, 0xFFFD  # ranges: nothing seen; sensor dead; failed self-check
NO_BATTERY = 0xFF
ABSENT, WORKS, DEAD, STUCK = 0, 1, 2, 3  # states of parts

_KINDS = {"u8": c.Int8ub, "u16": c.Int16ub, "s16": c.Int16sb, "s32": c.Int32sb}


def _fields(words: str) -> list[Any]:
    """Fields from `name kind` each, with commas between."""
    return [name / _KINDS[kind] for name, kind in (field.split() for field in words.split(","))]


_POSE = c.Struct(*_fields("x s32, y s32, heading s16, accuracy u16"))  # mm, mm, mrad, mm
_RANGE = c.Struct(*_fields("bearing s16, low u16, high u16"))  # 1e-4 rad, so that half a turn fits; mm, mm
_FLAGS = ("charging", "bump", "beam", "stalled", "lifted")
_PARTS = ("sound", "wheels", "gripper", "positioning", "motors")  # two bits each: their states

LAYOUTS: dict[int, Any] = {
    HELLO: c.Struct(*_fields("version u8"), c.Terminated),
    # Speeds in mm/s, axes in thousandths (LEAVE), expiry in ms.
    DRIVE: c.Struct(*_fields("number u8, left s16, right s16, opening u16, lift u16, tune u8, expiry u16"),
                    c.Terminated),
    STOP: c.Struct(c.Terminated),
    IDENTITY: c.Struct(
        # `started` is 1 where it is unasked, because the board was switched on; 0 in an answer to HELLO. mm/s; mm.
        *_fields("version u8, started u8, max_speed u16, wheel_base u16, radius u16"),
        "ranges" / c.PrefixedArray(c.Int8ub, _RANGE),
        "bumps" / c.PrefixedArray(c.Int8ub, c.Int16sb),  # bearings, 1e-4 rad
        c.Terminated,
    ),
    SENSES: c.Struct(
        *_fields("number u8, command u8"),  # of this frame; of the last drive frame taken
        "flags" / c.BitStruct("spare" / c.Const(0, c.BitsInteger(3)), *(flag / c.Flag for flag in _FLAGS)),
        "parts" / c.BitStruct("spare" / c.Const(0, c.BitsInteger(6)), *(one / c.BitsInteger(2) for one in _PARTS)),
        "battery" / c.Int8ub,  # 200ths; NO_BATTERY
        "driven" / c.Array(2, c.Int16sb),  # what the motors are commanded now, mm/s
        "speeds" / c.Array(2, c.Int16sb),  # measured, mm/s
        "odometry" / _POSE,
        "pose" / _POSE,
        *_fields("pose_age u8, ranges_age u8"),  # hundredths of a second, saturating
        *_fields("opening u16, lift u16"),  # thousandths
        "ranges" / c.PrefixedArray(c.Int8ub, c.Int16ub),  # mm, in the order of the identity
        *_fields("pressed u16, bumps_dead u16, bumps_stuck u16"),  # a bit per bump sensor, the first lowest
        c.Terminated,
    ),
}  # fmt: skip


def frame(kind: int, **fields: Any) -> bytes:
    """A whole frame as it goes down the line; ValueError where a field does not fit its place."""
    try:
        whole = bytes([kind]) + LAYOUTS[kind].build(fields)
    except c.ConstructError as error:
        raise ValueError(f"a frame of kind {kind:#04x} cannot hold {fields}: {error}") from None
    return b"\0" + encode(whole + crc16(whole).to_bytes(2, "big")) + b"\0"


HALT = frame(STOP)
"""Stops the motors whatever was cut half-way before: its first zero ends that, and its CRC distinguishes it."""


def unframe(coded: bytes) -> tuple[int, Any]:
    """Kind and fields of what stood between two zeros; ValueError, its message the reason in one word."""
    try:
        whole = decode(coded)
    except ValueError:
        raise ValueError("cut") from None
    if len(whole) < 3:
        raise ValueError("cut")
    if crc16(whole[:-2]) != int.from_bytes(whole[-2:], "big"):
        raise ValueError("crc")
    if whole[0] not in LAYOUTS:
        raise ValueError("kind")
    try:
        return whole[0], LAYOUTS[whole[0]].parse(whole[1:-2])
    except c.ConstructError:
        raise ValueError("body") from None


class FrameParser(LineParser[tuple[int, Any]]):
    """Kind and fields of frames between zero bytes; `counts`: cut, long, crc, kind, body."""

    longest = LONGEST + 1  # one byte of COBS overhead
    end = b"\0"

    def parse(self, line: bytes) -> tuple[int, Any]:
        return unframe(line)
