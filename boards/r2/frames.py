"""The R-2's serial protocol as bytes: frames and layouts, for the driver and for the board's side alike.

`docs/r2-protocol.md` is the same in words. A frame is 00, COBS(kind, body, CRC-16), 00; numbers are big-endian.
"""

from __future__ import annotations

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

_STATE = c.BitsInteger(2)
_ANGLE = c.Int16sb  # ten-thousandths of a radian, so that half a turn fits
# mm, mm, mrad, mm
_POSE = c.Struct("x" / c.Int32sb, "y" / c.Int32sb, "heading" / c.Int16sb, "accuracy" / c.Int16ub)

LAYOUTS: dict[int, Any] = {
    HELLO: c.Struct("version" / c.Int8ub, c.Terminated),
    DRIVE: c.Struct(
        "number" / c.Int8ub,
        "left" / c.Int16sb,  # mm/s
        "right" / c.Int16sb,
        "opening" / c.Int16ub,  # thousandths; LEAVE
        "lift" / c.Int16ub,
        "tune" / c.Int8ub,
        "expiry" / c.Int16ub,  # ms
        c.Terminated,
    ),
    STOP: c.Struct(c.Terminated),
    IDENTITY: c.Struct(
        "version" / c.Int8ub,
        "started" / c.Int8ub,  # 1: unasked, because the board was switched on; 0: an answer to HELLO
        "max_speed" / c.Int16ub,  # mm/s
        "wheel_base" / c.Int16ub,  # mm
        "radius" / c.Int16ub,  # mm
        "ranges" / c.PrefixedArray(c.Int8ub, c.Struct("bearing" / _ANGLE, "low" / c.Int16ub, "high" / c.Int16ub)),
        "bumps" / c.PrefixedArray(c.Int8ub, _ANGLE),
        c.Terminated,
    ),
    SENSES: c.Struct(
        "number" / c.Int8ub,  # of this frame
        "command" / c.Int8ub,  # of the last drive frame taken
        "flags" / c.BitStruct("spare" / c.Const(0, c.BitsInteger(3)), "charging" / c.Flag, "bump" / c.Flag,
                              "beam" / c.Flag, "stalled" / c.Flag, "lifted" / c.Flag),
        "parts" / c.BitStruct("spare" / c.Const(0, c.BitsInteger(6)), "sound" / _STATE, "wheels" / _STATE,
                            "gripper" / _STATE, "positioning" / _STATE, "motors" / _STATE),
        "battery" / c.Int8ub,  # 200ths; NO_BATTERY
        "driven" / c.Array(2, c.Int16sb),  # what the motors are commanded now, mm/s
        "speeds" / c.Array(2, c.Int16sb),  # measured, mm/s
        "odometry" / _POSE,
        "pose" / _POSE,
        "pose_age" / c.Int8ub,  # hundredths of a second, saturating
        "ranges_age" / c.Int8ub,
        "opening" / c.Int16ub,  # thousandths
        "lift" / c.Int16ub,
        "ranges" / c.PrefixedArray(c.Int8ub, c.Int16ub),  # mm, in the order of the identity
        "pressed" / c.Int16ub,  # a bit per bump sensor, the first lowest
        "bumps_dead" / c.Int16ub,
        "bumps_stuck" / c.Int16ub,
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
"""Stops the motors whatever was cut half-way before: its first zero ends that, and its CRC tells it apart."""


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
