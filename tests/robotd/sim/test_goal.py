"""When a simulated mission is accomplished: facts and a state of the world that its file names."""

import re
from typing import Any

import pytest

from boards.mock.settings import BodySpec, WorldSettings
from boards.mock.world import World, progress
from robotd.config.load import ConfigError, Mission, find_mission, load_mission

from .small import run


def mission(goal: dict[str, list[str]], **changes: Any) -> Mission:
    """A patrol with this goal, whose first round is short."""
    table = {f"goal.{key}": value for key, value in goal.items()}
    short = {"sets.first-round.parameters.round_s": 9.0}
    return load_mission(find_mission("patrol"), {**table, **short, **changes})


def ends(goal: dict[str, list[str]]) -> float:
    """When it is accomplished, s."""
    outcome = run(for_s=90.0, mission=mission(goal)).outcome
    return outcome.duration_s if outcome.accomplished else float("inf")


def test_a_mission_ends_once_a_robot_knows_the_facts_of_its_goal() -> None:
    assert ends({"facts": ["first-driven"]}) < 20.0
    assert ends({}) > 40.0
    assert mission({}).content.goal_facts() == {"first-driven", "second-driven", "third-driven"}


@pytest.mark.parametrize(("aims", "accomplished"), [([], True), (["finish"], False)])
def test_a_goal_of_the_world_is_asked_besides(aims: list[str], accomplished: bool) -> None:
    which = mission({"facts": ["first-driven"], "world": aims}, **{"world.finish.y_m": 4.9})
    outcome = run(for_s=30.0, mission=which).outcome
    assert outcome.accomplished == accomplished
    asked, last = r"\d of 3 robots are past the finish; " if aims else "", r"first-round, by \w+ at \d+ s"
    assert re.fullmatch(rf"{asked}the last task done was {last}", outcome.ending)


def test_pucks_count_where_a_robot_is_at_each_and_only_where_they_are_asked_for() -> None:
    pucks = [{"colour": "red", "x_m": 1.0, "y_m": 1.0}, {"colour": "blue", "x_m": 3.0, "y_m": 3.0}]
    team = [BodySpec("a", "r2", 1, x_m=1.0, y_m=0.72), BodySpec("b", "r2", 2, x_m=3.0, y_m=2.6)]
    world = World(WorldSettings(spills=(), pucks=pucks), team, 1)
    assert progress(world, ["touched"]) == (1, 2)
    assert progress(world) == (0, 0)


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ({"goal.facts": ["first-drivn"]}, "first-driven"),
        ({"goal.world": ["boxes"]}, "'box'"),
        ({"goal.world": ["box"]}, "has nothing for 'box'"),
        ({"goal.facts": [], "goal.world": []}, "without a goal"),
    ],
)
def test_a_goal_that_names_nothing_is_refused(goal: dict[str, list[str]], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        load_mission(find_mission("patrol"), goal)
