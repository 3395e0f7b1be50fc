from __future__ import annotations

from pathlib import Path

import pytest

from robotd.config.advice import Advice, advise_mission, advise_robot, fastest_takeover_s, is_loopback
from robotd.config.load import load_mission, read_robot
from tests.robotd.config.files import MISSION, PLUGINS, ROBOT, write


def of_mission(folder: Path, *changes: tuple[str, str]) -> Advice:
    text = MISSION
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    write(folder, mission=text)
    return advise_mission(load_mission(folder / "tidy.toml"))


def of_robot(folder: Path, *changes: tuple[str, str], plugins: str = PLUGINS) -> Advice:
    text = ROBOT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    reading = read_robot(write(folder, text, plugins=plugins))
    assert not reading.problems
    assert reading.robot is not None
    assert reading.mission is not None
    return advise_robot(reading.robot, reading.mission, reading.plugins)


def told(texts: list[str], *words: str) -> bool:
    return any(all(word in text for word in words) for text in texts)


# -- silence against loss


@pytest.mark.parametrize(("beats", "loss"), [(3, 0.10), (6, 0.316), (10, 0.50)])
def test_the_loss_that_a_silence_time_out_stands_is_that_of_one_false_death_in_1000_windows(
    tmp_path: Path, beats: int, loss: float
) -> None:
    advice = of_mission(tmp_path, ("_beats = 6", f"_beats = {beats}"))
    assert advice.silence["stands_loss"] == pytest.approx(loss, abs=0.002)
    assert advice.silence["seconds"] == (beats + 0.5) * 3.0
    assert told(advice.notes, f"{loss:.0%} of frames lost")


def test_a_simulated_loss_beyond_it_is_a_warning(tmp_path: Path) -> None:
    at = "[facts]", "[radio]\nloss = {}\n[facts]"
    assert not told(of_mission(tmp_path, (at[0], at[1].format(0.3))).warnings, "raise silence_timeout_beats")
    advice = of_mission(tmp_path, (at[0], at[1].format(0.5)))
    assert told(advice.warnings, "at the simulated loss of 50%", "one window in 64", "raise silence_timeout_beats")


def test_a_time_out_that_never_ends_is_a_warning(tmp_path: Path) -> None:
    assert told(of_mission(tmp_path, ("_beats = 6", "_beats = inf")).warnings, "never counts as gone")


# -- who can do what


def test_the_robots_that_can_do_each_task_are_told(tmp_path: Path) -> None:
    advice = of_mission(tmp_path)
    assert advice.tasks["shift"]["robots"] == ["blue", "red"]
    assert advice.tasks["shift"]["needs"] == ["gripper", "mobile"]
    assert told(advice.notes, "'shift'", "blue, red")


def test_a_task_of_one_robot_alone_is_a_warning(tmp_path: Path) -> None:
    assert told(of_mission(tmp_path).warnings, "only red can do 'find'")
    assert not told(of_mission(tmp_path, ('without = ["look"]', "without = []")).warnings, "only")


def test_a_body_without_what_a_behavior_set_needs_cannot_do_its_task(tmp_path: Path) -> None:
    without = 'without = ["look"]'
    advice = of_mission(tmp_path, (without, 'body = { lacks = ["gripper"] }'))
    assert advice.tasks["shift"] == {"robots": ["red"], "needs": ["gripper", "mobile"], "lacking": ["blue"]}
    advice = of_mission(tmp_path, (without, 'body = { lacks = ["left-side"] }'))
    assert advice.tasks["find"]["lacking"] == ["blue"]
    advice = of_mission(tmp_path, (without, 'body = { lacks = ["sound"] }'))
    assert advice.tasks["find"]["lacking"] == []


def test_a_task_that_nobody_can_do_is_a_warning(tmp_path: Path) -> None:
    advice = of_mission(tmp_path, ("[facts]", "[tasks.rest]\nnumber = 3\n[facts]"))
    assert told(advice.warnings, "no robot of the team can do 'rest'")


# -- the world of a simulation

WORLD = "[world]\nwidth_m = 5\n"


def test_a_mission_without_a_world_is_told_what_a_simulation_takes_instead(tmp_path: Path) -> None:
    assert told(of_mission(tmp_path).warnings, "no [world]", "6 x 8 m", "left of 4 objects and right of 4 objects")
    assert not told(of_mission(tmp_path, ("[facts]", f"{WORLD}[facts]")).warnings, "[world]")


