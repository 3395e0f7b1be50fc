"""A team of simulated robots, mission after mission: what becomes of the category of a task when a sensor dies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from robotd.api import simulate
from robotd.config.load import Mission, load_mission

MU = 3  # as in the mission below
PLUGIN = """
from dataclasses import dataclass

from behaviors import parts
from behaviors.parts import Behavior, BehaviorSet, Drive, Nothing, Out
from robotd.model.facts import Fact
from robotd.model.tasks import Feedback

NEAR_M = 0.3


@dataclass
class Seen:
    near: bool = False


class Ahead(Behavior[Seen]):
    name = "ahead"

    def __init__(self):
        super().__init__(Seen())

    def act(self, i, beliefs):
        self.state.near = i.eyes.front < NEAR_M
        facts = (Fact("reached"),) if self.state.near else ()
        return Out(Drive(0.0 if self.state.near else 0.9, 0.0), facts=facts)


class Reach(BehaviorSet[Nothing]):
    class Settings(parts.Settings):
        pass

    needs = ("mobile", "front-range")

    def __init__(self, settings):
        super().__init__(Nothing())
        self.ahead = Ahead()
        self.behaviors = (self.ahead,)

    def assess(self, i, beliefs, task):
        return Feedback(applicable=not beliefs.flag("reached"), done=self.ahead.state.near)


class Careless(Reach):
    needs = ("mobile",)


ROBOTD = {"robotd.behaviors": {"reach": Reach, "careless": Careless}}
"""
MISSION = """
name = "reach"
plugins = ["./mine.py"]
[team]
green = { number = 1, type = "r2" }
blue = { number = 2, type = "r2" }
[tasks]
reach = { number = 1, completion = "reached" }
[facts]
reached = { number = 1, kind = "flag" }
[control]
tick_hz = 10.0
ticks_per_decision = 2
[coordinator]
name = "l-alliance"
parameters = { threshold = 100.0, trials = 3, min_delay_s = 1.0, max_delay_s = 4.0, boredom_s = 4.0 }
[sets.go]
behavior = "reach"
task = "reach"
motivation = { fast_rate = 50.0, slow_rate = 1.0, patience_s = 60.0, yield_time_s = 60.0, give_up_time_s = 16.0 }
[robots.blue.sets]
go = { motivation = { fast_rate = 10.0 } }
[robots.blue.body]
speed = 0.5
[world]
width_m = 2.0
depth_m = 2.0
spills = [{ name = "left", x_m = 0.5, y_m = 1.5, spread_m = 0.1, objects = 1 }]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reach")
    (folder / "mine.py").write_text(PLUGIN)
    (folder / "reach.toml").write_text(MISSION)
    return folder


@dataclass
class Team:
    """GREEN, and BLUE at half its speed, drive until a wall is near: again and again, for 22 s each time."""

    mission: Mission
    learned: Mapping[str, Any] = field(default_factory=dict)
    missions: int = 0

    def does(self, *events: str) -> Team:
        self.missions += 1
        outcome = simulate(self.mission, self.missions, events=events, duration_s=22.0, learned=self.learned)
        self.learned = outcome.learned
        return self

    def of_green(self, key: str, robot: str = "green") -> Any:
        """What GREEN knows of a robot, as people see it."""
        return next(row[key] for row in self.learned["green"]["values"] if row["robot"] == robot)

    def with_behavior(self, name: str) -> Team:
        """The same robots, that do the task by another behavior set from now on."""
        return replace(self, mission=load_mission(Path(self.mission.source), {"sets.go.behavior": name}))


@pytest.fixture(scope="module")
def trained(folder: Path) -> Team:
    """Both have done the task: BLUE when GREEN could not move. So GREEN knows that it is quicker."""
    team = Team(load_mission(folder / "reach.toml", {})).does().does("0 motors-dead green").does()
    assert [team.of_green("trials", robot) for robot in ("green", "blue")] == [2, 1]
    assert team.of_green("category") == 1
    return team


def test_a_healthy_robot_keeps_its_task_of_category_1(trained: Team) -> None:
    team = replace(trained)
    for _ in range(MU):
        assert team.does().of_green("category") == 1
    assert team.of_green("trials") == MU


def test_a_robot_whose_sensor_died_between_missions_has_the_task_in_no_category_until_it_is_mended(
    trained: Team,
) -> None:
    team = replace(trained).does("0 dead green front-range")
    assert team.of_green("category") is None
    assert team.of_green("trials") == 2
    assert team.does().of_green("category") == 1


def test_one_that_does_not_notice_fails_and_loses_the_task_within_mu_trials(trained: Team) -> None:
    team = trained.with_behavior("careless")
    before = team.missions
    while team.of_green("category") == 1:
        assert team.missions - before < MU
        team.does("0 dead green front-range")
    assert team.of_green("task_time_s") > team.of_green("task_time_s", "blue")
    assert next(row["category"] for row in team.learned["blue"]["values"] if row["robot"] == "blue") == 1
