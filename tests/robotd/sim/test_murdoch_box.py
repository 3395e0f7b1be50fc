"""The mission murdoch-box as a team runs it: a watcher directs two pushers, one of which may fail."""

import pytest

from robotd.api import simulate
from robotd.config.load import find_mission, load_mission

MISSION = load_mission(find_mission("murdoch-box"))
PUSHES = {"push-left", "push-right"}


def sets_of(outcome, robot: str, after: float = 0.0) -> set[str]:
    return {one.set for one in outcome.story.spells.get(robot, ()) if one.end > after}


def test_a_watcher_and_two_pushers_bring_the_box_to_the_goal() -> None:
    outcome = simulate(MISSION, 1)
    assert outcome.accomplished
    assert outcome.duration_s < 60.0
    assert sets_of(outcome, "lookout") == {"watch-box"}
    assert sets_of(outcome, "west") == {"push-left"}
    assert sets_of(outcome, "east") == {"push-right"}


@pytest.mark.long
def test_a_pusher_that_is_left_alone_pushes_at_both_ends() -> None:
    outcome = simulate(MISSION, 1, events=["15 remove east"], duration_s=90.0)
    assert sets_of(outcome, "west", after=20.0) == PUSHES


@pytest.mark.parametrize("robot", ["lookout", "desk"])
def test_without_its_watcher_or_its_introducer_nothing_is_declared(robot: str) -> None:
    outcome = simulate(MISSION, 1, events=[f"0 radio {robot} off"], duration_s=20.0)
    assert not outcome.accomplished
    assert not sets_of(outcome, "west") | sets_of(outcome, "east")
