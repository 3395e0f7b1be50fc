"""The mission formation as a team runs it: three walkers that start in an order that none of them knows."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from robotd.api import simulate
from robotd.config.load import ConfigError, find_mission, load_mission
from robotd.model.inputs import Inputs
from robotd.model.statements import Sent
from robotd.robot.mind import Decision
from robotd.sim.team import Team

MISSION = load_mission(find_mission("formation"))
TICK_S, DECISION_S, LOST_S = 0.1, 0.2, 2.0
HIDDEN_S, SHOWN_S = 15.0, 20.0
GRAPH = "coordinator__parameters__graph"


@dataclass
class Watch:
    """When and what happened in the coordinators, and when each robot's wheels were driven."""

    events: list[tuple[float, str, str, str, Any]] = field(default_factory=list)
    driven: dict[str, list[float]] = field(default_factory=dict)

    def tick(self, robot: str, i: Inputs, sent: tuple[Sent, ...], decision: Decision) -> None:
        if any((decision.wanted.left, decision.wanted.right)):
            self.driven.setdefault(robot, []).append(i.now)
        for event in decision.choice.events if decision.choice is not None else ():
            self.events.append((i.now, robot, event.kind, event.task, event.data))

    def look(self, now: float, team: Team) -> None:
        """Nothing."""

    def times(self, kind: str, task: str) -> list[tuple[float, str]]:
        return [(at, robot) for at, robot, one, what, _ in self.events if (one, what) == (kind, task)]

    def children(self) -> list[str]:
        """The children that robots have taken first below the triangle."""
        first = {robot: data["child"] for _, robot, kind, _, data in reversed(self.events) if kind == "allocated"}
        return [first[robot] for robot in sorted(first)]


def stopped_after_s(watch: Watch) -> float:
    """How long after one robot had lost the leader the last one stopped, s, until all search."""
    stopped = [at for at, _ in watch.times("terminated", "triangle")][:3]
    later = [at for kind in ("entered", "followed") for at, _ in watch.times(kind, "search") if at > stopped[0]]
    searching = min(later, default=stopped[-1] + 3.0)
    assert not [at for times in watch.driven.values() for at in times if stopped[-1] + TICK_S < at < searching]
    return stopped[-1] - stopped[0]


def test_walkers_whose_leader_is_hidden_from_one_stop_search_and_walk_again_and_finish_in_line() -> None:
    watch = Watch()
    events = [f"{HIDDEN_S:g} blind r2 red", f"{SHOWN_S:g} restore r2 camera"]
    outcome = simulate(MISSION, 1, events=events, watch=watch)
    assert outcome.accomplished
    assert outcome.duration_s < 70.0
    assert watch.times("terminated", "triangle")[0][1] == "r2"
    assert 0.0 < watch.times("terminated", "triangle")[0][0] - HIDDEN_S - LOST_S < 4 * DECISION_S
    assert stopped_after_s(watch) <= 2 * DECISION_S + 0.1
    assert {robot for _, robot in watch.times("terminated", "search")} == {"r1", "r2", "r3"}
    assert watch.times("terminated", "search")[-1][0] > SHOWN_S
    assert len([at for at, *_, data in watch.events if data.get("child") == "lead"]) == 2


def test_at_a_beat_of_3_seconds_all_stop_within_two_beats() -> None:
    watch = Watch()
    simulate(MISSION, 1, events=["25 blind r2 red"], duration_s=37.0, watch=watch, radio__beat_s=3.0)
    assert len(watch.times("terminated", "triangle")) == 3
    assert stopped_after_s(watch) <= 2 * 3.0


def test_a_task_that_is_followed_must_be_one_of_the_mission() -> None:
    with pytest.raises(ConfigError, match="leed"):
        simulate(MISSION, sets__triangle__parameters__follows={"follow-left": "leed"})


@pytest.mark.parametrize(("allocate", "confused"), [("by-sight", True), ("agreed", False)])
def test_trap_b13_by_sight_robots_may_take_one_place_and_by_number_never(allocate: str, confused: bool) -> None:
    """With cameras that often miss a teammate."""
    changes = {f"{GRAPH}__triangle__allocate": allocate, "types__walker__body__camera__misses": 0.3}
    watch = Watch()
    simulate(MISSION, 2, duration_s=5.0, watch=watch, **changes)
    places = watch.children()
    assert (len(places), len(set(places)) < 3) == (3, confused)
