"""A tune begins once while commands go on naming it."""

from __future__ import annotations

from boards.latch import Tunes


def test_a_tune_begins_once_and_again_only_after_another_or_none() -> None:
    tunes = Tunes()
    begun = []
    for wanted in (None, 1, 1, 2, 2, None, 2):
        tunes.want(wanted)
        begun.append(tunes.take())
    assert begun == [None, 1, None, 2, None, None, 2]


def test_one_that_could_not_yet_begin_is_due_until_it_is_taken() -> None:
    tunes = Tunes()
    tunes.want(3)
    tunes.want(3)
    tunes.want(None)
    assert (tunes.take(), tunes.take()) == (3, None)
