"""`robotd check`: one golden page of a faulty file, one of a sound one, and what the computer lacks."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from robotd.__main__ import main
from tests.robotd.config.files import MISSION, ROBOT, changed, line, write

BAD = changed(
    ROBOT, ('start = "at-boot"', 'strat = "at-boot"\nleash_s = -1'), ("port = 0", 'port = "any"'),
    ('port = "/dev/null"\n', ""),
)  # fmt: skip


def as_json(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, dict[str, Any]]:
    status = main(["check", *map(str, words), "--json"])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return status, document


def test_every_fault_of_both_files_has_a_line_for_people_and_an_object_for_programs(
    tmp_path: Path, capsys
) -> None:
    mission = changed(MISSION, ("fast_rate = 10", "fast_rate = -10"))
    path = write(tmp_path, BAD, mission)
    assert main(["check", str(path)]) == 2
    printed = capsys.readouterr()
    assert printed.err == f"{path}: 5 problems\n"
    places = [
        ("red.toml", line(BAD, "strat"), "strat", "start"),
        ("red.toml", line(BAD, "leash_s"), "leash_s", ""),
        ("red.toml", line(BAD, "[board]"), "board.port", ""),
        ("red.toml", line(BAD, "port", 2), "http.port", ""),
        ("tidy.toml", line(mission, "fast_rate = -10"), "sets.push.motivation.fast_rate", ""),
    ]
    for row, (file, number, key, _) in zip(printed.out.splitlines(), places, strict=True):
        assert row.startswith(f"{tmp_path / file}:{number}: {key}: ")
    status, document = as_json(capsys, path)
    assert (status, document["ok"]) == (2, False)
    problems = document["problems"]
    assert [(Path(one["file"]).name, one["line"], one["key"], one["nearest"]) for one in problems] == places
    assert all(one["expected"] for one in document["problems"])


def test_a_sound_file_ends_with_0_and_advice_and_is_of_the_kind_that_its_keys_say(tmp_path: Path, capsys) -> None:
    path = write(tmp_path)
    assert main(["check", str(path)]) == 0
    out = capsys.readouterr().out
    assert "warning: only red can do 'find'" in out
    assert "note: when the whole computer dies: its own watchdog" in out
    assert out.endswith("no problems in this robot file\n")
    assert as_json(capsys, path)[1]["kind"] == "robot"
    status, document = as_json(capsys, tmp_path / "tidy.toml")
    assert (status, document["kind"], document["name"], document["ok"]) == (0, "mission", "tidy", True)
    assert (document["tasks"]["find"]["robots"], document["silence"]["frames"]) == (["red"], 6)


@pytest.mark.parametrize(
    ("content", "word"),
    [("", "neither a robot file"), ("[bord]\n", "neither a robot file"), ("a = \n", ":1: not TOML"),
     ("\xff", ":1: not TOML"), (None, "no such file"), (MISSION.replace("[team]", "[teem]"), "'team'")],
)  # fmt: skip
def test_what_is_no_configuration_ends_with_2_and_words(
    tmp_path: Path, capsys, content: str | None, word: str
) -> None:
    path = tmp_path / "x.toml"
    if content is not None:
        path.write_bytes(content.encode("latin-1"))
    assert main(["check", str(path)]) == 2
    assert word in capsys.readouterr().out


def test_a_name_that_is_no_mission_is_refused_with_the_nearest(capsys) -> None:
    assert main(["check", "cleanupp"]) == 2
    assert "'cleanup'" in capsys.readouterr().out


def test_what_this_computer_lacks_is_a_problem_on_the_robot_and_none_elsewhere(tmp_path: Path, capsys) -> None:
    path = write(tmp_path, changed(ROBOT, ('"/dev/null"', '"serial:///dev/serial/by-id/not-there?57600"')))
    (tmp_path / "team.key").unlink()
    status, document = as_json(capsys, path)
    assert (status, {one["key"] for one in document["problems"]}) == (2, {"board.port", "radio.key_file"})
    assert as_json(capsys, path, "--elsewhere")[0] == 0
    path = write(tmp_path, changed(ROBOT, ('"/dev/null"', '"/dev/nul"')))
    assert [one["nearest"] for one in as_json(capsys, path)[1]["problems"]] == ["/dev/null"]
    radio = 'name = "udp"\nport = "udp://239.255.77.1:8422?interface=nowhere0"\nkey_file = "team.key"'
    path.write_text(ROBOT[: ROBOT.index("[radio]")] + f"[radio]\n{radio}\n[http]\nport = 0\n")
    assert [one["key"] for one in as_json(capsys, path)[1]["problems"]] == ["radio.port"]
    assert as_json(capsys, path, "--elsewhere")[0] == 0


def test_a_port_of_http_that_another_program_has_is_a_warning(tmp_path: Path, capsys) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        path = write(tmp_path, changed(ROBOT, ("port = 0", f"port = {port}")))
        status, document = as_json(capsys, path)
        assert (status, any(f"port {port}" in words for words in document["warnings"])) == (0, True)
    assert not any(f"port {port}" in words for words in as_json(capsys, path)[1]["warnings"])


def test_as_a_process_it_ends_with_2_and_no_traceback(tmp_path: Path) -> None:
    argv = [sys.executable, "-W", "error", "-m", "robotd", "check", str(write(tmp_path, BAD))]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (done.returncode, len(done.stdout.splitlines())) == (2, 4)
    assert "Traceback" not in done.stderr
