"""One folder per robot, each checked before it is there."""

import shutil
import stat
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robotd.__main__ import main
from robotd.advice.check import check
from robotd.config.load import find_mission, load_mission, load_robot
from robotd.deploy.bundle import Change, change_of, robot_tables, robot_text
from robotd.files.toml import value_of
from tests.robotd.config.files import MISSION, write

LEGAL = ("--radio", "transparent", "--set", "radio.region=eu433", "--set", "radio.frequency_mhz=433.4")


def run(*arguments: object) -> int:
    return main(["bundle", *map(str, arguments)])


def test_every_robot_gets_its_number_the_mission_and_the_same_private_key(tmp_path: Path, capsys) -> None:
    out = tmp_path / "out"
    assert run("cleanup", "--out", out, "--board", "blue=r2", *LEGAL) == 0
    keys, ports = set(), set()
    for robot, board in (("green", "mock"), ("blue", "r2"), ("gold", "mock")):
        config, mission = load_robot(out / robot / "robot.toml")
        assert (config.name, config.board.name, config.radio.region) == (robot, board, "eu433")
        assert mission.content.name == "cleanup"
        assert f"number {mission.content.team[robot].number}," in (out / robot / "robot.toml").read_text()
        key = out / robot / "team.key"
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
        keys.add(key.read_text())
        ports.add(config.http.port)
    assert keys == {(out / "team.key").read_text()}
    assert ports == {8421, 8422, 8423}  # so that all can run on one computer
    printed = capsys.readouterr()
    assert keys.pop().strip() not in printed.out + printed.err
    assert sorted(path.name for path in out.iterdir()) == ["blue", "gold", "green", "team.key"]


def test_the_ports_that_are_still_to_be_named_are_faults_on_the_robot(tmp_path: Path) -> None:
    run("cleanup", "--out", tmp_path / "out", "--board", "r2")
    found = [problem.key for problem in check(str(tmp_path / "out" / "green" / "robot.toml")).problems]
    assert found == ["board.port", "radio.port"]


def test_a_radio_of_a_network_gets_a_group_or_a_router_that_is_still_to_be_named(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run("cleanup", "--out", out, "--radio", "udp", "--radio", "blue=zenoh") == 0
    ports = [load_robot(out / robot / "robot.toml")[0].radio.port for robot in ("green", "blue")]
    assert ports == ["udp://239.255.77.1:8422?interface=wlan0", "zenoh://tcp/PUT-THE-ROUTER-HERE:7447"]
    assert [problem.key for problem in check(str(out / "blue" / "robot.toml")).problems] == ["radio.port"]


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


LORA = ("--radio", "reyax", "--set", "radio.region=eu868", "--set", "radio.parameters.band_hz=869525000")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("arguments", "robots", "words"),
    [
        (LORA, ("blue", "gold", "green"), " ".join(LORA).replace(" --set", ", --set")),
        (("--board", "blue=r2"), ("blue",), "--board blue=r2"),
        (
            ("--radio", "none", "--set", "base_station_timeout_s=3"),
            ("blue", "gold", "green"),
            "--set base_station_timeout_s=3",
        ),
    ],
)
def test_options_that_a_kept_robot_file_does_not_follow_are_refused_before_anything_is_written(
    tmp_path: Path, capsys, arguments, robots, words
) -> None:
    out = tmp_path / "out"
    assert run("cleanup", "--out", out, "--radio", "none") == 0
    (out / "team.key").write_text("ab" * 32)
    before = contents(out)
    capsys.readouterr()
    assert run("cleanup", "--out", out, *arguments) == 2
    printed = capsys.readouterr()
    lines = printed.err.removeprefix("robotd: ").splitlines()
    end = f"is kept, so this does not get into it: {words}; edit it, or remove it and run again"
    assert lines == [f"{out / robot / 'robot.toml'}: {end}" for robot in robots]
    assert printed.out == ""
    assert contents(out) == before


