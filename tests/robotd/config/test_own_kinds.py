"""Statement kinds that a coordinator brings: they are the mission's, and what is wrong with them is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from robotd.config.load import ConfigError, load_mission
from robotd.robot.build import build_mind
from tests.robotd.config.files import MISSION, PLUGINS, changed, line, write

VOTER = """
from robotd.model.statements import StatementKind

class Voter(Alliance):
    own_kinds = (StatementKind("vote", fields=(("task", "task"), ("weight", "fixed8")), key=1),)

ROBOTD["robotd.coordinators"]["voter"] = Voter
"""
VOTING = changed(MISSION, ("[coordinator.parameters]", '[coordinator]\nname = "voter"\n[coordinator.parameters]'))


def at(folder: Path, mission: str, plugins: str = PLUGINS + VOTER) -> Path:
    write(folder, mission=mission, plugins=plugins)
    return folder / "tidy.toml"


def test_the_number_table_has_the_kinds_of_the_coordinator_and_every_robot_the_same_table(tmp_path: Path) -> None:
    plain, voting = load_mission(at(tmp_path, MISSION)), load_mission(at(tmp_path, VOTING))
    assert [kind.name for kind in voting.table.own_kinds] == ["vote"]
    assert plain.table.own_kinds == ()
    assert plain.table.digest != voting.table.digest  # so that neither team reads the other's statements


def test_a_robot_speaks_with_the_table_of_its_mission() -> None:
    auction = Path(__file__).parents[3] / "docs" / "examples" / "auction.py"
    changes = {"plugins": [str(auction)], "coordinator.name": "auction"}
    mission = load_mission(Path(__file__).parents[3] / "robotd" / "missions" / "cleanup.toml", changes)
    mind = build_mind(mission.content, mission.plugins, "green", "command")
    assert [kind.name for kind in mind.beliefs.table.own_kinds] == ["auction-bid"]
    assert mind.beliefs.table == mission.table


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"vote"', '"bid"', "'voter' cannot be used: statement kind 'bid' is there already, with number 9"),
        ('"fixed8"', '"page9"), ("more", "page9"', "statement kind 'vote' takes 19 bytes; a record holds 15"),
    ],
)
def test_a_kind_that_cannot_be_said_is_a_fault_of_the_line_that_names_the_coordinator(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load_mission(at(tmp_path, VOTING, changed(PLUGINS + VOTER, (old, new))))
    (fault,) = caught.value.problems
    assert (fault.key, fault.line) == ("coordinator.name", line(VOTING, 'name = "voter"'))
    assert words in fault.message
