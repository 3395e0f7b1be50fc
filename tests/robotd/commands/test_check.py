from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from robotd.__main__ import main
from tests.robotd.config.files import MISSION, ROBOT, line, write


def command(*words: object) -> int:
    return main(["check", *map(str, words)])


def as_json(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, dict[str, Any]]:
    status = command(*words, "--json")
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return status, document


BAD_ROBOT = (
    ROBOT.replace('start = "at-boot"', 'strat = "at-boot"\nleash_s = -1')
    .replace("port = 0", 'port = "any"')
    .replace('port = "/dev/null"\n', "")
)


def test_one_check_tells_every_fault_of_a_robot_file_with_place_expectation_and_nearest_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, BAD_ROBOT)
    assert command(path) == 2
    captured = capsys.readouterr()
    told = captured.out.splitlines()
    assert len(told) == 4
    assert captured.err == f"{path}: 4 problems\n"
    places = {
        f"{path}:{line(BAD_ROBOT, 'strat')}: strat: ": "did you mean 'start'?",
        f"{path}:{line(BAD_ROBOT, 'leash_s')}: leash_s: ": "expected a number of at least 0, found -1",
        f"{path}:{line(BAD_ROBOT, '[board]')}: board.port: ": "/dev/serial/by-id/",
        f"{path}:{line(BAD_ROBOT, 'port', 2)}: http.port: ": "a whole number from 0 to 65535, found 'any'",
    }
    for row, (place, words) in zip(told, places.items(), strict=True):
        assert row.startswith(place)
        assert words in row


def test_faults_of_the_mission_are_told_with_those_of_the_robot_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mission = MISSION.replace("fast_rate = 10", "fast_rate = -10")
    status, document = as_json(capsys, write(tmp_path, BAD_ROBOT, mission))
    assert status == 2
    assert not document["ok"]
    by_file = [Path(problem["file"]).name for problem in document["problems"]]
    assert sorted(by_file) == ["red.toml"] * 4 + ["tidy.toml"]
    rate = document["problems"][by_file.index("tidy.toml")]
    assert (rate["line"], rate["key"]) == (line(mission, "fast_rate = -10"), "sets.push.motivation.fast_rate")
    assert rate["expected"] == "a number above 0"
    strat = next(problem for problem in document["problems"] if problem["key"] == "strat")
    assert strat["nearest"] == "start"


def test_a_sound_robot_file_ends_with_0_and_warns_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(write(tmp_path)) == 0
    out = capsys.readouterr().out
    assert "warning: only red can do 'find'" in out
    assert "note: when the whole computer dies: its own watchdog" in out
    assert out.endswith("no problems in this robot file\n")


def test_a_mission_file_is_told_from_a_robot_file_by_its_keys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path)
    assert as_json(capsys, path)[1]["kind"] == "robot"
    status, document = as_json(capsys, tmp_path / "tidy.toml")
    assert status == 0
    assert (document["kind"], document["name"], document["ok"]) == ("mission", "tidy", True)
    assert document["tasks"]["find"]["robots"] == ["red"]
    assert document["silence"]["frames"] == 6


def test_a_faulty_mission_file_is_still_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, mission=MISSION.replace("[team]", "[teem]"))
    status, document = as_json(capsys, tmp_path / "tidy.toml")
    assert (status, document["kind"]) == (2, "mission")
    keys = {problem["key"]: problem["nearest"] for problem in document["problems"]}
    assert keys["teem"] == "team"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "neither a robot file"),
        ("[bord]\n", "neither a robot file"),
        ("a = \n", ":1: not TOML"),
        ("\xff", ":1: not TOML"),
        (None, "cannot be read: No such file"),
    ],
)
def test_what_is_no_configuration_is_said_so_with_status_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None, words: str
) -> None:
    path = tmp_path / "x.toml"
    if content is not None:
        path.write_bytes(content.encode("latin-1"))
    assert command(path) == 2
    assert words in capsys.readouterr().out


def test_a_name_that_is_no_mission_is_told_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("cleanupp") == 2
    assert "no such mission" in capsys.readouterr().out


def test_a_port_whose_device_is_away_is_a_problem_on_the_robot_and_none_elsewhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, ROBOT.replace('"/dev/null"', '"serial:///dev/serial/by-id/not-there?57600"'))
    (tmp_path / "team.key").unlink()
    status, document = as_json(capsys, path)
    assert status == 2
    found = {problem["key"]: problem["message"] for problem in document["problems"]}
    assert set(found) == {"board.port", "radio.key_file"}
    assert "/dev/serial/by-id/not-there is not there" in found["board.port"]
    assert as_json(capsys, path, "--elsewhere")[0] == 0


def test_the_nearest_device_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, ROBOT.replace('"/dev/null"', '"/dev/nul"'))
    _, document = as_json(capsys, path)
    assert [problem["nearest"] for problem in document["problems"]] == ["/dev/null"]


def test_the_command_itself_ends_with_2_and_no_traceback(tmp_path: Path) -> None:
    path = write(tmp_path, BAD_ROBOT)
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    done = subprocess.run(
        [sys.executable, "-m", "robotd", "check", str(path)], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 2
    assert len(done.stdout.splitlines()) == 4
    assert "Traceback" not in done.stderr


def test_check_reports_what_run_would_meet_a_taken_port_and_an_interface_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        path = write(tmp_path, ROBOT.replace("port = 0", f"port = {port}"))
        status, document = as_json(capsys, path)
        assert status == 0
        assert [warning for warning in document["warnings"] if f"port {port}" in warning]
    assert not [warning for warning in as_json(capsys, path)[1]["warnings"] if f"port {port}" in warning]
    radio = 'name = "udp"\nport = "udp://239.255.77.1:8422?interface=nowhere0"\nkey_file = "team.key"'
    path.write_text(ROBOT[: ROBOT.index("[radio]")] + f"[radio]\n{radio}\n[http]\nport = 0\n")
    _, document = as_json(capsys, path)
    assert [problem["key"] for problem in document["problems"]] == ["radio.port"]
    assert as_json(capsys, path, "--elsewhere")[0] == 0
