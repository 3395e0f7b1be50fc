"""What a plan must withstand: loss, loops, deaths, restarts, partitions, and different senses."""

from typing import Any

import pytest

from motivation.bite.words import DECIDES, EXECUTES, FINISHED
from tests.motivation.bite.team import ENDLESS, NAMES, Bot, Team

JOINT = {"team": "all", "terminate": "all"}
LOOP = {
    "a": {"next": ["a", "b"], "decide": "vote", **JOINT}, "b": {"next": ["a", "c"], "decide": "leader", **JOINT},
    "c": JOINT,
}  # fmt: skip


def either(graph: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {name: {**own, **changes} for name, own in graph.items()}


def test_trap_b1_the_end_of_a_parent_leaves_the_child_in_the_same_decision() -> None:
    graph = {"walk": {"first": ["lead"], "next": ["rest"], **JOINT}, "lead": {}, "rest": JOINT}
    team = Team(graph, {"r1": Bot({"walk": 3.0}, ENDLESS)}).run(7.0)
    at = [at for at, event in team["r1"].events if event.kind == "terminated" and event.task == "walk"]
    assert len(at) == 1
    assert team["r1"].history[2] == (at[0], ("rest",))


def test_trap_b3_no_robot_leaves_a_point_on_a_vote_of_another_round() -> None:
    """`a` and `b` follow each other for twenty rounds, with another choice in each round."""

    def enabled(name: str, now: float) -> bool:
        return name != "c" and (name == "a" or int(now / 7.0) % 2 == 0)

    bots = {name: Bot(takes_s=0.5, enabled=enabled) for name in NAMES}
    team = Team(LOOP, bots, loss=0.3, seed=3, decision_s=0.5).run(130.0)
    points = team.departures()
    assert len(points) >= 20
    assert {len(choices) for choices in points.values()} == {1}


def test_trap_b4_no_robot_waits_for_one_that_is_lost() -> None:
    team = Team({"a": {"next": ["b"], **JOINT}, "b": JOINT}, {name: Bot(takes_s=3.0) for name in NAMES})
    team.at(3.0, lambda: team.kill("r1"))
    team.run(20.0)
    starts = [robot.when("b") for robot in team.live]
    assert all(2.0 < first - 3.0 <= 9.0 for (first,) in starts)
    assert abs(starts[0][0] - starts[1][0]) <= team.decision_s


@pytest.mark.parametrize("decide", ["vote", "leader"])
def test_trap_b4_the_next_robot_counts_where_the_teller_is_lost(decide: str) -> None:
    team = Team(either(LOOP, decide=decide), {name: Bot(takes_s=2.0) for name in NAMES})
    team.run(20.0, lambda: any(robot.phase == DECIDES for robot in team.live))
    team.kill("r1")
    team.run(team.now + 16.0)
    assert [robot.stack[0][1] >= 1 for robot in team.live] == [True, True]
    assert {len(choices) for choices in team.departures().values()} == {1}


@pytest.mark.parametrize(("loss", "beats", "apart_s"), [(0.0, 0.0, 0.25), (0.0, 2.0, 0.25), (0.3, 3.0, 1.0)])
def test_trap_b5_all_begin_together(loss: float, beats: float, apart_s: float) -> None:
    graph = {"a": {"next": ["b", "c"], "decide": "vote", **JOINT}, "b": JOINT, "c": JOINT}
    for seed in range(2 if loss else 1):
        bots = {name: Bot(takes_s=2.0 + k) for k, name in enumerate(NAMES)}
        team = Team(graph, bots, loss=loss, seed=seed, start_beats=beats)
        team.run(40.0, lambda team=team: all(robot.when("b") for robot in team.live))
        starts = [robot.when("b")[0] for robot in team.live]
        assert max(starts) - min(starts) <= apart_s


def test_trap_b6_a_robot_that_does_not_sense_the_candidate_takes_part() -> None:
    graph = {"a": {"next": ["b", "c"], "decide": "vote", **JOINT}, "b": JOINT, "c": JOINT}
    sees = {"r1": "c", "r2": "c", "r3": "b"}
    bots = {
        name: Bot(takes_s=2.0, enabled=lambda one, now, mine=mine: one in ("a", mine))
        for name, mine in sees.items()
    }
    team = Team(graph, bots).run(9.0)
    assert [robot.stack for robot in team.live] == [(("c", 1),)] * 3


@pytest.mark.parametrize(("wait", "phase"), [(True, EXECUTES), (False, FINISHED)])
@pytest.mark.parametrize("decide", ["vote", "leader", "agreed"])
def test_trap_b7_without_an_enabled_successor_the_chain_ends_or_waits(decide: str, wait: bool, phase: int) -> None:
    graph = {"a": {"next": ["b"], "wait": wait, "decide": decide, **JOINT}, "b": JOINT}
    bots = {name: Bot({"b": ENDLESS}, 2.0, enabled=lambda one, now: one == "a" or now > 9.0) for name in NAMES}
    team = Team(graph, bots).run(14.0)
    assert [robot.phase for robot in team.live] == [phase] * 3
    assert {robot.stack for robot in team.live} == {((("b", 1) if wait else ("a", 0)),)}


@pytest.mark.parametrize("remembers", [True, False])
def test_trap_b8_a_rebooted_robot_takes_up_the_stack_of_its_team_and_never_begins_again(remembers: bool) -> None:
    graph = {"a": {"next": ["b"], **JOINT}, "b": {"next": ["c"], **JOINT}, "c": JOINT}
    team = Team(graph, {name: Bot({"b": ENDLESS}, 2.0) for name in NAMES}).run(8.0)
    team.reboot("r2", remembers=remembers)
    before = len(team["r2"].history)
    team.run(11.0)
    assert team["r2"].stack == (("b", 1),)
    assert {run for _, run in team["r2"].history[before:]} <= {(), ("b",)}


def test_trap_b8_a_robot_that_is_alone_after_a_reboot_continues_where_it_was() -> None:
    graph = {"a": {"next": ["b"], **JOINT}, "b": JOINT}
    team = Team(graph, {"r1": Bot({"b": ENDLESS}, 2.0)}).run(6.0)
    team.reboot("r1")
    team.run(9.0)
    assert team["r1"].stack == (("b", 1),)


def test_trap_b9_halves_that_decided_differently_meet_on_one_stack() -> None:
    graph = {"a": {"next": ["b", "c"], "decide": "vote", **JOINT}, "b": JOINT, "c": JOINT}
    bots = {
        name: Bot({"a": 2.0}, ENDLESS, enabled=lambda one, now, k=k: one != ("b" if k == 2 else "c"))
        for k, name in enumerate(NAMES)
    }
    team = Team(graph, bots)
    team.channel.cut = lambda sender, receiver: team.now < 40.0 and (sender == 3) != (receiver == 3)
    team.run(39.0)
    assert [robot.stack for robot in team.live] == [(("b", 1),), (("b", 1),), (("c", 1),)]
    team.run(45.0)
    assert [robot.stack for robot in team.live] == [(("b", 1),)] * 3


def test_trap_b9_the_half_that_is_further_prevails() -> None:
    graph = {"a": {"next": ["b"], **JOINT}, "b": {"next": ["c"], **JOINT}, "c": JOINT}
    bots = {name: Bot({"a": 2.0, "b": 2.0 if name == "r3" else ENDLESS}, ENDLESS) for name in NAMES}
    team = Team(graph, bots)
    team.channel.cut = lambda sender, receiver: team.now < 40.0 and (sender == 3) != (receiver == 3)
    team.run(45.0)
    assert [robot.stack for robot in team.live] == [(("c", 2),)] * 3


def test_trap_b11_where_only_the_leaf_changes_the_parents_stay() -> None:
    graph = {"a": {"first": ["b"]}, "b": {"first": ["c"]}, "c": {"next": ["d"]}, "d": {}}
    team = Team(graph, {"r1": Bot({"c": 2.0}, ENDLESS)}).run(6.0)
    assert [run for _, run in team["r1"].history][1:] == [("a", "b", "c"), ("a", "b", "d")]
    assert team["r1"].coordinator is not None
    assert [event.kind for event in team["r1"].said("entered")] == ["entered"]


def test_trap_b13_by_sight_two_robots_may_take_one_place_and_by_agreed_order_never() -> None:
    graph = {"walk": {"first": ["left", "right"], **JOINT}, "left": {}, "right": {}}
    sight, agreed = (either(graph, allocate=how) for how in ("by-sight", "agreed"))
    for one in (sight, agreed):
        one["left"] = one["right"] = {}
    seen = {"r1": Bot({}, ENDLESS, fitness={"left": 0.9}), "r2": Bot({}, ENDLESS, fitness={"left": 0.8})}
    assert [robot.run[-1] for robot in Team(sight, seen).run(4.0).live] == ["left", "left"]
    assert [robot.run[-1] for robot in Team(agreed, seen).run(4.0).live] == ["left", "right"]


@pytest.mark.parametrize(("looks", "decisions"), [(1, 0), (2, 1), (5, 4)])
def test_by_sight_a_place_is_taken_that_was_the_best_in_so_many_decisions(looks: int, decisions: int) -> None:
    graph = {"walk": {"first": ["left", "right"], "allocate": "sight", **JOINT}, "left": {}, "right": {}}
    library = {"sight": {"protocol": "by-sight", "looks": looks}}
    team = Team(graph, {"r1": Bot({}, ENDLESS, fitness={"left": 0.9})}, interactions=library).run(6.0)
    (allocated,) = team["r1"].said("allocated")
    assert (allocated.data["child"], allocated.data["took_s"]) == ("left", decisions * team.decision_s)


def test_by_sight_a_robot_that_cannot_make_up_its_mind_takes_none() -> None:
    graph = {"walk": {"first": ["left", "right"], "allocate": "by-sight", **JOINT}, "left": {}, "right": {}}
    bot = Bot({}, ENDLESS)
    team = Team(graph, {"r1": bot})
    for k in range(1, 20):
        bot.fitness = {"left": 0.9} if k % 2 else {"right": 0.9}
        team.run(k * team.decision_s)
    assert team["r1"].said("allocated") == []
    assert team["r1"].run == ("walk",)


def test_the_first_to_finish_ends_it_for_all_and_alone_for_itself() -> None:
    graph = {"a": {"next": ["b"], "team": "all", "terminate": "first"}, "b": JOINT}
    bots = {name: Bot({"b": ENDLESS}, 2.0 if name == "r2" else ENDLESS) for name in NAMES}
    assert [robot.run for robot in Team(graph, bots).run(6.0).live] == [("b",)] * 3
    graph["a"]["terminate"] = "alone"
    assert [robot.run for robot in Team(graph, bots).run(6.0).live] == [("a",), ("b",), ("a",)]


def test_a_vote_may_have_its_teller_chosen_by_another_vote() -> None:
    graph = {"a": {"next": ["b", "c"], "decide": "count", **JOINT}, "b": JOINT, "c": JOINT}
    library = {"count": {"protocol": "vote", "teller": "first-vote"}, "first-vote": {"protocol": "vote"}}
    team = Team(graph, {name: Bot({"b": ENDLESS}, 2.0) for name in NAMES}, interactions=library).run(16.0)
    assert [robot.stack for robot in team.live] == [(("b", 1),)] * 3


def test_a_robot_of_another_sub_team_follows_without_acting() -> None:
    scouts = {"team": "scouts", "terminate": "all"}
    graph = {"a": {"next": ["b"], **JOINT}, "b": {"next": ["c"], **scouts}, "c": JOINT}
    bots = {name: Bot({"c": ENDLESS}, 2.0) for name in NAMES}
    team = Team(graph, bots, teams={"scouts": ["r1", "r2"]}).run(9.0)
    assert [run for _, run in team["r3"].history] == [(), ("a",), (), ("c",)]
    assert [robot.stack for robot in team.live] == [(("c", 2),)] * 3
