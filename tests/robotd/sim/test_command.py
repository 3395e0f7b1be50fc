"""`robotd sim`: what it prints and writes, its exit statuses, and what it refuses, in one clear message."""

import dataclasses
import json
import sys
from typing import Any

import pytest

from behaviors.layers.avoid_obstacles import AvoidObstacles
from behaviors.parts import Percept
from robotd import api
from robotd.__main__ import main
from robotd.api import simulate
from robotd.commands.sim import changes_of, speed_of
from robotd.model.beliefs import Beliefs
from robotd.record.replay import replay
from robotd.robot.build import mind_of_part
from robotd.sim import processes
from tests.docs_pages import ROOT

from .small import small


def sim(*arguments: str) -> int:
    return main(["sim", *arguments])


# -- how it ends


def test_a_mission_that_is_accomplished_ends_with_0_and_prints_one_object(small_file, capsys, tmp_path) -> None:
    assert sim(small_file, "--json", "--seed", "3", "--out", "here") == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    outcome = json.loads(printed.out)
    assert {"reason", "radio"} <= set(outcome)
    assert [outcome[key] for key in ("mission", "seed", "accomplished", "log")] == [
        "small", 3, True, "here/run.jsonl",
    ]  # fmt: skip
    sets = {"find-locations": "find-locations-methodical", "move-spill-left": "", "move-spill-right": ""}
    assert {task: [done["by"] for done in occasions] for task, occasions in outcome["tasks"].items()} == {
        task: ["green"] for task in sets
    }
    assert [spell[0] for spell in outcome["robots"]["green"]] == [own or task for task, own in sets.items()]
    assert outcome["ticks"] == {"count": pytest.approx(outcome["duration_s"] * 10, abs=1), "skipped": 0}
    last = (tmp_path / "here" / "run.jsonl").read_text().splitlines()[-1]
    assert json.loads(last)["end"]["accomplished"] is True


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (["--duration", "3"], 0, "cut after 3 s as asked"),
        (["--set", "time_limit_s=3", "--duration", "4"], 1, "mission's time limit of 3 s"),
    ],
)
def test_a_run_that_is_cut_ends_with_0_if_asked_for_and_with_1_at_the_time_limit(
    small_file, capsys, arguments, status, reason
) -> None:
    assert sim(small_file, "--json", *arguments, "--log", "none") == status
    ended = json.loads(capsys.readouterr().out)
    assert (ended["accomplished"], ended["duration_s"], ended["log"]) == (False, 3.0, "")
    assert reason in ended["reason"]
    assert "never_happened" not in ended


def test_for_people_it_prints_the_timeline_the_end_and_what_happened_and_did_not(small_file, capsys) -> None:
    assert sim(small_file, "--duration", "4", "--event", "2.5 seize green", "--event", "9999 kill green") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[2:4] == ["green", "find-locations-methodical"]
    assert "small, seed 1: cut after 4 s as asked" in lines
    assert "event      2.5 s seize green" in lines
    assert [line for line in lines if line.startswith("never")] == [
        "never      9999 kill green: the run ended before it"
    ]
    assert ["log", "robotd-small-1/run.jsonl"] in [line.split() for line in lines]


def test_tasks_that_were_introduced_bear_the_names_of_the_mission_s_and_refused_ones_their_reason(capsys) -> None:
    def run(*words: str) -> tuple[list[str], dict[str, Any]]:
        printed = []
        for more in ((), ("--json",)):
            assert sim(*words, "--log", "none", *more) == 0
            printed.append(capsys.readouterr().out)
        return printed[0].splitlines(), json.loads(printed[1])

    lines, ended = run(
        str(ROOT / "docs/examples/rounds.toml"), "--duration", "30", "--event", "5 add-task desk guard:length_s=8"
    )
    (done,) = [line for line in lines if line.startswith("done")]
    assert done.startswith("done       desk.2 (guard): ")
    assert ended["introduced"] == {"desk.2": "guard"}
    assert ended["happened"] == [{"at_s": 5.0, "verb": "add-task", "robot": "desk", "arg": "guard:length_s=8"}]
    assert "desk.2 (guard)" in ended["ending"]
    events = ("--event", "1 add-task green find-locations", "--event", "1 add-task green find-locations")
    lines, ended = run("cleanup", "--duration", "3", *events)
    (refused,) = [line for line in lines if line.startswith("refused")]
    assert refused.startswith("refused    find-locations: ALLIANCE ")
    assert refused.endswith(" s, 2 times)")
    assert {(one["robot"], one["task"]) for one in ended["refused"]} == {("green", "find-locations")}
    assert "refused" not in run("cleanup", "--duration", "1")[1]


def test_a_run_in_which_a_layer_raised_names_robot_and_error_and_is_a_failure_unless_accomplished(
    small_file, monkeypatch, capsys
) -> None:
    def raises(self: AvoidObstacles, i: Percept, beliefs: Beliefs) -> None:
        raise ValueError("boom")

    monkeypatch.setattr(AvoidObstacles, "act", raises)
    assert sim(small_file, "--duration", "2", "--log", "none", "--json") == 1
    what = json.loads(capsys.readouterr().out)["raised"]["green"]
    assert what.startswith("ValueError: boom (behaviors/engine.py, line ")
    outcome = simulate(small(("green",)), duration_s=2.0)
    for accomplished in (False, True):
        ended = dataclasses.replace(outcome, accomplished=accomplished)
        monkeypatch.setattr(api, "simulate", lambda *args, ended=ended, **options: ended)
        assert sim(small_file) == (0 if accomplished else 1)
        assert f"raised     green: {what}; it did not move" in capsys.readouterr().out


