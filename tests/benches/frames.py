"""Bytes on the air for the same fields: ours, MAVLink 2 signed, CBOR, JSON, each authenticated."""

import base64
import json
import struct
from collections.abc import Callable

from radio.authentication import Authentication
from radio.codec import HEADER, MAC, Codec, Header, encode_header
from radio.keys import Keys
from robotd.model.facts import FactKind
from robotd.model.statements import Statement
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Task
from tests.benches.measure import Figure

KEY = bytes(range(32))
TABLE = NumberTable(
    (Member("red", 1, "r2"), Member("green", 2, "r2")),
    (TaskEntry(Task("move", (), "move"), 2), TaskEntry(Task("report", (), "report"), 4)),
    (FactKind("goal", 3, "place"),),
)
HEADER_OF = Header(2, 5, running=True, digest=0x1234, epoch=481_000, counter=7)
BELOW = "below 1"


def ours() -> int:
    codec = Codec(TABLE)
    records = codec.encode(Statement("activity", ("move", "report", 12.5)))
    records += codec.encode(Statement("place", ("goal", 2 * 32 + 1, 2.5, -1.25, 40.0)))
    return len(Authentication(TABLE, 2, Keys((KEY,)), 1, None, None).seal(encode_header(HEADER_OF) + records))


def _numbers() -> list[object]:
    """All fields without their names, in the smallest whole numbers: the leanest that a format can be given.

    Robot 2 in run 5 is active on task 2, holds 4, has claimed for 12.5 beats; it states that fact 3, version 2 by
    robot 1, is the place (2.50 m, -1.25 m), known for 40 beats.
    """
    header = [1, 2, 5, 1, 0x1234, 481_000, 7]
    return [*header, 2, 4, 250, 3, 2, 1, 250, -125, 800]


def as_json() -> int:
    mac = base64.b64encode(bytes(range(200, 200 + MAC))).decode().rstrip("=")
    return len(json.dumps([*_numbers(), mac], separators=(",", ":")).encode())


def as_cbor() -> int:
    """CBOR (RFC 8949), its authenticator of eight bytes as a byte string. ImportError without cbor2."""
    import cbor2

    return len(cbor2.dumps([*_numbers(), bytes(MAC)]))


def as_mavlink() -> int:
    """A signed MAVLink 2 message with the same fields, packed as closely. ImportError without pymavlink.

    Its header has the sender and its signature the time, so that sender, epoch and counter are left out of the
    payload. What a frame takes beside its payload is measured on a message of pymavlink's.
    """
    from pymavlink.dialects.v20 import common

    payload = struct.pack("<BHBBHBHhhH", 5 << 1 | 1, 0x1234, 2, 4, 250, 3, 2 * 32 + 1, 250, -125, 800)
    link = common.MAVLink(None, srcSystem=2)
    link.signing.secret_key, link.signing.sign_outgoing, link.signing.timestamp = KEY, True, 1
    message = common.MAVLink_ping_message(time_usec=1 << 60, seq=1 << 30, target_system=1, target_component=1)
    beside = len(message.pack(link)) - 14  # a PING's own fields: 8, 4, 1 and 1 bytes
    return beside + len(payload)


def run() -> list[Figure]:
    """Ours against each; one whose library is not installed (extra `bench`) has a line without figures."""
    size = ours()
    figures = [Figure("frame of two statements", size, "B", detail=f"{HEADER} of header, {MAC} of authenticator")]
    others: tuple[tuple[str, Callable[[], int]], ...] = (
        ("MAVLink 2 signed", as_mavlink), ("CBOR", as_cbor), ("JSON", as_json)
    )  # fmt: skip
    for name, measure in others:
        try:
            theirs = measure()
        except ImportError as error:
            figures.append(Figure(f"bytes against {name}", 0.0, "x", detail=f"not measured: {error}"))
            continue
        value, detail = size / theirs, f"{size} B against {theirs} B"
        figures.append(Figure(f"bytes against {name}", value, "x", BELOW, value < 1.0, detail))
    return figures
