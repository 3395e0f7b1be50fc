"""Statement kinds: what a coordinator may declare beside the built-in ones."""

import pytest

from robotd.model.statements import StatementKind, number_own

VOTE = StatementKind("vote", fields=(("task", "task"), ("for", "robot")), key=1)


def test_own_kinds_are_numbered_in_declared_order_whatever_number_they_bring() -> None:
    assert number_own(()) == ()
    numbered = number_own((VOTE, StatementKind("veto", 3, (("task", "task"),))))
    assert [(kind.name, kind.number) for kind in numbered] == [("vote", 13), ("veto", 14)]


def test_further_own_kinds_share_the_number_of_one_of_another_size() -> None:
    kinds = [
        StatementKind(f"vote-{k}", fields=(("n", type_),)) for k, type_ in enumerate(("u8", "u8", "u16", "u8"))
    ]
    assert [kind.number for kind in number_own(kinds)] == [13, 14, 15, 15]


def test_more_own_kinds_of_one_size_than_numbers_are_refused() -> None:
    kinds = [StatementKind(f"vote-{k}") for k in range(4)]
    assert [kind.number for kind in number_own(kinds[:3])] == [13, 14, 15]
    with pytest.raises(ValueError, match="'vote-3' is one too many of 0 bytes; expected 3 at most"):
        number_own(kinds)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (StatementKind("bid"), "statement kind 'bid' is there already, with number 9"),
        (StatementKind("vote"), "statement kind 'vote' is there already, with number 13"),
        (
            StatementKind("veto", 13, (("why", "text"),)),
            "'veto': why is of no type 'text'; expected robot, task, ",
        ),
        (StatementKind("veto", 13, (("task", "task"),), key=2), "'veto' has 1 fields, not a key of 2"),
    ],
)
def test_a_kind_that_would_be_taken_for_another_or_cannot_be_said_is_refused(kind, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        number_own((VOTE, kind))
