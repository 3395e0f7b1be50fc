"""What is advised on a mission for a simulation, and of one robot."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from robotd.advice.exposure import is_loopback
from tests.robotd.advice.advised import has, of_mission, of_robot
from tests.robotd.config.files import PLUGINS

# -- the world of a simulation

WORLD = "[world]\nwidth_m = 5\n"


def test_of_a_mission_without_a_world_it_is_stated_what_a_simulation_takes_instead(tmp_path: Path) -> None:
    assert has(of_mission(tmp_path).warnings, "no [world]", "6 x 8 m", "left of 4 objects and right of 4 objects")
    assert not has(of_mission(tmp_path, ("[facts]", f"{WORLD}[facts]")).warnings, "[world]")


def test_a_world_without_spills_areas_box_and_finish_leaves_nothing_to_bring_about(tmp_path: Path) -> None:
    nothing = ("[facts]", f"{WORLD}spills = []\n[facts]")
    advice = of_mission(tmp_path, nothing, ("[tasks.find]", "[tasks.find]\nrecurring = true"))
    assert has(advice.warnings, "no spills, areas, box or finish in [world]", "nothing done")
    pucks = '[world.clusters.one]\ncolour = "red"\nx_m = 3.0\ny_m = 3.0\n[goal]\nworld = ["held"]\n'
    aim = ("[facts]", f"{WORLD}spills = []\n{pucks}[facts]")
    assert not has(
        of_mission(tmp_path, aim, ("[tasks.find]", "[tasks.find]\nrecurring = true")).warnings, "[world]"
    )
    advice = of_mission(tmp_path, nothing)
    assert has(advice.notes, "no spills, areas, box or finish in [world]", "knows that every task is done")
    assert not has(advice.warnings, "[world]")
    advice = of_mission(tmp_path, nothing, ("[facts]", '[goal]\nfacts = ["found"]\n[facts]'))
    assert has(advice.notes, "knows the facts of [goal]: found")
    assert not has(advice.notes, "every task is done")
    for one in (
        'spills = [{ name = "left", x_m = 1, y_m = 1 }]\n',
        'spills = []\nareas = [{ name = "desk", kind = "dust", x_m = 1, y_m = 1 }]\n',
        "spills = []\nbox = { x_m = 3, y_m = 1.2, goal_y_m = 5 }\n",
        "spills = []\nfinish = { y_m = 5 }\n",
    ):
        assert not has(of_mission(tmp_path, ("[facts]", f"{WORLD}{one}[facts]")).warnings, "[world]")


# -- one robot


def test_what_stops_a_robot_is_stated_for_the_daemon_and_for_the_computer(tmp_path: Path) -> None:
    found = of_robot(tmp_path)
    assert found.stop == {"guardian_s": 0.25, "computer_dies": "its own watchdog stops the wheels within 0.5 s"}
    assert has(found.notes, "when only the daemon dies or hangs", "0.25 s")
    assert not has(found.warnings, "dies")


def test_a_board_that_nothing_stops_when_the_computer_dies_is_a_warning(tmp_path: Path) -> None:
    found = of_robot(
        tmp_path, plugins=PLUGINS.replace("its own watchdog stops the wheels within 0.5 s", "nothing")
    )
    assert has(found.warnings, "when the whole computer dies: nothing")
    assert not has(found.notes, "whole computer")


def test_moving_at_boot_is_a_warning_on_a_real_board_alone(tmp_path: Path) -> None:
    assert has(of_robot(tmp_path).warnings, "at-boot")
    mock = ('name = "wired"\nport = "/dev/null"', 'name = "free"')
    assert not has(of_robot(tmp_path, mock).warnings, "at-boot")
    assert not has(of_robot(tmp_path, ("at-boot", "command")).warnings, "at-boot")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ((("[board]\n", "base_station_timeout_s = 5\n[board]\n"),), "one lost beacon"),
        (
            (("[board]\n", "base_station_timeout_s = 5\n[board]\n"), ('name = "modem"', 'name = "none"')),
            "without a radio",
        ),
        ((("[board]\n", "base_station_timeout_s = 60\n[board]\n"),), ""),
    ],
)
def test_a_leash_that_cannot_hold_is_a_warning(
    tmp_path: Path, changes: tuple[tuple[str, str], ...], words: str
) -> None:
    assert has(of_robot(tmp_path, *changes).warnings, words or "base_station_timeout_s") == bool(words)


def test_an_endpoint_that_others_can_reach_is_a_warning(tmp_path: Path) -> None:
    assert has(of_robot(tmp_path, ("[http]\n", '[http]\nhost = "0.0.0.0"\n')).warnings, "HTTP listens on 0.0.0.0")
    assert not has(of_robot(tmp_path).warnings, "HTTP")
    hidden = ("[http]\n", '[http]\nenabled = false\nhost = "0.0.0.0"\n')
    assert not has(of_robot(tmp_path, hidden).warnings, "HTTP")


def test_a_foxglove_server_that_others_can_reach_or_that_cannot_be_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def warnings(rest: str) -> Sequence[str]:
        return of_robot(tmp_path, ("[http]\n", f"[foxglove]\n{rest}\n[http]\n")).warnings

    assert has(warnings('enabled = true\nhost = "0.0.0.0"'), "Foxglove is served on 0.0.0.0")
    assert not has(warnings("enabled = true"), "Foxglove is served")
    assert not has(warnings('host = "0.0.0.0"'), "Foxglove is served")
    monkeypatch.setattr("robotd.advice.exposure.find_spec", lambda name: None)
    assert has(warnings("enabled = true"), "pip install 'robotd[foxglove]'")
    assert not has(warnings("enabled = false"), "pip install")


@pytest.mark.parametrize(
    ("host", "here"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("LOCALHOST", True), ("", False), ("0.0.0.0", False),
     ("::", False), ("192.168.0.2", False), ("robot.local", False)],
)  # fmt: skip
def test_loopback_is_distinguished_from_what_others_reach(host: str, here: bool) -> None:
    assert is_loopback(host) == here
