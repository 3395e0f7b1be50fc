"""What is said, in which order, and what is refused."""

from collections import Counter

import pytest

from radio.codec import RECORDS, Codec
from radio.outbox import Outbox, StatementRefusedError
from robotd.model.beliefs import Beliefs
from robotd.model.facts import Fact
from robotd.model.statements import MAX_PENDING, Statement
from tests.radio.helper import activity, table

TABLE = table(facts=12)
CODEC = Codec(TABLE)
NOTHING = Beliefs(TABLE, 1, 1, running=True)


def outbox() -> Outbox:
    return Outbox(TABLE, CODEC)


def bid(number: int, until: float = 1e9) -> Statement:
    return Statement("bid", (2, number, 0.5, 0), until)


def packed(box: Outbox, at: float, beliefs: Beliefs = NOTHING, *urgent: Statement) -> list[Statement]:
    records = box.pack(at, urgent, beliefs)
    assert sum(len(x) for x in records) <= RECORDS
    return list(CODEC.round(records))


def kinds(said: list[Statement]) -> list[str]:
    return [x.kind for x in said]


def test_states_are_repeated_until_the_next_decision_replaces_them_all() -> None:
    box = outbox()
    box.state(0.0, [activity(), bid(1)])
    assert kinds(packed(box, 1.0)) == kinds(packed(box, 4.0)) == ["activity", "bid"]
    box.state(5.0, [bid(1)])
    assert kinds(packed(box, 6.0)) == ["bid"]
    box.state(7.0, [])
    assert packed(box, 8.0) == []


def test_of_one_kind_and_key_the_last_holds() -> None:
    box = outbox()
    box.state(0.0, [activity("task-1"), activity("task-2"), bid(1), bid(2)])
    said = packed(box, 1.0)
    assert [x.fields[0] for x in said if x.kind == "activity"] == ["task-2"]
    assert [x.fields[1] for x in said if x.kind == "bid"] == [1, 2]


def test_a_state_that_comes_and_goes_does_not_keep_back_one_that_waits() -> None:
    box, sent = outbox(), []
    long = [Statement("announcement", (n, "task-1", 0, 4.0, 0.0, 0.0, 0)) for n in range(3)]
    for k in range(8):  # a frame holds one; 0 and 1 are stated anew by turns
        box.state(3.0 * k, [long[k % 2], long[2], activity()])
        sent += [x.fields[0] for x in packed(box, 3.0 * k + 1.0) if x.kind == "announcement"]
    assert 2 in sent[:2]


def test_nothing_is_said_past_its_until() -> None:
    box = outbox()
    box.state(0.0, [bid(1, until=2.0)])
    assert kinds(packed(box, 2.0)) == ["bid"]
    assert packed(box, 2.1) == []


def test_ages_are_right_at_the_instant_of_sending() -> None:
    box = outbox()
    box.state(10.0, [activity(claimed=2.0)])
    beliefs = NOTHING.learn([Fact("fact-1", (), 4.0)])
    (said, fact) = packed(box, 16.0, beliefs)
    assert said.fields[2] == 4.0  # six seconds more are two beats
    assert fact.fields == ("fact-1", 0, 4.0)


def test_a_frame_is_packed_by_priority_and_then_by_what_is_longest_unsaid() -> None:
    box = outbox()
    box.state(0.0, [*(bid(n) for n in range(6)), activity()])
    said = [packed(box, 3.0 * (k + 1), NOTHING, Statement("stop", (1, 1))) for k in range(6)]
    assert all(kinds(x)[:2] == ["stop", "activity"] for x in said)
    bids = [x.fields[1] for frame in said for x in frame if x.kind == "bid"]
    assert bids == [0, 1, 2, 3, 4, 5] * 2


def test_facts_fill_what_room_is_left_the_unsaid_first_and_take_turns() -> None:
    box = outbox()
    facts = [Fact(f"fact-{n}", {1: (), 2: (float(n),), 3: (1.0, 2.0), 0: (0.5,)}[n % 4]) for n in range(1, 13)]
    beliefs = NOTHING.learn(facts)
    box.state(0.0, [activity()])
    names = [[x.fields[0] for x in packed(box, 3.0 * k, beliefs)[1:]] for k in range(12)]
    said = Counter(name for frame in names for name in frame)
    assert set(said) == {fact.name for fact in facts}
    assert max(said.values()) - min(said.values()) <= 1
    changed = beliefs.learn([Fact("fact-2", (9.0,))])
    assert packed(box, 60.0, changed)[1].fields[:2] == ("fact-2", 9)


def test_an_empty_frame_is_a_sign_of_life() -> None:
    assert outbox().pack(1.0, (), NOTHING) == []


def test_more_than_sixteen_states_are_refused_loudly_and_sixteen_are_not() -> None:
    box = outbox()
    box.state(0.0, [bid(n) for n in range(MAX_PENDING)])
    assert box.pending == MAX_PENDING
    with pytest.raises(StatementRefusedError, match="17 states at once"):
        box.state(1.0, [bid(n) for n in range(MAX_PENDING + 1)])
    assert box.pending == MAX_PENDING


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        (activity("sing"), "no task 'sing'"),
        (Statement("gossip", (1,)), "no statement kind 'gossip'"),
        (Statement("activity", ("task-1",)), "3 fields"),
        (activity(claimed=float("nan")), "nan"),
        (Statement("bid", (1, "two", 0.5, 0)), "real|float"),
    ],
)
def test_what_cannot_be_said_is_refused_when_it_is_stated(statement: Statement, why: str) -> None:
    with pytest.raises(StatementRefusedError, match=why):
        outbox().state(0.0, [statement])
