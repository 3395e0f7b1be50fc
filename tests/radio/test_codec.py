"""Records: every kind both ways, and whatever else may come."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radio.codec import Codec, Header, decode_header, encode_header
from robotd.model.beliefs import fact_of, statement_of
from robotd.model.facts import Fact, FactKind, as_sent
from robotd.model.statements import Statement, StatementKind
from robotd.model.table import NumberTable
from tests.radio.helper import OWN_KINDS, activity, table

TABLE = table().extended(OWN_KINDS, [FactKind("page-1"), FactKind("page-2")])
CODEC = Codec(TABLE)
TASKS = ("", "task-1", "task-2", "task-3")
REALS = st.floats(allow_nan=False)
SAID_AS = {"flag": "fact", "count": "fact", "place": "place", "scalar": "scalar", "page": "page"}


def values(field: str, kind: str) -> st.SearchStrategy[object]:
    """Values of a field type, in and out of range."""
    if field == "task":
        return st.sampled_from(TASKS)
    if field == "fact":
        return st.sampled_from([fact.name for fact in TABLE.facts if SAID_AS[fact.kind] == kind])
    if field in ("page9", "bytes7"):
        return st.tuples(*[REALS] * int(field[-1]))
    if field in ("beats", "age", "fixed8", "metres"):
        return REALS
    return st.integers(-10, 1 << 25)


@st.composite
def statements(draw: st.DrawFn) -> Statement:
    """Any statement of the mission."""
    kind = draw(st.sampled_from(list(TABLE.kinds.values())))
    return Statement(kind.name, tuple(draw(values(field, kind.name)) for _, field in kind.fields))


def decoded(records: bytes, codec: Codec = CODEC, *, same: bool = True) -> tuple[tuple[Statement, ...], Counter]:
    skipped: Counter[str] = Counter()
    return codec.decode(records, same_mission=same, skipped=skipped), skipped


@given(st.lists(statements(), max_size=4))
def test_what_is_decoded_is_what_was_sent_rounded_and_encodes_to_the_same(said: list[Statement]) -> None:
    first, skipped = decoded(b"".join(CODEC.encode(x) for x in said))
    again, _ = decoded(b"".join(CODEC.encode(x) for x in first))
    assert again == first
    assert [x.kind for x in first] == [x.kind for x in said]
    assert not skipped


@pytest.mark.parametrize(
    ("sent", "received"),
    [
        (activity(claimed=1.234), ("task-1", "", 1.25)),
        (activity(claimed=1e9), ("task-1", "", 65535 / 20)),
        (activity(claimed=math.inf), ("task-1", "", 65535 / 20)),
        (activity(claimed=-4.0), ("task-1", "", 0.0)),
        (Statement("place", ("fact-3", 33, 1e6, -1e6, 0.0)), ("fact-3", 33, 327.67, -327.68, 0.0)),
        (Statement("bid", (1, 300, 1.5, -3)), (1, 255, 1.0, 0)),
    ],
)
def test_values_are_rounded_and_saturate_at_what_their_bytes_hold(sent: Statement, received: object) -> None:
    assert decoded(CODEC.encode(sent))[0][0].fields == received


def test_nan_is_refused_and_so_are_unknown_names_and_kinds_and_missing_fields() -> None:
    with pytest.raises(ValueError, match="nan"):
        CODEC.encode(activity(claimed=math.nan))
    with pytest.raises(KeyError, match="no task 'sing'"):
        CODEC.encode(activity("sing"))
    with pytest.raises(KeyError, match="no statement kind 'gossip'"):
        CODEC.encode(Statement("gossip", ()))
    with pytest.raises(ValueError, match="has 3 fields, not 1"):
        CODEC.encode(Statement("activity", ("task-1",)))
    with pytest.raises(ValueError, match="expected 7 numbers, found 6"):
        CODEC.encode(Statement("page", ("page-1", 0, (0,) * 6, 0.0)))


@pytest.mark.parametrize(
    ("kind", "fields", "size"),
    [
        ("activity", ("task-1", "", 0.0), 5),
        ("fact", ("fact-1", 0, 0.0), 6),
        ("place", ("fact-3", 0, 0.0, 0.0, 0.0), 10),
        ("trial", ("task-1", 0, 0.0), 5),
        ("announcement", (0, "task-1", 0, 4.0, 1.0, -2.0, 0), 11),
        ("bid", (1, 0, 0.0, 0), 5),
        ("contract", (0, 1, 0, 0.0), 6),
        ("acknowledgement", (1, 0, 0.0), 4),
        ("cobos-task", ("task-1", 0), 4),
        ("suitability", (0, (0.0,) * 9), 11),
        ("page", ("page-1", 0, (0,) * 7, 0.0), 13),
        ("stop", (1, 0), 4),
        ("beacon", (3, 300), 4),
        ("epoch", (1, 0, 0), 7),
    ],
)
def test_records_take_the_bytes_that_the_frame_was_planned_with(
    kind: str, fields: tuple[object, ...], size: int
) -> None:
    assert len(CODEC.encode(Statement(kind, fields))) == size


def test_ages_count_on_while_a_statement_waits_and_other_durations_do_not() -> None:
    (waited,), _ = decoded(CODEC.encode(activity(claimed=2.0), waited_s=1.5))
    assert waited.fields[2] == 2.5
    (took,), _ = decoded(CODEC.encode(Statement("trial", ("task-1", 1, 2.0)), waited_s=1.5))
    assert took.fields[2] == 2.0


@given(st.binary(max_size=22))
def test_any_records_decode_to_statements_that_can_be_said_again(records: bytes) -> None:
    read, skipped = decoded(records)
    assert all(CODEC.encode(x) for x in read)
    assert len(read) + sum(skipped.values()) <= len(records)


def test_records_that_cannot_be_read_are_skipped_and_counted_and_the_next_is_read() -> None:
    good = CODEC.encode(activity())
    unread = {
        "unknown-kind": bytes((15 << 4 | 2, 1, 2)),
        "wrong-length": bytes((3 << 4 | 2, 1, 2)),
        "unknown-name": bytes((3 << 4 | 4, 99, 0, 0, 0)),
        "wrong-kind-of-fact": bytes((4 << 4 | 5, 3, 0, 0, 0, 0)),
    }
    for reason, record in unread.items():
        read, skipped = decoded(record + good)
        assert [x.kind for x in read] == ["activity"], reason
        assert skipped == {reason: 1}
    assert decoded(good[:-1]) == ((), {"wrong-length": 1})


def test_kinds_of_one_number_are_distinguished_by_their_sizes() -> None:
    kinds = [
        StatementKind(f"own-{k}", fields=(("n", one),)) for k, one in enumerate(("u8", "u8", "u16", "u8", "u24"))
    ]
    codec = Codec(table().extended(kinds))
    said = [Statement(kind.name, (k,)) for k, kind in enumerate(kinds)]
    records = [codec.encode(one) for one in said]
    assert [record[0] >> 4 for record in records] == [13, 14, 15, 15, 13]
    assert decoded(b"".join(records) + bytes((13 << 4 | 2, 0, 0)), codec) == (tuple(said), {"wrong-length": 1})


def test_a_kind_is_of_the_size_that_its_fields_take() -> None:
    assert {name: CODEC.size(name) for name in TABLE.kinds} == {
        one.name: 1 + one.size for one in TABLE.kinds.values()
    }


def test_under_another_table_only_what_means_the_same_everywhere_is_read() -> None:
    said = [Statement("stop", (2, 7)), Statement("beacon", (3, 300)), Statement("epoch", (1, 5, 6)), activity()]
    records = b"".join(CODEC.encode(x) for x in said)
    read, skipped = decoded(records, same=False)
    assert list(read) == said[:3]
    assert skipped == {"other-mission": 1}
    assert list(decoded(records)[0]) == said


@given(st.sampled_from(TABLE.facts), st.tuples(*[REALS] * 7), st.integers(1, 2047), st.integers(1, 31))
def test_a_fact_rounded_as_it_travels_arrives_as_it_is(kind, value, version, writer) -> None:
    sizes = {"flag": 0, "place": 2, "page": 7}
    stamp = (version, writer) if kind.versioned else (0, 0)
    fact = Fact(kind.name, as_sent(kind, value[: sizes.get(kind.kind, 1)]), 6.0, *stamp)
    (statement,), _ = decoded(CODEC.encode(statement_of(fact, TABLE, 12.0)))
    assert fact_of(statement, TABLE, 12.0) == fact


@given(
    st.integers(0, 31),
    st.integers(0, 127),
    st.booleans(),
    st.integers(0, 65535),
    st.integers(0, (1 << 24) - 1),
    st.integers(0, 65535),
)
def test_headers_go_both_ways(sender, run, running, digest, epoch, counter) -> None:
    header = Header(sender, run, running, digest, epoch, counter)
    assert decode_header(encode_header(header)) == header
    assert len(encode_header(header)) == 10


def test_a_kind_that_no_record_holds_is_refused_when_the_codec_is_made() -> None:
    wide = StatementKind("wide", 15, (("a", "page9"), ("b", "page9")))
    with pytest.raises(ValueError, match="'wide' takes 18 bytes"):
        Codec(NumberTable(TABLE.team, TABLE.tasks, TABLE.facts, (wide,)))
