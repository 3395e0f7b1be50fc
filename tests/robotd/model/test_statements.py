"""Statement kinds: what a coordinator may declare beside the built-in ones."""

from __future__ import annotations

import pytest

from robotd.model.statements import StatementKind, check_own

VOTE = StatementKind("vote", 12, (("task", "task"), ("for", "robot")), key=1)


def test_kinds_with_names_and_numbers_of_their_own_stand_beside_the_built_in_ones() -> None:
    check_own(())
    check_own((VOTE, StatementKind("veto", 15, (("task", "task"),))))


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (StatementKind("bid", 13, ()), "statement kind 'bid' is there already, with number 9"),
        (StatementKind("vote", 13, ()), "statement kind 'vote' is there already, with number 12"),
        (StatementKind("veto", 11, ()), "'veto' has number 11; expected one from 12 to 15"),
        (StatementKind("veto", 16, ()), "'veto' has number 16; expected one from 12 to 15"),
        (StatementKind("veto", 12, ()), "12 is the number of statement kind 'vote' already"),
        (
            StatementKind("veto", 13, (("why", "text"),)),
            "'veto': why is of no type 'text'; expected robot, task, ",
        ),
        (StatementKind("veto", 13, (("task", "task"),), key=2), "'veto' has 1 fields, not a key of 2"),
    ],
)
def test_a_kind_that_would_be_taken_for_another_or_cannot_be_said_is_refused(kind, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        check_own((VOTE, kind))