# -- what it writes


def test_the_log_is_in_the_folder_of_the_run_unless_given_otherwise(small_file, tmp_path, capsys) -> None:
    def written(*arguments: str) -> list[str]:
        before = set(tmp_path.rglob("*.jsonl"))
        assert sim(small_file, "--duration", "1", *arguments) == 0
        return [str(path.relative_to(tmp_path)) for path in set(tmp_path.rglob("*.jsonl")) - before]

    assert written("--seed", "4") == ["robotd-small-4/run.jsonl"]
    assert written("--out", "a/b") == ["a/b/run.jsonl"]
    assert written("--log", "c/mine.jsonl") == ["c/mine.jsonl"]
    assert written("--log", "none") == []
    assert replay(tmp_path / "c" / "mine.jsonl", mind_of_part).difference is None


# -- with processes


def test_with_processes_zenoh_is_real_and_needs_its_package(small_file, capsys, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "zenoh", None)
    assert sim(small_file, "--processes", "--duration", "1", "--radio", "green=zenoh") == 2
    assert "--radio zenoh: Zenoh needs the package eclipse-zenoh" in capsys.readouterr().err


def test_real_time_itself_may_be_asked_of_processes(small_file, monkeypatch, tmp_path, capsys) -> None:
    asked = []
    outcome = simulate(small(("green",)), duration_s=0.5)
    monkeypatch.setattr(processes, "run_processes", lambda loaded, options: asked.append(options.out) or outcome)
    assert sim(small_file, "--processes", "--duration", "0.5", "--speed", "1") == 0
    assert asked == ["robotd-small-1-processes"]


# -- what it refuses


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--event|3 remov green", "--event: 3 remov green: no verb is called 'remov'; did you mean"),
        ("--event|3 remove", "'3 remove': expected \"AT VERB WHO [ARG]\""),
        ("--event|3 remove blue", "no robot is called 'blue'"),
        ("--event|3 dead green antlers", "an R-2 has no part 'antlers'"),
        ("--set|radio.loss=2", "radio.loss"),
        ("--set|radio.los=0.1", "--set radio.los=0.1: radio.los: unknown key; did you mean 'loss'?"),
        ("--set|radio", "--set radio: expected KEY=VALUE, as radio.loss=0.1"),
        ("--set|name.first=1", "this is not a key of a table"),
        ("--board|r3", "--board r3: no simulated part is called 'r3'"),
        ("--radio|blue=mock", "--radio blue=mock: no robot is called 'blue'"),
        ("--coordinator|aliance", "--coordinator aliance: coordinator.name: no coordinator is called"),
        ("--speed|0", "--speed 0: expected max, or a factor of real time such as 10"),
        ("--duration|0", "--duration 0: expected a positive number of seconds"),
        ("--duration|nan", "--duration nan: expected a positive number of seconds"),
        ("--log|/proc/nowhere/run.jsonl", "No such file or directory"),
        ("--processes|--speed|10", "--speed 10: with --processes the robots run in real time; leave it out"),
        ("--processes|--speed|max", "--speed max: with --processes the robots run in real time"),
        ("--processes|--log|x.jsonl", "--log x.jsonl: with --processes each robot keeps a log of its own"),
        ("--processes|--board|mock", "--board mock: with --processes boards and radios speak real bytes"),
        ("--processes|--radio|green=mock", "--radio mock: with --processes boards and radios speak real bytes"),
    ],
)
def test_what_it_cannot_use_is_reported_before_the_run_and_ends_with_2(
    small_file, capsys, arguments, words
) -> None:
    assert sim(small_file, *arguments.split("|")) == 2
    printed = capsys.readouterr()
    assert (printed.out, "Traceback" in printed.err, len(printed.err.splitlines())) == ("", False, 1)
    assert words in printed.err


def test_all_events_that_cannot_happen_are_reported_at_once(small_file, capsys) -> None:
    assert sim(small_file, "--event", "3 remov green", "--event", "1 kill green", "--event", "4 kill blue") == 2
    assert len(capsys.readouterr().err.splitlines()) == 2


@pytest.mark.parametrize("name", ["clenup", "nowhere.toml"])
def test_a_mission_that_is_not_there_is_reported_and_ends_with_2(small_file, capsys, name) -> None:
    assert sim(name) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


# -- its options


def test_changes_are_read_as_toml_and_as_text_where_they_are_none() -> None:
    options: Any = type(
        "Options", (), {"set": ["a.b=0.1", "c=[1, 2]", "d=plain words", " e =true"], "coordinator": None}
    )
    values = {"a.b": 0.1, "c": [1, 2], "d": "plain words", "e": True}
    assert changes_of(options)[0] == values
    options.coordinator = "other"
    assert changes_of(options)[1]["coordinator.name"] == "--coordinator other"


def test_speed_is_no_limit_or_a_factor() -> None:
    assert (speed_of("max"), speed_of("10"), speed_of("0.5")) == (None, 10.0, 0.5)


def test_an_event_of_the_mission_file_happens_like_one_of_the_command_line(small_file, capsys, tmp_path) -> None:
    with (tmp_path / small_file).open("a") as file:
        file.write('\n[[event]]\nat_s = 1.0\nverb = "kill"\nwho = "green"\n')
    assert sim(small_file, "--duration", "3", "--json", "--event", "0.5 slow green 0.5") == 0
    lines = (tmp_path / "robotd-small-1" / "run.jsonl").read_text().splitlines()
    events = [json.loads(line)["event"]["verb"] for line in lines if line.startswith('{"event"')]
    assert events == ["slow", "kill"]
