"""Every verb of the event vocabulary has its effect, in short runs of one or two robots."""

import math

import pytest

from robotd.config.load import ConfigError
from robotd.record.rows import RowReader
from robotd.robot.mind import STILL
from robotd.sim import host

from .small import Look, run

FIND = "find-locations-methodical"
QUICK = {"beat_s": 1.5}


def moved(looks: list[Look]) -> bool:
    """Whether a robot's wheels turned in any of the looks."""
    return any(not look.still for look in looks)


def test_without_events_a_robot_is_at_work_within_two_seconds_and_stays_at_it() -> None:
    """What all that follows is compared with."""
    ran = run(for_s=10.0)
    assert ran.at(1.5).still
    assert all(look.doing == FIND for look in ran.between(2.0, 10.0))
    assert moved(ran.between(2.0, 6.0))
    assert moved(ran.between(6.0, 10.0))
    assert (ran.events, ran.outcome.accomplished) == ([], False)


# -- bodies


def test_remove_lifts_it_out_of_the_room_and_return_puts_it_back() -> None:
    ran = run("5 remove green", "8 return green", for_s=12.0)
    assert [look.pose is None for look in ran.between(4.5, 8.5)] == [False] + [True] * 6 + [False] * 2
    assert ran.at(7.5).missing["mobile"] == "lifted off the floor"
    assert (ran.at(7.5).doing, ran.at(12.0).doing) == ("", FIND)
    assert moved(ran.between(10.0, 12.0))


def test_seize_holds_it_fast_and_release_lets_it_go() -> None:
    ran = run("4 seize green", "8 release green", for_s=12.0)
    assert math.dist(ran.at(5.0).pose[:2], ran.at(8.0).pose[:2]) < 0.001
    assert ran.at(7.0).snapshot.inputs.senses.stalled
    assert moved(ran.between(8.5, 12.0))


def test_slow_scales_its_top_speed() -> None:
    ran = run("5 slow green 0.5", for_s=8.0)
    fastest = [
        max(abs(w) for look in looks for w in look.wheels) for looks in (ran.looks["green"][:9], ran.between(6, 8))
    ]
    assert fastest[0] > 0.19
    assert fastest[1] < 0.13


def test_dead_motors_turn_no_longer_and_restored_ones_do() -> None:
    ran = run("4 motors-dead green", "8 restore green motors", for_s=13.0)
    assert all(look.still and look.missing["mobile"] == "motors is dead" for look in ran.between(5.0, 7.5))
    assert (ran.at(8.0).doing, ran.at(13.0).doing) == ("", FIND)
    assert moved(ran.between(9.0, 13.0))


def test_a_dead_sensor_leaves_the_capabilities_and_a_restored_one_comes_back() -> None:
    ran = run("4 dead green side-range", "8 restore green side-range", for_s=12.0)
    assert "left-side is dead" in ran.at(6.0).missing["side-range"]
    assert "side-range" not in ran.at(3.5).missing
    assert "side-range" not in ran.at(9.0).missing
    lacks = {look.at: look.snapshot.choice.levels[0].why for look in ran.looks["green"]}
    assert (lacks[3.5], lacks[6.0]) == ("active", "lacks side-range")


def test_a_frozen_sensor_repeats_its_last_reading_and_fails_its_self_check() -> None:
    ran = run("6 frozen green positioning", for_s=16.0)
    poses = {look.snapshot.inputs.senses.pose for look in ran.between(6.5, 16.0)}
    assert len(poses - {None}) == 1
    assert "positioning" in ran.at(16.0).missing
    assert "positioning" not in ran.at(6.0).missing


def test_a_noisy_sensor_reads_wildly() -> None:
    def spread(*events: str) -> float:
        looks = run(*events, for_s=9.0).between(6.0, 9.0)
        return max(abs(look.snapshot.inputs.senses.pose.y - look.pose[1]) for look in looks)

    assert spread("4 noisy green positioning") > 2 * spread()


# -- processes


@pytest.mark.parametrize("verb", ["kill", "stop-process"])
def test_a_process_that_dies_or_is_suspended_leaves_wheels_that_stop_by_themselves(verb) -> None:
    ran = run(f"5 {verb} green", for_s=8.0)
    assert not ran.at(4.5).still
    assert ran.at(6.0).still
    assert {look.state for look in ran.between(5.5, 8.0)} == {"off"}
    assert ran.outcome.story.spells["green"][-1].end == 5.0


