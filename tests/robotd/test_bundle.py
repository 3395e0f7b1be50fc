"""One folder per robot, each checked before it is there."""

from __future__ import annotations

import argparse
import shutil
import stat
from pathlib import Path

import pytest

from robotd.commands import bundle
from robotd.commands.check import check
from robotd.config.load import load_robot
from tests.robotd.config.files import MISSION, write

LEGAL = ("--radio", "transparent", "--set", "radio.region=eu433", "--set", "radio.frequency_mhz=433.4")


def run(*arguments: object) -> int:
    parser = argparse.ArgumentParser()
    bundle.add_arguments(parser)
    return bundle.run(parser.parse_args([str(argument) for argument in arguments]))


def test_every_robot_gets_its_number_the_mission_and_the_same_private_key(tmp_path: Path, capsys) -> None:
    out = tmp_path / "out"
    assert run("cleanup", "--out", out, "--board", "blue=r2", *LEGAL) == 0
    keys = set()
    for robot, board in (("green", "mock"), ("blue", "r2"), ("gold", "mock")):
        config, mission = load_robot(out / robot / "robot.toml")
        assert (config.name, config.board.name, config.radio.region) == (robot, board, "eu433")
        assert mission.content.name == "cleanup"
        assert f"number {mission.content.team[robot].number}," in (out / robot / "robot.toml").read_text()
        key = out / robot / "team.key"
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
        keys.add(key.read_text())
    assert keys == {(out / "team.key").read_text()}
    printed = capsys.readouterr()
    assert keys.pop().strip() not in printed.out + printed.err
    assert sorted(path.name for path in out.iterdir()) == ["blue", "gold", "green", "team.key"]


def test_the_ports_that_are_still_to_be_named_are_what_the_check_on_the_robot_tells(tmp_path: Path) -> None:
    run("cleanup", "--out", tmp_path / "out", "--board", "r2")
    found = [problem.key for problem in check(str(tmp_path / "out" / "green" / "robot.toml")).problems]
    assert found == ["board.port", "radio.port"]


def test_a_radio_of_datagrams_gets_a_multicast_group_for_its_port(tmp_path: Path) -> None:
    assert run("cleanup", "--out", tmp_path / "out", "--radio", "udp") == 0
    config, _ = load_robot(tmp_path / "out" / "green" / "robot.toml")
    assert config.radio.port.startswith("udp://239.")


def test_zenoh_gets_a_router_that_is_still_to_be_named_and_asks_for_its_package(
    tmp_path: Path, monkeypatch
) -> None:
    assert run("cleanup", "--out", tmp_path / "out", "--radio", "zenoh") == 0
    path = tmp_path / "out" / "blue" / "robot.toml"
    (unnamed,) = check(str(path)).problems
    assert unnamed.key == "radio.port"
    assert unnamed.message == "zenoh://tcp/PUT-THE-ROUTER-HERE:7447 is still to be named"
    path.write_text(path.read_text().replace("PUT-THE-ROUTER-HERE", "127.0.0.1"))
    for package in ("install it", ""):
        monkeypatch.setattr("robotd.config.cross.missing", lambda package=package: package)
        assert [problem.message for problem in check(str(path)).problems] == [package] * bool(package)


def test_a_second_time_the_robot_files_are_kept_and_mission_and_keys_renewed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run("cleanup", "--out", out)
    own = out / "green" / "robot.toml"
    own.write_text(own.read_text() + '[log]\nfolder = "none"\n')
    (out / "team.key").write_text("ab" * 32)
    (out / "green" / "mission.toml").write_text("")
    assert run("cleanup", "--out", out) == 0
    config, mission = load_robot(own)
    assert (config.log.folder, mission.content.name) == ("none", "cleanup")
    assert (out / "green" / "team.key").read_text() == "ab" * 32


def test_a_missions_own_plug_ins_go_along(tmp_path: Path) -> None:
    write(tmp_path)
    assert run(tmp_path / "tidy.toml", "--out", tmp_path / "out", "--board", "free", "--radio", "none") == 0
    shutil.rmtree(tmp_path / "out" / "blue")
    (tmp_path / "mine.py").unlink()
    assert load_robot(tmp_path / "out" / "red" / "robot.toml")[0].radio.name == "none"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--radio", "gren=none"), "did you mean 'green'?"),
        (("--board", "mok"), "green/robot.toml:7: board.name"),
        (("--set", "radio.regoin=eu868"), "did you mean 'region'?"),
        (("--set", "radio.region"), "expected KEY=VALUE"),
        (("--set", "radio.region=eu868"), "say which: frequency_mhz"),
        (
            ("--set", "radio.region=eu868", "--set", "radio.frequency_mhz=864"),
            "set beat_s = 25.9 or more in the mission's [radio] or frequency_mhz = 869.525",
        ),
    ],
)
def test_what_would_not_work_is_told_and_no_folder_is_left(tmp_path: Path, capsys, arguments, words) -> None:
    out = tmp_path / "out"
    assert run("cleanup", "--out", out, *arguments) == 2
    told = capsys.readouterr().err
    assert words in told
    assert ".new" not in told
    assert not out.exists() or [path.name for path in out.iterdir()] == ["team.key"]


def test_a_key_file_that_is_none_and_a_place_that_cannot_be_written_are_told(tmp_path: Path, capsys) -> None:
    (tmp_path / "bad.key").write_text("secret")
    assert run("cleanup", "--out", tmp_path / "out", "--key", tmp_path / "bad.key") == 2
    (tmp_path / "file").write_text("")
    assert run("cleanup", "--out", tmp_path / "file") == 1
    told = capsys.readouterr().err
    assert "line 1 is not a key" in told
    assert "secret" not in told


def test_a_plug_in_outside_the_missions_folder_cannot_go_along(tmp_path: Path, capsys) -> None:
    (tmp_path / "below").mkdir()
    write(tmp_path, mission=MISSION)
    (tmp_path / "below" / "tidy.toml").write_text(MISSION.replace("./mine.py", "../mine.py"))
    assert run(tmp_path / "below" / "tidy.toml", "--out", tmp_path / "out", "--radio", "none") == 2
    assert "move it beside the mission" in capsys.readouterr().err
