"""Whole teams in a simulation: the team stop, one run after another, and a robot with another mission file."""

from typing import Any

import pytest

from robotd.model.facts import Fact
from robotd.model.inputs import Order
from robotd.sim import host

from .small import Ran, run, small

FIVE = ("green", "blue", "gold", "red", "grey")
BEAT_S = 3.0


def test_five_robots_are_at_rest_within_a_second_of_a_stop_and_one_that_acknowledged_it_continues() -> None:
    ran = run("8 stop-team gold", "11 ack green", for_s=20.0, robots=FIVE)
    moving = [name for name in FIVE if any(not look.still for look in ran.between(6.0, 8.0, name))]
    assert moving  # or else there was nothing to stop
    for name in FIVE:
        assert all(look.state == "stopped" for look in ran.between(9.0, 11.0, name))
        assert all(look.still for look in ran.between(9.5, 11.0, name))
    assert {look.state for look in ran.between(11.5, 20.0)} == {"running"}  # all others go on stating the stop
    for name in FIVE[1:]:
        assert all(look.state == "stopped" and look.still for look in ran.between(11.5, 20.0, name))


def runs_of(ran: Ran, at: float) -> dict[str, int]:
    return {name: ran.at(at, name).snapshot.decision.beliefs.run for name in ran.looks}


def test_a_robot_that_was_never_started_again_comes_along_into_run_2_and_leaves_run_1_behind() -> None:
    """Blue states a place in run 1; no robot believes it in run 2."""

    def see(now: float, team: Any) -> None:
        if now == 5.0:
            blue = team.robots["blue"].mind
            blue.beliefs = blue.beliefs.learn([Fact("spill-left", (0.8, 1.4), now)])

    ran = run("12 restart-mission green", for_s=24.0, robots=("green", "blue"), see=see)
    assert runs_of(ran, 12.0) == {"green": 1, "blue": 1}
    assert ran.at(12.0).snapshot.decision.beliefs.place("spill-left") == (0.8, 1.4)
    assert runs_of(ran, 24.0) == {"green": 2, "blue": 2}
    for name in ("green", "blue"):
        assert ran.at(24.0, name).snapshot.decision.beliefs.place("spill-left") is None
        assert ran.at(24.0, name).state == "running"
    teammates = ran.at(24.0).snapshot.decision.beliefs.teammates
    assert teammates[2].last_received > 20.0


def test_a_robot_that_boots_between_two_runs_joins_the_newer(monkeypatch) -> None:
    monkeypatch.setattr(host, "BOOT_S", 2.0)
    ran = run("4 reboot blue", "5 restart-mission green", "8 start blue", for_s=22.0, robots=("green", "blue"))
    assert runs_of(ran, 22.0) == {"green": 2, "blue": 2}
    assert ran.at(22.0, "blue").state == "running"


@pytest.fixture(scope="module")
def edited() -> Ran:
    """In gold's file the two first tasks have changed numbers."""
    good = small(FIVE[:3])
    tasks = good.as_data()["tasks"]
    tasks["find-locations"]["number"], tasks["move-spill-left"]["number"] = 2, 1
    return run(for_s=16.0, robots=FIVE[:3], missions={"gold": small(FIVE[:3], tasks=tasks)})


def test_a_robot_with_an_edited_mission_file_is_named_within_three_beats_of_its_first_frame(edited) -> None:
    for name in ("green", "blue"):
        looks = edited.between(BEAT_S + 0.75 + 3 * BEAT_S, 16.0, name)  # a start waits a beat, and for a beacon
        assert looks
        for look in looks:
            details = {fault.name: fault.detail for fault in look.snapshot.inputs.faults}
            assert details == {"mission-mismatch": "gold (number 3) runs another mission file"}
    (fault,) = edited.at(16.0, "gold").snapshot.inputs.faults
    assert fault.detail == "green (number 1) runs another mission file; blue (number 2) runs another mission file"


def test_none_of_its_tasks_is_miscounted_although_it_works(edited) -> None:
    """Its find-locations has the number of the others' move-spill-left."""
    stated = {look.snapshot.choice.statements[0].fields[0] for look in edited.between(6.0, 16.0, "gold")}
    assert "find-locations" in stated
    for name in ("green", "blue"):
        for look in edited.between(1.0, 16.0, name):
            teammates = look.snapshot.decision.beliefs.teammates
            assert 3 not in teammates or (teammates[3].task, teammates[3].held) == ("", "")
            assert not any("gold" in level.why for level in look.snapshot.choice.levels)
    assert edited.at(16.0, "blue").snapshot.decision.beliefs.teammates[1].task == "find-locations"


def test_a_mission_that_is_not_started_waits() -> None:
    def see(now: float, team: Any) -> None:
        if now == 0.5:
            team.robots["green"].submit(Order("mission-stop"))

    ran = run(for_s=6.0, see=see)
    assert ran.at(6.0).state == "waiting for run"
    assert all(look.still for look in ran.between(2.0, 6.0))


def test_a_computer_that_boots_when_the_run_ends_does_not_start() -> None:
    ran = run("1 reboot blue", for_s=3.0, robots=("green", "blue"), after_s=30.0)
    assert "end" in ran.lines[-1]
