"""What a robot with BITE says of each of its sets: where the plan is, its robots, what is decided inside."""

from .team import Bot, Team
from .test_allocate import team

GRAPH = {"job": {"first": ["a"], "team": "all", "terminate": "all"}, "a": {}}


def whys(one: Team, robot: str) -> dict[str, str]:
    return {level.set: level.why for level in one[robot].choice.levels}


def test_a_robot_says_what_it_executes_and_where_the_plan_is() -> None:
    two = Team(
        {**GRAPH, "job": {**GRAPH["job"], "next": ["b"]}, "b": {}}, {n: Bot({"a": 5.0}) for n in ("r1", "r2")}
    )
    two.run(1.0)
    assert set(whys(two, "r1").values()) == {"listens for its team before the plan begins"}
    two.run(60.0, lambda: two["r1"].run[-1:] == ("a",))
    assert whys(two, "r1") == {"do-job": "executes it", "do-a": "executes it", "do-b": "the plan is at job > a"}
    assert {tuple(level.scores.items()) for level in two["r1"].choice.levels} == {
        (("executed", 1.0),), (("executed", 0.0),),
    }  # fmt: skip


def test_where_a_coordinator_inside_has_the_sets_its_own_scores_and_reasons_are_there() -> None:
    three = team("alliance", decision_s=0.5)
    three.run(60.0, lambda: any(len(robot.run) > 1 for robot in three.live))
    (robot, *_) = [robot for robot in three.live if len(robot.run) > 1]
    inside = [level for level in robot.choice.levels if "motivation" in level.scores]
    assert [level.set for level in inside if level.why == "active"] == [f"do-{robot.run[-1]}"]
    assert {level.set for level in robot.choice.levels if "executed" in level.scores} == {"do-job"}


def test_the_robots_that_execute_a_part_are_named() -> None:
    three = team("agreed", decision_s=0.5)
    three.run(60.0, lambda: all(len(robot.run) > 1 for robot in three.live))
    three.run(three.now + 3.0)  # each has received the others' paths
    (first, second, *_) = three.live
    assert whys(three, first.name)[f"do-{second.run[-1]}"] == f"{second.name} executes it"