def test_a_world_without_spills_leaves_nothing_to_move(tmp_path: Path) -> None:
    advice = of_mission(tmp_path, ("[facts]", f"{WORLD}spills = []\n[facts]"))
    assert told(advice.warnings, "neither spills nor a box", "nothing delivered")
    one = 'spills = [{ name = "left", x_m = 1, y_m = 1 }]\n'
    assert not told(of_mission(tmp_path, ("[facts]", f"{WORLD}{one}[facts]")).warnings, "[world]")


def test_a_robot_in_the_field_needs_no_world(tmp_path: Path) -> None:
    advice = of_robot(tmp_path)
    assert not told([*advice.warnings, *advice.notes], "[world]")


# -- rates and times


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("give_up_time_s = 120", "give_up_time_s = 2", "within one beat"),
        ("give_up_time_s = 120", "give_up_time_s = 30", "before it would ever yield"),
        ("slow_rate = 1\n", "slow_rate = 19\npatience_s = 1\n", ""),
    ],
)
def test_times_that_defeat_each_other_are_warnings_with_the_robots_concerned(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    changes = [(old, new)] if words else [(old, "slow_rate = 19\n"), ("patience_s = 60", "patience_s = 0.5")]
    advice = of_mission(tmp_path, *changes, ("fast_rate = 20", "fast_rate = 50"))
    assert told(advice.warnings, "behavior set 'look'", words or "takes its task over", "(red)")
    assert not told(advice.warnings, "behavior set 'push'")


def test_sound_times_bring_no_warning(tmp_path: Path) -> None:
    assert not told(of_mission(tmp_path).warnings, "behavior set")


@pytest.mark.parametrize(
    ("slow", "patience", "seconds"),
    [
        (1.0, 200.0, 100.0),  # the slow rate arrives first
        (1.0, 60.0, 64.0),  # 60 s at 1, then the last 40 at 10
        (2.0, float("inf"), 50.0),
        ({"default": 1.0, "blue": 4.0}, 1000.0, 25.0),  # the least patient of all
        ({"default": 1.0, "blue": 4.0}, {"default": 1000.0, "blue": 10.0}, 16.0),
    ],
)
def test_the_soonest_takeover_follows_equation_1(slow: object, patience: object, seconds: float) -> None:
    assert fastest_takeover_s(100.0, 10.0, slow, patience) == pytest.approx(seconds)


# -- one robot


def test_what_stops_the_wheels_when_the_computer_dies_is_told(tmp_path: Path) -> None:
    assert told(of_robot(tmp_path).notes, "when the whole computer dies", "watchdog")
    silent = PLUGINS.replace("when_computer_dies", "other")
    assert told(of_robot(tmp_path, plugins=silent).warnings, "does not say what stops it")
    mock = ('name = "wired"\nport = "/dev/null"', 'name = "free"')
    assert not told(of_robot(tmp_path, mock).warnings, "does not say what stops it")


def test_moving_at_boot_is_a_warning_on_a_real_board_alone(tmp_path: Path) -> None:
    assert told(of_robot(tmp_path).warnings, "at-boot")
    mock = ('name = "wired"\nport = "/dev/null"', 'name = "free"')
    assert not told(of_robot(tmp_path, mock).warnings, "at-boot")
    assert not told(of_robot(tmp_path, ("at-boot", "command")).warnings, "at-boot")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ((("[board]\n", "leash_s = 5\n[board]\n"),), "one lost beacon"),
        ((("[board]\n", "leash_s = 5\n[board]\n"), ('name = "modem"', 'name = "none"')), "without a radio"),
        ((("[board]\n", "leash_s = 60\n[board]\n"),), ""),
    ],
)
def test_a_leash_that_cannot_hold_is_a_warning(
    tmp_path: Path, changes: tuple[tuple[str, str], ...], words: str
) -> None:
    assert told(of_robot(tmp_path, *changes).warnings, words or "leash_s") == bool(words)


def test_an_endpoint_that_others_can_reach_is_a_warning(tmp_path: Path) -> None:
    assert told(of_robot(tmp_path, ("[http]\n", '[http]\nhost = "0.0.0.0"\n')).warnings, "HTTP listens on 0.0.0.0")
    assert not told(of_robot(tmp_path).warnings, "HTTP")
    hidden = ("[http]\n", '[http]\nenabled = false\nhost = "0.0.0.0"\n')
    assert not told(of_robot(tmp_path, hidden).warnings, "HTTP")


@pytest.mark.parametrize(
    ("host", "here"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("LOCALHOST", True), ("", False), ("0.0.0.0", False),
     ("::", False), ("192.168.0.2", False), ("robot.local", False)],
)  # fmt: skip
def test_loopback_is_told_from_what_others_reach(host: str, here: bool) -> None:
    assert is_loopback(host) == here
