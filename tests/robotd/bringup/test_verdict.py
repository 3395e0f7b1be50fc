"""What is wrong with the wheels, from what was commanded, measured and seen; and a first robot file."""

import math
import tomllib

import pytest

from robotd.bringup import robotfile
from robotd.bringup.verdict import BOTH, NONE, Turn, problem, turned, wheel_by_heading, wheel_by_speed
from robotd.bringup.wizard import format_senses
from robotd.model.senses import Bump, Capabilities, Grip, Pose, Range, Senses, Sight, Wheels


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        (Turn("left", "left", "left"), ""),
        (Turn("left", "left", ""), ""),
        (Turn("left", "", "left"), ""),
        (Turn("left", "", ""), ""),
        (Turn("left", "right", "right"), "change the plugs of the two motors"),
        (Turn("left", "", "right"), "change the plugs of the two motors"),
        (Turn("right", "left", ""), "the left encoder counts: change the plugs of the two motors, or of the two"),
        (Turn("right", "right", "left"), "the right encoder counts it: change the plugs of motors and encoders"),
        (Turn("left", "right", "left"), "the right encoder counts it: change the plugs of the two encoders"),
        (Turn("left", BOTH, "left"), "both wheels turn when the left one is commanded to"),
        (Turn("left", NONE, "left"), "its encoder counts nothing"),
        (Turn("left", NONE, ""), "does not turn"),
        (Turn("left", "left", NONE), "does not turn"),
        (Turn("left", "left", "left", seen_back=True), "turns backwards and its encoder counts forwards"),
        (Turn("left", "left", "left", measured_back=True, seen_back=True), "change the two wires of its motor"),
        (Turn("left", "", "left", seen_back=True), "change the two wires of its motor"),
        (Turn("left", "left", "left", measured_back=True), "encoder counts backwards"),
    ],
)
def test_each_fault_of_the_wheels_has_its_repair(turn, words):
    found = problem(turn)
    assert words in found
    assert bool(words) == bool(found)


@pytest.mark.parametrize(
    ("wheels", "expected"),
    [
        (None, ("", False)),
        (Wheels(0.0, 0.01), ("none", False)),
        (Wheels(0.08, 0.0), ("left", False)),
        (Wheels(0.003, -0.08), ("right", True)),
        (Wheels(0.08, 0.07), ("both", False)),
    ],
)
def test_the_wheel_that_turned_is_the_one_with_the_speed(wheels, expected):
    assert wheel_by_speed(wheels) == expected


def test_without_wheel_speeds_the_heading_shows_which_wheel_turned():
    assert wheel_by_heading(-0.3) == ("left", False)
    assert wheel_by_heading(0.3) == ("right", False)
    assert wheel_by_heading(0.01) == ("none", False)
    before, after = (Senses(odometry=Pose(0, 0, heading, 0)) for heading in (3.0, -3.0))
    assert turned(before, after) == pytest.approx(2 * math.pi - 6.0)
    assert turned(Senses(), after) is None


def test_a_port_is_written_by_its_stable_name(tmp_path):
    device = tmp_path / "ttyUSB0"
    device.touch()
    by_id, by_path = tmp_path / "by-id", tmp_path / "by-path"
    by_id.mkdir()
    by_path.mkdir()
    folders = (str(by_id), str(by_path))

    def name(text):
        return robotfile.stable(text, folders, devices=str(tmp_path))

    assert name(str(device))[1].startswith(f"{device} may be another device after the next start")
    (by_path / "pci-1").symlink_to(device)
    port, remark = name(str(device))
    assert port == str(by_path / "pci-1")
    assert remark
    (by_id / "usb-R2").symlink_to(device)
    assert name(str(device)) == (str(by_id / "usb-R2"), "")
    assert name(f"serial://{device}?9600") == (f"serial://{by_id / 'usb-R2'}?9600", "")
    assert name(str(by_id / "usb-R2")) == (str(by_id / "usb-R2"), "")
    assert name("tcp://localhost:8101") == ("tcp://localhost:8101", "")


def test_a_robot_file_has_the_settings_of_the_request():
    settings = robotfile.settings_of(["baud=19200", "mode=full", "sonar_deg=[90.0, 0.0]"])
    assert robotfile.values_of(settings) == {"baud": 19200, "mode": "full", "sonar_deg": [90.0, 0.0]}
    port, plugins = "/dev/\N{ROBOT FACE}", ["./mine.py", "./\N{ROBOT FACE}.py"]
    text = robotfile.text_of("olive", "patrol", "pioneer", port, settings, plugins, {})
    data = tomllib.loads(text)
    assert (data["name"], data["mission"], data["plugins"]) == ("olive", "patrol", plugins)
    assert data["board"] == {"name": "pioneer", "port": port, "parameters": robotfile.values_of(settings)}
    assert "parameters" not in robotfile.text_of("olive", "patrol", "r2", "/dev/x", {}, [], {})
    with pytest.raises(ValueError, match="expected KEY=VALUE"):
        robotfile.settings_of(["baud"])


def test_present_senses_are_shown_and_absent_groups_are_not():
    able = Capabilities(("bumpers", "mobile"), (("gripper", "is dead"),))
    full = Senses(
        wheels=Wheels(0.1, -0.1),
        odometry=Pose(1, 2, math.pi / 2, 0.1),
        pose=Pose(1, 2, 0, 0.1),
        ranges=(Range("sonar", 0.0, None, 0.1, 5.0), Range("infrared", -0.5, 0.3, 0.0, 0.8)),
        bumps=(Bump(0.5, pressed=True), Bump(-0.5, pressed=False)),
        cliffs=(Bump(0.0, pressed=False),),
        lifted=True,
        stalled=True,
        grip=Grip(1.0, 0.0, beam=True, bump=False),
        sights=(Sight("camera", 0.1, None, None, "goal"),),
        battery=0.5,
        charging=True,
    )
    text = "\n".join(format_senses(full, able))
    for words in (
        "gripper: is dead", "left +0.10 m/s", "heading +90°", "+0° -", "-29° 0.30 m", "at +29°", "none of 1",
        "opening 100%", "beam broken", "camera goal", "50%, charging", "lifted, stalled",
    ):  # fmt: skip
        assert words in text
    assert format_senses(Senses(), Capabilities()) == ["works      nothing"]
