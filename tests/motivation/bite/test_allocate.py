"""Allocations: however the children are divided, all end, robots may be lost, and their number need not fit."""

from typing import Any

import pytest

from motivation.bite.interactions.market import ROUND_SHIFT
from motivation.bite.words import AWARD
from robotd.model.statements import Heard, Statement
from tests.motivation.bite.team import ENDLESS, NAMES, Bot, Team, freeze

CHILDREN = "abcde"
MOTIVATION = {
    "fast_rate": 30.0,
    "slow_rate": 1.0,
    "patience_s": 60.0,
    "yield_time_s": 80.0,
    "give_up_time_s": 200.0,
}
INSIDE = {
    "alliance": {"protocol": "nested", "coordinator": "alliance", "motivation": MOTIVATION},
    "murdoch": {
        "protocol": "nested", "coordinator": "murdoch", "leader": "introducer",
        "parameters": {"auction_beats": 3.0, "reannounce_s": 3.0},
    },
    "cobos": {"protocol": "nested", "coordinator": "cobos", "parameters": {"basis": ["drive"]}},
    "hasty": {"protocol": "market", "window_beats": 3.0},
}  # fmt: skip
PROTOCOLS = ("agreed", "market", "alliance", "murdoch", "cobos")
TERMS = {"ways": [["drive"]], "expected_s": 20.0}  # of a child, for COBOS


def team(protocol: str, children: str = CHILDREN, again: str = "reallocate", robots: int = 3, **more: Any) -> Team:
    """Children of single robots, each 6 s long, below one parent; each robot is fittest for another child."""
    leaf = {"terminate": again} if protocol not in INSIDE and again else {}
    job = {"first": list(children), "team": "all", "allocate": protocol, "terminate": "all"}
    names = [f"r{k}" for k in range(1, robots + 1)]
    bots = {
        name: Bot({"job": ENDLESS}, 6.0, fitness={children[-k - 1]: 0.9} if k < len(children) else {})
        for k, name in enumerate(names)
    }
    inside = {protocol: INSIDE[protocol]} if protocol in INSIDE else {}
    terms = dict.fromkeys(children, TERMS) if protocol == "cobos" else {}
    graph = {"job": job, **dict.fromkeys(children, leaf)}
    return Team(graph, bots, interactions=inside, terms=terms, given={"cobos": {"drive": 0.9}}, **more)


def completed(team: Team) -> set[str]:
    return {event.task for robot in team.robots.values() for event in robot.said("completed")}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_three_robots_complete_five_children_at_a_loss_of_30_percent(protocol: str) -> None:
    five = team(protocol, loss=0.3, seed=1, decision_s=0.5)
    five.run(100.0, five.is_finished)
    assert five.is_finished()
    assert completed(five) == set(CHILDREN)


@pytest.mark.parametrize("at_s", [2.5, 9.0])
@pytest.mark.parametrize("protocol", [*PROTOCOLS, "by-sight"])
def test_where_a_robot_is_lost_in_the_middle_the_others_complete_all(protocol: str, at_s: float) -> None:
    """While the team allocates, or works."""
    five = team(protocol, decision_s=0.5)
    five.at(at_s, lambda: five.kill("r1"))
    five.run(100.0, five.is_finished)
    assert five.is_finished()
    assert completed(five) == set(CHILDREN)


@pytest.mark.parametrize("protocol", ["alliance", "market", "cobos"])
def test_trap_b10_thawed_in_every_decision_it_decides_the_same(protocol: str) -> None:
    plain, thawed = (team(protocol, "abc", loss=0.2, seed=2, decision_s=0.5) for _ in range(2))
    for until in range(1, 13):
        plain.run(until)
        thawed.run(until)
        for robot in thawed.live:
            state = freeze(robot)
            robot.thaw(state)
            assert freeze(robot) == state
    assert [robot.history for robot in thawed.live] == [robot.history for robot in plain.live]


