"""A task that a person adds at run time: its words are checked against the mission."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from motivation.alliance.alliance import Alliance
from robotd.config.load import load_mission
from robotd.config.task_order import check_order, split_order
from robotd.files.plugins import Plugins

CLEANUP = load_mission(Path(__file__).parents[3] / "robotd" / "missions" / "cleanup.toml")


class Terms(BaseModel):
    """Terms of a task."""

    length_s: float = 60.0


class Market(Alliance):
    """A coordinator with terms."""

    TaskSettings = Terms


@pytest.fixture
def plugins() -> Plugins:
    return Plugins({"robotd.coordinators": {"alliance": Market}})


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("find-locations", ("find-locations",)),
        ("move-spill-left:spill=right,length_s=90", ("move-spill-left", "spill=right", "length_s=90")),
    ],
)
def test_an_order_of_one_word_is_split_and_what_the_mission_knows_is_taken(
    word: str, words: tuple[str, ...], plugins: Plugins
) -> None:
    assert split_order(word) == words
    check_order(words, CLEANUP.content, plugins)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ((), "find-locations"),
        (("find-location",), "'find-locations'"),
        (("move-spill-left", "spill"), "KEY=VALUE"),
        (("move-spill-left", "spil=left"), "'spill'"),
        (("move-spill-left", "spill=middle"), "one of 'left'"),
        (("move-spill-left", "length_s=long"), "length_s: expected a number"),
        (("find-locations", "lenght_s=3"), "'length_s'"),
    ],
)
def test_what_the_mission_does_not_know_is_refused_with_the_nearest_name(
    words: tuple[str, ...], part: str, plugins: Plugins
) -> None:
    with pytest.raises(ValueError, match=part):
        check_order(words, CLEANUP.content, plugins)


def test_without_terms_of_the_coordinator_a_task_takes_its_own_arguments_alone() -> None:
    with pytest.raises(ValueError, match="'find-locations' takes no argument"):
        check_order(("find-locations", "length_s=3"), CLEANUP.content, CLEANUP.plugins)