def test_a_robot_that_reboots_does_not_move_without_permission_and_does_with_it(monkeypatch) -> None:
    monkeypatch.setattr(host, "BOOT_S", 3.0)
    ran = run("4 reboot green", "10 start green", for_s=16.0, robots=("green", "blue"), radio=QUICK)
    assert {look.state for look in ran.between(4.5, 6.5)} == {"off"}
    assert {look.state for look in ran.between(7.5, 10.0)} == {"waiting for start"}
    assert not moved(ran.between(5.0, 10.0))
    assert {look.snapshot.driven for look in ran.between(7.5, 10.0)} == {STILL}
    assert ran.at(16.0).state == "running"
    assert ran.at(16.0).snapshot.decision.beliefs.run == 1  # joined by ear, within four beats


def test_a_robot_that_reboots_while_it_boots_boots_once(monkeypatch) -> None:
    monkeypatch.setattr(host, "BOOT_S", 3.0)
    ran = run("4 reboot green", "6 reboot green", "10 start green", for_s=11.0)
    assert [look.state for look in ran.between(8.5, 9.5)] == ["off", "off", "waiting for start"]
    ticks = [line[1] for line in ran.lines if isinstance(line, list)]
    again = ticks[ticks.index(0, 1) :]
    assert again == list(range(len(again)))  # one robot ticks, not two


# -- the radio


def last_received(ran, at: float, sender: int) -> float:
    teammates = ran.at(at).snapshot.decision.beliefs.teammates
    return teammates[sender].last_received if sender in teammates else -1.0


def test_frames_of_a_radio_that_is_off_are_not_received_and_of_one_that_is_on_again_they_are() -> None:
    ran = run("4 radio blue off", "9 radio blue on", for_s=13.0, robots=("green", "blue"), radio=QUICK)
    assert 0.0 < last_received(ran, 9.0, 2) < 4.5
    assert last_received(ran, 13.0, 2) > 9.0


def test_loss_takes_its_share_of_frames_to_and_from_a_robot() -> None:
    ran = run("0 loss all 1.0", "7 loss all 0", for_s=12.0, robots=("green", "blue"), radio=QUICK)
    assert last_received(ran, 7.0, 2) == -1.0
    assert last_received(ran, 12.0, 2) > 7.0
    assert ran.outcome.radio["lost"] > 4


# -- the mission


def test_add_task_is_asked_of_the_robot_that_it_names() -> None:
    ran = run("3 add-task blue find-locations", for_s=4.0, robots=("green", "blue"))
    asked = [(line[0], line[5]) for line in ran.lines if isinstance(line, list) and line[5] and line[2] > 1.0]
    assert asked == [("blue", [["task-add", ["find-locations"], "simulation"]])]


def test_forty_added_tasks_reach_a_coordinator_of_the_alliance_family_which_refuses_each() -> None:
    changes = {"coordinator": {"name": "l-alliance"}, "control": {"tick_hz": 10.0, "ticks_per_decision": 5}}
    events = [f"{3 + k * 0.37:.2f} add-task blue move-spill-left:spill=right" for k in range(40)]
    ran = run(*events, for_s=18.5, robots=("green", "blue"), **changes)
    reader, refused = RowReader(), []
    for line in ran.lines:
        if isinstance(line, list) and line[0] == "blue":
            choice = reader.read(line).choice
            refused += [event for event in choice.events if event.kind == "refused"] if choice else []
    assert [event.task for event in refused] == ["move-spill-left"] * 40
    assert "takes none at run time" in refused[0].cause


def test_a_task_with_a_key_that_nothing_reads_is_refused_before_the_run() -> None:
    with pytest.raises(ConfigError, match="did you mean 'spill'"):
        run("3 add-task blue move-spill-left:spil=right", for_s=4.0, robots=("green", "blue"))


# -- to whom, and when


def test_an_event_for_all_happens_to_each_and_is_logged_for_each() -> None:
    ran = run("4 kill all", for_s=5.0, robots=("green", "blue"))
    assert [(event["at_s"], event["who"]) for event in ran.events] == [(4.0, "blue"), (4.0, "green")]
    assert {look.state for name in ("green", "blue") for look in ran.between(4.5, 5.0, name)} == {"off"}