@pytest.mark.parametrize("protocol", ["agreed", "alliance"])
def test_a_recurring_child_is_done_again_and_the_parent_ends_without_it(protocol: str) -> None:
    two = team(protocol, "abc", robots=2, recurring=["c"], decision_s=0.5)
    for bot in two.bots.values():
        bot.takes |= {"a": 20.0, "b": 2.0, "c": 2.0}
    two.run(60.0, two.is_finished)
    assert two.is_finished()
    assert sum(event.task == "c" for robot in two.live for event in robot.said("completed")) >= 2


def test_what_a_robot_interrupts_is_still_its_own_for_the_coordinator_inside() -> None:
    """ALLIANCE: `c` recurs and preempts; a robot that holds `a` meanwhile keeps it, and no other takes it."""
    often = {**MOTIVATION, "fast_rate": 8.0, "preempts": True}
    inside = {**INSIDE["alliance"], "motivation": {**MOTIVATION, "exclusive": True}, "sets": {"c": often}}
    graph = {
        "job": {"first": ["a", "c"], "team": "all", "allocate": "alliance", "terminate": "all"},
        "a": {},
        "c": {},
    }
    bots = {name: Bot({"job": ENDLESS, "a": 30.0, "c": 2.0}) for name in NAMES[:2]}
    two = Team(graph, bots, interactions={"alliance": inside}, recurring=["c"], decision_s=0.5)
    held, on_a = set(), set()
    while two.now < 55.0 and not two.is_finished():
        two.run(two.now + 0.5)
        for robot in two.live:
            on_a |= {robot.name} if held and robot.run[-1:] == ("a",) else set()
            if robot.choice.held is not None:
                held.add((robot.name, robot.choice.held.id, robot.choice.statements[0].fields[1]))
    assert held == {(*on_a, "a", "a")}
    (who,) = on_a
    assert [event.task for event in two[who].said("terminated")] == ["c"] * len(two[who].said("suspended"))