def test_options_that_the_kept_robot_files_follow_already_are_none_to_refuse(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run("cleanup", "--out", out, *LORA) == 0
    own = out / "blue" / "robot.toml"
    own.write_text(own.read_text().replace("PUT-THE-MODEM-HERE", "modem"))
    shutil.rmtree(out / "gold")
    assert run("cleanup", "--out", out, *LORA) == 0
    assert "by-id/modem" in own.read_text()
    assert load_robot(out / "gold" / "robot.toml")[0].radio.region == "eu868"
    own.write_text(own.read_text().replace("869525000", "868100000"))
    assert run("cleanup", "--out", out, *LORA) == 2
    own.unlink()
    assert run("cleanup", "--out", out, *LORA) == 0
    assert load_robot(own)[0].radio.parameters["band_hz"] == 869525000


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("radio=3", "radio is a table of the robot file; expected radio.KEY=VALUE"),
        ("radio.name.x=3", "radio.name is no table of the robot file, but a value; expected KEY=VALUE"),
        ("radio.a b=3", "'a b' is no key of a robot file; expected KEY=VALUE, as radio.region=eu868"),
        ("radio.=3", "'' is no key of a robot file; expected KEY=VALUE"),
        ("radio.parameters=3", "radio.parameters: expected a table, found 3"),
        ("radio.parameters.air=3", "radio.parameters.air: unknown key"),
        ("add_ons.0.port=/dev/x", "add_ons: expected a list, each a table"),
        ("regoin=3", "regoin: unknown key"),
        ("radio.region=\N{ROBOT FACE}", "radio.region: expected one of"),
    ],
)
def test_a_fault_of_a_setting_is_reported_of_its_option(tmp_path: Path, capsys, setting, words) -> None:
    assert run("cleanup", "--out", tmp_path / "out", "--set", setting) == 2
    (row,) = capsys.readouterr().err.splitlines()
    assert f"--set {setting}: {words}" in row


@settings(max_examples=50)
@given(st.one_of(st.text(), st.from_regex(r"[a-z.\[\"= ]{1,8}=[0-9a-z\[\]{}\"'=\n ]{0,8}", fullmatch=True)))
def test_any_setting_is_refused_as_such_or_is_in_the_robot_file(text: str) -> None:
    mission = load_mission(find_mission("cleanup"))
    board, radio = Change("board.name", '"mock"'), Change("radio.name", '"none"')
    refused, data, change = "", {}, None
    try:
        change = change_of(text)
        tables = robot_tables("green", mission, board, radio, change)
        data = tomllib.loads(robot_text("green", 1, "cleanup", tables))
    except ValueError as error:
        refused = str(error)
    if refused:
        assert refused.startswith(f"--set {text}: ")
        return
    for part in change.key.split("."):
        data = data[part]
    assert repr(data) == repr(value_of(change.value))


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
        (("--radio", "reyax"), "--radio reyax: radio.parameters.band_hz: this key is required"),
        (("--board", "mok"), "--board mok: board.name: "),
        (("--set", "radio.regoin=eu868"), "did you mean 'region'?"),
        (("--set", "radio.region"), "expected KEY=VALUE"),
        (("--set", "radio.region=eu868"), "set frequency_mhz"),
        (
            ("--set", "radio.region=eu868", "--set", "radio.frequency_mhz=864"),
            "set beat_s = 25.9 or more in the mission's [radio]",
        ),
    ],
)
def test_a_faulty_option_is_reported_and_no_folder_is_left(tmp_path: Path, capsys, arguments, words) -> None:
    out = tmp_path / "out"
    assert run("cleanup", "--out", out, *arguments) == 2
    err = capsys.readouterr().err
    assert words in err
    assert ".new" not in err
    assert not out.exists()
    out.mkdir()
    assert run("cleanup", "--out", out, *arguments) == 2
    assert list(out.iterdir()) == []  # not a key either: that of another try would be another one


def _full(path: Path, *_: object) -> None:
    raise OSError(28, "No space left on device", str(path))


def test_a_faulty_key_file_and_a_folder_that_cannot_be_written_are_reported(
    tmp_path: Path, capsys, monkeypatch
) -> None:
    (tmp_path / "bad.key").write_text("secret")
    assert run("cleanup", "--out", tmp_path / "out", "--key", tmp_path / "bad.key") == 2
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "blue").touch()
    assert run("cleanup", "--out", tmp_path / "out") == 2
    err = capsys.readouterr().err
    assert "line 1 is not a key" in err
    assert "secret" not in err
    assert f"{tmp_path}/out/blue is no folder" in err
    (tmp_path / "locked").mkdir(mode=0o500)
    monkeypatch.setattr("robotd.files.keyfile.write", _full)
    assert run("cleanup", "--out", tmp_path / "locked") == 1
    assert "team.key: No space left on device" in capsys.readouterr().err


def test_a_plug_in_outside_the_missions_folder_cannot_go_along(tmp_path: Path, capsys) -> None:
    (tmp_path / "below").mkdir()
    write(tmp_path, mission=MISSION)
    (tmp_path / "below" / "tidy.toml").write_text(MISSION.replace("./mine.py", "../mine.py"))
    assert run(tmp_path / "below" / "tidy.toml", "--out", tmp_path / "out", "--radio", "none") == 2
    assert "move it beside the mission" in capsys.readouterr().err
