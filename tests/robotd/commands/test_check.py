"""`robotd check`: one golden page of a faulty file, one of a sound one, and what the computer lacks."""

import json
import math
import socket
from pathlib import Path
from typing import Any

import pytest

from robotd.__main__ import main
from robotd.advice.advice import Advice
from robotd.advice.check import check
from robotd.advice.coverage import Coverage
from robotd.commands.check_words import MOST_COLUMNS, format_span, in_words
from tests.docs_pages import ROOT
from tests.robotd.advice.advised import of_mission
from tests.robotd.config.files import MISSION, ROBOT, changed, line, write

BAD = changed(
    ROBOT, ('start = "at-boot"', 'strat = "at-boot"\nbase_station_timeout_s = -1'), ("port = 0", 'port = "any"'),
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
        ("red.toml", line(BAD, "base_station_timeout_s"), "base_station_timeout_s", ""),
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


@pytest.mark.parametrize("words", [["--only", "stop"], ["--yes"]])
def test_what_is_for_a_board_is_refused_beside_a_file(words: list[str], capsys) -> None:
    assert main(["check", "cleanup", *words]) == 2
    assert "is for a board" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (["--set", "radio.loss=0.5"], ""),
        (["--set", "radio.loss=2"], "radio.loss"),
        (["--set", "coordinator.name=nonsense"], "coordinator.name"),
        (["--coordinator", "murdoch"], ""),
        (["--coordinator", "auction"], "coordinator.name"),
        (["--coordinator", "auction", "--plugin", str(ROOT / "docs/examples/auction.py")], ""),
        (["--plugin", "no.py"], "plugins"),
    ],
)
def test_a_mission_is_checked_as_options_change_it(words: list[str], key: str, tmp_path: Path, capsys) -> None:
    status, document = as_json(capsys, "cleanup", *words)
    assert [one["key"].partition(".0")[0] for one in document["problems"]] == ([key] if key else [])
    assert status == (2 if key else 0)
    robot = write(tmp_path)
    assert main(["check", str(robot), *words]) == 2
    assert "is for a mission; a robot file names its own" in capsys.readouterr().err


def test_options_that_change_a_mission_are_of_no_board(capsys) -> None:
    words = ["--board", "r2", "--against", "/dev/null", "--yes"]
    assert main(["check", *words, "--coordinator", "murdoch"]) == 2
    assert "--coordinator is for a mission" in capsys.readouterr().err
    assert main(["check", "cleanup", "--set", "radio"]) == 2
    assert "expected KEY=VALUE" in capsys.readouterr().err


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


@pytest.mark.parametrize("taken", ["http", "foxglove"])
def test_a_port_that_another_program_has_is_a_warning(tmp_path: Path, capsys, taken: str) -> None:
    changes = {"http": "{}", "foxglove": "0\n[foxglove]\nenabled = true\nport = {}"}[taken]
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        path = write(tmp_path, changed(ROBOT, ("port = 0", f"port = {changes.format(port)}")))
        status, document = as_json(capsys, path)
        assert (status, any(f"port {port}" in words for words in document["warnings"])) == (0, True)
    assert not any(f"port {port}" in words for words in as_json(capsys, path)[1]["warnings"])


# -- what is printed of a file without faults


def lines(advice: Advice, *robots: str) -> list[str]:
    return list(in_words(advice, robots or ("red", "blue")))


def test_a_table_shows_who_can_do_which_task_and_what_it_needs(tmp_path: Path) -> None:
    advice = of_mission(tmp_path, ("[facts]", "[tasks.rest]\nnumber = 3\n[facts]"))
    assert lines(advice)[:5] == [
        "Who can do which task:",
        "  task   blue  red  needs",
        "  find   no    yes  mobile, side-range",
        "  shift  yes   yes  gripper, mobile",
        "  rest   no    no",
    ]


def test_of_a_large_team_those_that_can_are_named() -> None:
    robots = [f"r{n}" for n in range(MOST_COLUMNS + 1)]
    of = Coverage({"r1": ("a",), "r8": ("a",)}, {}, {"a": ()})
    assert "  find  2 of 9  r1, r8" in lines(Advice(tasks={"find": of}), *robots)


def test_a_table_shows_when_tasks_change_hands(tmp_path: Path) -> None:
    exclusive = ("patience_s = inf", "patience_s = inf\nexclusive = true")
    printed = lines(of_mission(tmp_path, exclusive))
    at = printed.index("When a task is taken up, and left, at the latest (s):")
    assert printed[at + 1 : at + 4] == [
        "  task   no robot on it  teammate silent  teammate goes on  yields after  gives up after",
        "  find   5               -                -                 60            120",
        "  shift  10              29.5             never             60            120",
    ]
    assert not any("at the latest" in line for line in lines(Advice(tasks={}), "red"))


@pytest.mark.parametrize(
    ("times", "words"),
    [([], "-"), ([10.0], "10"), ([25.0, 10.0], "10 to 25"), ([math.inf], "never"), ([1810.4, math.inf],
     "1810 to never"), ([23.45, 1e5], "23.4 to 100000")],
)  # fmt: skip
def test_several_times_are_shown_from_the_least_to_the_greatest(times: list[float], words: str) -> None:
    assert format_span(times) == words


def test_the_shipped_mission_has_no_warning_and_is_reported_as_json() -> None:
    report = check("cleanup")
    assert report.advice.warnings == []
    document = json.loads(json.dumps(report.as_json(), allow_nan=False))
    assert document["takeovers"]["move-spill-left"]["gold"]["announcing_s"] == {"blue": 1825.0, "green": 1825.0}
    assert document["takeovers"]["report-progress"]["green"]["unattended_s"] == 250.0
    assert document["ratios"]["green"]["report-progress"] == 8.0
    assert set(document["tasks"]) == set(document["takeovers"])