def test_trap_b10_two_coordinators_inside_at_once_have_numbers_of_their_own() -> None:
    """MURDOCH allocates the children of a pair, and another one the pair, for which r1 alone has a set."""
    joint = {"team": "all", "terminate": "all", "allocate": "murdoch"}
    graph = {
        "job": {"first": ["pair", "c"], **joint},
        "pair": {"first": ["a", "b"], **joint},
        "a": {},
        "b": {},
        "c": {},
    }
    bots = {name: Bot({"job": ENDLESS, "pair": ENDLESS}, 6.0, structure=("pair",)) for name in NAMES}
    bots["r1"].structure = ()
    both = Team(graph, bots, interactions={"murdoch": INSIDE["murdoch"]}, decision_s=0.5)
    seen: set[int] = set()
    while both.now < 60.0 and not both.is_finished():
        both.run(both.now + 0.5)
        for robot in both.live:
            seen |= {int(one.fields[0]) // 16 for one in robot.choice.statements if one.kind == "announcement"}
            robot.thaw(freeze(robot))
    assert both.is_finished()
    assert seen == {1, 2}


def test_a_market_gives_each_robot_what_it_is_fittest_for_and_takes_three_messages() -> None:
    three = team("market", "abc", again="").run(8.0)
    assert [robot.run[-1] for robot in three.live] == ["c", "b", "a"]
    took = [event.data["took_s"] for robot in three.live for event in robot.said("allocated")]
    assert all(1.0 <= one <= 3.5 for one in took)


def test_an_award_of_a_child_that_there_is_not_is_ignored() -> None:
    three = team("market", "abc", again="").run(8.0)
    stated, job = three["r2"].choice.statements, sorted((*"abc", "job")).index("job") + 1
    false = Statement("ballot", (AWARD, job, 0, 1 << ROUND_SHIFT | 0o777))
    three["r1"].inbox.append(Heard(8.0, 2, 1, running=True, same_mission=True, statements=(stated[1], false)))
    assert [robot.run[-1] for robot in three.run(9.0).live] == ["c", "b", "a"]


@pytest.mark.parametrize("seed", range(3))
def test_a_robot_whose_bid_was_not_received_in_time_is_asked_again(seed: int) -> None:
    three = team("hasty", "abc", again="", loss=0.5, seed=seed)
    for bot in three.bots.values():
        bot.takes_s = ENDLESS
    three.run(30.0)
    assert sorted(robot.run[-1] for robot in three.live) == ["a", "b", "c"]


def test_agreed_order_takes_no_time_and_goes_by_number() -> None:
    three = team("agreed", "abc", again="").run(4.0)
    assert [robot.run[-1] for robot in three.live] == ["a", "b", "c"]
    assert [event.data["took_s"] for robot in three.live for event in robot.said("allocated")] == [0.0] * 3


@pytest.mark.parametrize("protocol", ["agreed", "market"])
def test_trap_b14_a_fourth_robot_is_a_reserve_and_of_too_many_children_the_first_are_taken(protocol: str) -> None:
    four = team(protocol, "abc", again="", robots=4).run(7.0)
    assert sorted(robot.run[-1] for robot in four.live) == ["a", "b", "c", "job"]
    two = team(protocol, "abc", again="", robots=2).run(7.0)
    assert sorted(robot.run[-1] for robot in two.live) == ["a", "b"]
    why = [event.cause for robot in two.live for event in robot.said("allocated")]
    assert all("without a robot: c" in one for one in why)


@pytest.mark.parametrize("protocol", ["agreed", "market"])
def test_a_reserve_ends_with_the_others(protocol: str) -> None:
    four = team(protocol, "abc", again="", robots=4)
    four.run(30.0, four.is_finished)
    assert four.is_finished()


@pytest.mark.parametrize("protocol", ["agreed", "market"])
def test_a_reserve_takes_the_place_of_a_robot_that_is_lost(protocol: str) -> None:
    four = team(protocol, "abc", again="", robots=4)
    for bot in four.bots.values():
        bot.takes_s = ENDLESS
    four.run(7.0)
    lost = next(robot for robot in four.live if robot.run[-1] == "a")
    four.kill(lost.name)
    four.run(22.0)
    assert sorted(robot.run[-1] for robot in four.live) == ["a", "b", "c"]


@pytest.mark.parametrize("protocol", ["agreed", "market"])
def test_four_robots_are_two_sub_teams_of_two_and_each_ends_its_chain_together(protocol: str) -> None:
    joint = {"team": "all", "terminate": "all"}
    graph = {
        "job": {"first": ["a", "b"], "allocate": protocol, **joint},
        "a": {"next": ["c"], **joint}, "b": joint, "c": joint,
    }  # fmt: skip
    bots = {f"r{k}": Bot({"job": ENDLESS, "a": 6.0 + k, "b": ENDLESS}, ENDLESS) for k in range(1, 5)}
    four = Team(graph, bots).run(7.0)
    pairs = {one: [robot for robot in four.live if robot.run[-1] == one] for one in "ab"}
    assert [len(pair) for pair in pairs.values()] == [2, 2]
    four.run(18.0)
    (first,), (second,) = (robot.when("job", "c") for robot in pairs["a"])
    assert abs(first - second) <= four.decision_s
    assert [robot.run[-1] for robot in pairs["b"]] == ["b", "b"]


def test_trap_b2_robots_below_two_parents_do_not_hold_each_other_back() -> None:
    """`search` is below both formations: a claim of it in the one says nothing in the other."""
    joint = {"team": "all", "terminate": "all"}
    inside = {"first": ["search", "walk"], "allocate": "alliance", **joint}
    graph: dict[str, dict[str, Any]] = {
        "job": {"first": ["triangle", "line"], "allocate": "agreed", **joint},
        "triangle": {**inside, "team": "left"}, "line": {**inside, "team": "right"}, "search": {}, "walk": {},
    }  # fmt: skip
    quick = {"alliance": {**INSIDE["alliance"], "motivation": {**MOTIVATION, "slow_rate": 0.01}}}
    bots = {name: Bot(dict.fromkeys(("job", "triangle", "line"), ENDLESS), ENDLESS) for name in NAMES[:2]}
    two = Team(graph, bots, interactions=quick, teams={"left": ["r1"], "right": ["r2"]}).run(12.0)
    assert two["r1"].run == ("job", "triangle", "search")
    assert two["r2"].run == ("job", "line", "search")
