"""docs/radio.md says what the radio does, to the byte."""

from __future__ import annotations

import re
from pathlib import Path

from radio.authentication import Authentication
from radio.codec import Codec, Header, encode_header
from radio.keys import Keys
from robotd.model.facts import FactKind
from robotd.model.statements import BUILT_IN, Statement
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Task

DOCS = (Path(__file__).parents[2] / "docs" / "radio.md").read_text(encoding="utf-8")
TABLE = NumberTable(
    (Member("red", 1, "r2"), Member("green", 2, "r2")),
    (TaskEntry(Task("move", (), "move"), 2), TaskEntry(Task("report", (), "report"), 4)),
    (FactKind("goal", 3, "place"),),
)


def test_the_example_frame_is_exact() -> None:
    (block,) = re.findall(r"```\n([0-9a-f \n]+)```", DOCS)
    codec = Codec(TABLE)
    records = codec.encode(Statement("activity", ("move", "report", 12.5)))
    records += codec.encode(Statement("place", ("goal", 2 * 32 + 1, 2.5, -1.25, 40.0)))
    header = Header(2, 5, running=True, digest=0x1234, epoch=481_000, counter=7)
    sender = Authentication(TABLE, 2, Keys((bytes(range(32)),)), 1, None, None)
    assert sender.seal(encode_header(header) + records) == bytes.fromhex(block)


def test_the_table_of_kinds_is_the_codecs() -> None:
    rows = dict(re.findall(r"^\| (\w+) \| (\d+) \| \d+ \|", DOCS, re.MULTILINE))
    sizes = dict(re.findall(r"^\| (\w+) \| \d+ \| (\d+) \|", DOCS, re.MULTILINE))
    codec = Codec(TABLE)
    assert rows == {kind.name: str(kind.number) for kind in BUILT_IN}
    assert sizes == {kind.name: str(codec.size(kind.name)) for kind in BUILT_IN}


def test_every_reason_for_a_refusal_is_named() -> None:
    source = Path(__file__).parents[2] / "radio" / "authentication.py"
    reasons = set(re.findall(r'return "([a-z-]+)"', source.read_text(encoding="utf-8"))) | {"replay", "old-epoch"}
    assert len(reasons) == 7
    assert all(f"`{reason}`" in DOCS for reason in reasons)
