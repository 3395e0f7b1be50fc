"""The mission box-pushing as a team runs it: in turn at both ends, alone at both, beside Genghis."""

from itertools import pairwise

from robotd.api import simulate
from robotd.config.load import find_mission, load_mission

MISSION = load_mission(find_mission("box-pushing"))
OWN = {"green": "push-left", "blue": "push-right"}


def begun(outcome, robot: str, doing: str) -> list[float]:
    return [one.start for one in outcome.story.spells.get(robot, ()) if one.set == doing]


def test_two_healthy_robots_push_again_and_again_with_short_gaps_and_stay_at_their_ends() -> None:
    outcome = simulate(MISSION, 1, duration_s=40.0)
    for robot, own in OWN.items():
        spells = outcome.story.spells[robot]
        assert {one.set for one in spells} == {own}
        assert len(spells) >= 7
        assert max(after.start - before.end for before, after in pairwise(spells)) <= 3.5
    assert "genghis" not in outcome.story.spells  # it waits outside of the room


def test_left_alone_a_robot_pauses_and_then_goes_for_the_other_end() -> None:
    outcome = simulate(MISSION, 1, duration_s=75.0, events=["55 remove blue"])
    change = begun(outcome, "green", "push-right")[0]
    ended = max(at for at, who in outcome.story.done["push-left"] if who == "green" and at < change)
    assert ended > 52.0
    assert 5.0 <= change - ended <= 12.0


def test_beside_genghis_a_robot_pushes_less_often_and_does_not_change_ends() -> None:
    outcome = simulate(MISSION, 1, duration_s=100.0, events=["50 remove blue", "50 return genghis"])
    pushes = begun(outcome, "green", "push-left")
    assert not begun(outcome, "green", "push-right")
    assert len(begun(outcome, "genghis", "push")) >= 3
    before = [at for at in pushes if 10.0 <= at < 50.0]
    after = [at for at in pushes if 60.0 <= at < 100.0]
    assert 2 <= len(after) < 0.6 * len(before)


def test_genghis_alone_goes_home() -> None:
    outcome = simulate(MISSION, 1, duration_s=38.0, events=["1 remove green", "1 remove blue", "1 return genghis"])
    (start,) = begun(outcome, "genghis", "go-home")
    assert 25.0 < start < 35.0
    assert all(one.set != "push" or one.end < start for one in outcome.story.spells["genghis"])
