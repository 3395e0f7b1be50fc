"""Records that are lost and robots that die: every task ends done, or undone with a reason."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from tests.motivation.murdoch.matrix import Case, borders, faults_of, whole
from tests.motivation.murdoch.schedules import TASKS, Schedule, run, schedules, search
from tests.motivation.murdoch.team import Team


@pytest.mark.parametrize("case", list(borders()), ids=str)
def test_each_loss_and_each_death_alone_leaves_no_task_without_an_end(case: Case) -> None:
    assert faults_of(case) == []


@pytest.mark.parametrize("case", list(whole())[7::53], ids=str)
def test_a_loss_and_a_death_together_leave_no_task_without_an_end(case: Case) -> None:
    assert faults_of(case) == []


def test_random_schedules_end_with_every_task_done_or_undone_with_a_reason() -> None:
    search(25)


def refusals(team: Team) -> list[tuple[float, str]]:
    """When a task was refused, and which."""
    return [(at, e.task) for robot in team.robots.values() for at, e in robot.events if e.kind == "refused"]


@settings(max_examples=25, deadline=None, database=None, derandomize=True)
@given(schedules())
def test_nothing_is_refused_while_an_idle_robot_in_reach_is_able(schedule: Schedule) -> None:
    team = run(replace(schedule, happens=(), loss=0.0, late=0.0, double=0.0, reannounce_s=0.0))
    for at, task in refusals(team):
        needs = TASKS[task].get("resources", ("nowhere",))
        for robot in team.robots.values():
            if set(needs) <= set(robot.bot.has):
                lately = [task for when, task in robot.history if at - 3.0 * team.beat_s <= when <= at]
                assert any(lately), (robot.name, task, at)
