"""Add-ons in the robot file: where they stand, what they bring, how they are reached, and what is told of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from robotd.config.advice import advise_robot
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


@pytest.mark.parametrize("port", ["/dev/zero", "tcp://localhost:4000", "udp://239.1.1.1:4000?interface=lo"])
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
    ("port", "said"),
    [
        ("/dev/null", "/dev/null is the port of 'wired' already: each part has its own"),
        ("serial:///dev/../dev/null?9600", "is the port of 'wired' already"),
        ("/dev/zero", ""),
    ],
)
def test_two_parts_on_one_device_are_refused_however_it_is_written(tmp_path: Path, port: str, said: str) -> None:
    path = write(tmp_path, ROBOT + MAESTRO.replace("/dev/zero", port))
    if not said:
        assert load_robot(path)[0].add_ons[0].port == port
        return
    found = faults(path)
    assert set(found) == {"add_ons.0.port"}
    assert said in found["add_ons.0.port"]
