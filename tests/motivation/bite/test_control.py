"""Algorithm 1, line by line, in a team over a channel that may lose frames."""

from typing import Any

import pytest

from tests.motivation.bite.team import ENDLESS, FORMATION, NAMES, Bot, Team

PARENTS = ("formation", "walk", "line-walk")
STARTS_S = 1.5  # the first decision after listening


def walkers() -> dict[str, Bot]:
    """Three robots whose parents end with their children, and that walk in a line from 25 s on."""

    def is_enabled(name: str, now: float) -> bool:
        return {"walk": now < 25.0, "line-walk": now >= 25.0}.get(name, True)

    return {
        name: Bot({**dict.fromkeys((*PARENTS, "left", "right"), ENDLESS), "search": 3.0 + k}, enabled=is_enabled)
        for k, name in enumerate(NAMES)
    }  # fmt: skip


def chain(*names: str, **more: Any) -> dict[str, dict[str, Any]]:
    """A graph of behaviors that follow each other, of the whole team."""
    following = [[one] for one in names[1:]] + [[]]
    return {
        name: {"next": n, "team": "all", "terminate": "all", **more}
        for name, n in zip(names, following, strict=True)
    }


def test_a_formation_searches_walks_searches_again_and_ends_in_a_line() -> None:
    team = Team(FORMATION, walkers())
    team.run(90.0, team.is_finished)
    for robot, (place, last) in zip(
        team.live, (("lead", "lead"), ("left", "behind"), ("right", "last")), strict=True
    ):
        entered = [event.task for event in robot.said("entered") + robot.said("followed")]
        assert entered.count("walk") == 2
        assert robot.when("walk", place)
        assert robot.when("line-walk", last)
        assert robot.said("finished")
        assert robot.run == ()


@pytest.mark.parametrize("seed", range(2))
def test_at_a_loss_of_30_percent_it_ends_the_same(seed: int) -> None:
    team = Team(FORMATION, walkers(), loss=0.3, seed=seed)
    team.run(150.0, team.is_finished)
    assert team.is_finished()
    assert all(len(choices) == 1 for choices in team.departures().values())


def test_line_1_and_2_every_robot_begins_with_the_start_of_the_graph() -> None:
    team = Team(chain("a", "b"), NAMES).run(STARTS_S)
    assert [robot.run for robot in team.live] == [("a",)] * 3


def test_line_3_a_behavior_with_one_child_is_expanded_to_the_leaf() -> None:
    graph = {"a": {"first": ["b"]}, "b": {"first": ["c"]}, "c": {}}
    assert Team(graph, ["r1"]).run(STARTS_S)["r1"].run == ("a", "b", "c")


def test_line_4_the_whole_path_acts_and_line_5_what_lies_above_is_popped_with_its_parent() -> None:
    graph = {"walk": {"first": ["lead"], "next": ["rest"]}, "lead": {}, "rest": {}}
    team = Team(graph, {"r1": Bot({"walk": 4.0, "lead": ENDLESS})}).run(5.0)
    assert team["r1"].run == ("walk", "lead")
    team.run(6.0)
    assert team["r1"].run == ("rest",)
    assert [event.task for event in team["r1"].said("terminated")] == ["walk"]


def test_line_8b_the_end_of_a_chain_ends_its_parent() -> None:
    graph = {"walk": {"first": ["lead"], "next": ["rest"]}, "lead": {"next": ["follow"]}, "follow": {}, "rest": {}}
    team = Team(graph, {"r1": Bot({"walk": ENDLESS, "lead": 2.0, "follow": 2.0})}).run(7.0)
    assert [event.task for event in team["r1"].said("terminated")] == ["lead", "follow", "walk"]
    assert team["r1"].run == ("rest",)


def test_line_9_ends_when_the_stack_is_empty() -> None:
    team = Team(chain("a", "b"), NAMES).run(30.0)
    assert all(robot.run == () and robot.said("finished") for robot in team.live)
