"""docs/radio.md says what the radio does, to the byte."""

import importlib.metadata
import re
from pathlib import Path

from radio.authentication import Authentication
from radio.codec import Codec, Header, encode_header
from radio.framing import wrap
from radio.keys import Keys
from radio.reyax.lines import Packet, packet_line, send_command
from robotd.model.facts import FactKind
from robotd.model.statements import BUILT_IN, Statement
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Task
from tests.radio.modems import KINDS

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


def test_every_reason_for_a_refusal_has_a_line_with_its_meaning_and_what_to_do() -> None:
    folder = Path(__file__).parents[2] / "radio"
    source = "".join((folder / f"{name}.py").read_text("utf-8") for name in ("authentication", "own_number"))
    reasons = set(re.findall(r'return "([a-z-]+)"', source)) | {"replay", "old-epoch"}
    assert len(reasons) == 8
    table = re.findall(r"^\| `([a-z-]+)` \| [^|]+ \| [^|]+ \|$", DOCS, re.MULTILINE)
    assert reasons <= set(table)


def test_the_table_of_modems_has_every_modem_with_its_airtime_and_what_surrounds_a_frame() -> None:
    rows = {
        row[0]: row
        for row in re.findall(r"^\| `([a-z]+)` \| (.*) \| (.*) \| (.*) \| (.*) \|$", DOCS, re.MULTILINE)
    }
    modems = {point.name for point in importlib.metadata.entry_points(group="robotd.radios")}
    assert {name for name in modems if name in rows or name == "none"} == modems
    drivers = {kind.name.partition("-")[0]: kind.driver() for kind in KINDS}
    for name, modem in drivers.items():
        stated = float(re.match(r"[\d.]+", rows[name][4])[0])  # type: ignore[index]
        assert f"{modem.airtime(40) * 1000:.1f}" == f"{stated:.1f}" or round(modem.airtime(40) * 1000) == stated
    assert len(wrap(bytes(40))) - 40 == 5
    assert len(send_command(bytes(40))) - 40 == 15
    received = [len(packet_line(Packet(a, bytes(40), s, r))) - 40 for a, s, r in ((1, -40, 9), (65535, -100, -10))]
    assert rows["reyax"][3] == f"15 sent, {received[0]} to {received[1]} received, 8"


def test_every_count_of_the_modems_framing_is_named() -> None:
    folder = Path(__file__).parents[2] / "radio"
    names = ("framing", "modem_buffers", "xbee/modem", "xbee/frames", "reyax/modem", "reyax/lines")
    source = "".join((folder / f"{name}.py").read_text(encoding="utf-8") for name in names)
    reasons = set(re.findall(r'counts\["([a-z-]+)"\]', source)) | set(re.findall(r'"(n[a-z]+-[a-z]+)"', source))
    assert len(reasons) >= 9
    assert {reason for reason in reasons if f"`{reason}`" not in DOCS} == set()
