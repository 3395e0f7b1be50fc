"""Add-ons in the robot file: where they stand, what they bring, how they are reached, and what is told of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from robotd.advice.advice import advise_robot
from robotd.config.load import ConfigError, load_robot
from tests.robotd.config.files import ROBOT, write

MAESTRO = '\n[[add_ons]]\nname = "maestro"\nport = "/dev/zero"\n'
POSITIONING = '\n[[add_ons]]\nname = "positioning"\nport = "udp://239.1.1.1:4000?interface=lo"\n'


def faults(path: Path) -> dict[str, str]:
    with pytest.raises(ConfigError) as raised:
        load_robot(path)
    return {problem.key: problem.message for problem in raised.value.problems}


def test_add_ons_are_taken_beside_any_board_and_each_is_told_when_the_computer_dies(tmp_path: Path) -> None:
    robot, mission = load_robot(write(tmp_path, ROBOT + MAESTRO + POSITIONING))
    assert [part.name for part in robot.add_ons] == ["maestro", "positioning"]
    notes = advise_robot(robot, mission, mission.plugins).notes
    assert any(note.startswith("when the whole computer dies, maestro: nothing") for note in notes)


@pytest.mark.parametrize("port", ["/dev/zero", "tcp://localhost:4001", "udp://239.1.1.1:4000?interface=lo"])
def test_positions_come_by_a_line_or_by_datagrams(tmp_path: Path, port: str) -> None:
    text = POSITIONING.replace("udp://239.1.1.1:4000?interface=lo", port)
    assert load_robot(write(tmp_path, ROBOT + text))[0].add_ons[0].port == port


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        (ROBOT + MAESTRO.replace("maestro", "create2"), "add_ons.0.name", "'create2' is a board"),
        (ROBOT.replace('"wired"', '"maestro"').replace("speed = 0.4", ""), "board.name", "under [[add_ons]]"),
        (
            ROBOT + MAESTRO + MAESTRO.replace("zero", "full"),
            "add_ons.1.name",
            "the gripper comes from 'maestro' already",
        ),
        (ROBOT + MAESTRO.replace('port = "/dev/zero"', ""), "add_ons.0.port", "is reached over a port"),
        (
            ROBOT + MAESTRO.replace("/dev/zero", "udp://239.1.1.1:4000?interface=lo"),
            "add_ons.0.port",
            "not reached",
        ),
        (ROBOT + MAESTRO.replace("maestro", "maestri"), "add_ons.0.name", "maestri"),
        (ROBOT + MAESTRO + "parameters = { chanel = 3 }\n", "add_ons.0.parameters.chanel", "unknown key"),
        (ROBOT + MAESTRO + "speed = 3\n", "add_ons.0.speed", "unknown key"),
    ],
)
def test_what_is_wrong_with_one_is_told_at_its_place(tmp_path: Path, text: str, key: str, words: str) -> None:
    found = faults(write(tmp_path, text))
    assert set(found) == {key}
    assert words in found[key]


@pytest.mark.parametrize(
    ("port", "owner"),
    [
        ("/dev/null", "'wired' already, by board.port"),
        ("serial:///dev/null?57600", "'wired' already, by board.port"),
        ("/dev/../dev/null", "'wired' already, by board.port"),
        ("tcp://LOCALHOST:4000", "'maestro' already, by add_ons.0.port"),
    ],
)
def test_two_devices_on_one_port_are_refused_with_both_places(tmp_path: Path, port: str, owner: str) -> None:
    found = faults(write(tmp_path, ROBOT + MAESTRO.replace("/dev/zero", port)))
    (words,) = found.values()
    assert f" is the port of {owner}: each part has its own" in words


def test_two_names_of_one_device_are_one_port_and_two_add_ons_have_two(tmp_path: Path) -> None:
    (tmp_path / "by-id").symlink_to("/dev/zero")
    text = ROBOT + MAESTRO + POSITIONING.replace("udp://239.1.1.1:4000?interface=lo", str(tmp_path / "by-id"))
    assert "'maestro' already, by add_ons.0.port" in faults(write(tmp_path, text))["add_ons.1.port"]
    assert load_robot(write(tmp_path, ROBOT + MAESTRO + POSITIONING))


def test_a_board_and_the_radio_on_one_port_are_refused(tmp_path: Path) -> None:
    text = ROBOT.replace("tcp://localhost:4000", "/dev/null")
    assert "'wired' already, by board.port" in faults(write(tmp_path, text))["radio.port"]
