"""Frames on raw serial lines: consistent overhead byte stuffing and the CRC-16 inside.

Shared by boards and radios, which may not import each other. COBS: Cheshire and Baker, IEEE/ACM Transactions
on Networking 7(2), 1999.
"""

import binascii

_GROUP = 254  # the longest run of non-zero bytes that one code byte announces


def encode(data: bytes) -> bytes:
    """`data` without any zero byte, at most 1 + len / 254 bytes longer; the delimiter (0) is not added."""
    out = bytearray()
    run = b""
    for run in data.split(b"\0"):
        for start in range(0, len(run) + 1, _GROUP):
            part = run[start : start + _GROUP]
            out.append(len(part) + 1)
            out += part
    if run and len(run) % _GROUP == 0:
        out.pop()  # a full group at the very end needs no empty one after it
    return bytes(out)


def decode(data: bytes) -> bytes:
    """The inverse of `encode`; ValueError where `data` is empty, holds a zero, or ends inside a group."""
    if not data:
        raise ValueError("an empty COBS frame")
    if 0 in data:
        raise ValueError("a zero byte inside a COBS frame")
    out, at = bytearray(), 0
    while at < len(data):
        code, end = data[at], at + data[at]
        if end > len(data):
            raise ValueError(f"a COBS group of {code - 1} bytes with {len(data) - at - 1} left")
        out += data[at + 1 : end]
        if code <= _GROUP and end < len(data):
            out.append(0)
        at = end
    return bytes(out)


def crc16(data: bytes) -> int:
    """CRC-16 CCITT-FALSE: polynomial 0x1021, initial 0xFFFF, no reflection, no final XOR."""
    return binascii.crc_hqx(data, 0xFFFF)
