"""Experiment files: what they may have, and every fault at once with its line."""

import argparse
import json
from pathlib import Path

import pytest

from robotd.__main__ import main
from robotd.commands.experiment import add_arguments, request_of
from robotd.config.load import ConfigError
from robotd.experiments.file import read_experiment
from tests.robotd.sim.small import text

HEAD = 'name = "tiny"\ntitle = "Does it?"\nmission = "small.toml"\nruns = 2\n'
SHORT = "[set]\ntime_limit_s = 6.0\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(text(("green", "blue")))
    return tmp_path


def read(folder: Path, body: str):
    path = folder / "tiny.toml"
    path.write_text(HEAD + body)
    return read_experiment(path)


def faults(folder: Path, body: str) -> list[str]:
    (folder / "tiny.toml").write_text(HEAD + body)
    return faults_of(folder / "tiny.toml")


def faults_of(path: Path) -> list[str]:
    with pytest.raises(ConfigError) as error:
        read_experiment(path)
    return [str(problem).replace(f"{path.parent}/", "") for problem in error.value.problems]


def test_factors_are_crossed_the_last_one_changing_fastest(folder: Path) -> None:
    found = read(
        folder, '[factors]\n"radio.loss" = [0.0, 0.3]\nrobots = { both = ["green", "blue"], one = "green" }\n'
    )
    assert [cell.name for cell in found.cells()] == [
        "radio.loss=0.0, robots=both", "radio.loss=0.0, robots=one",
        "radio.loss=0.3, robots=both", "radio.loss=0.3, robots=one",
    ]  # fmt: skip
    last = found.scenarios["radio.loss=0.3, robots=one"].mission
    assert (last.content.radio.loss, list(last.content.team)) == (0.3, ["green"])
    assert (found.runs, found.seed, found.title) == (2, 1, "Does it?")


def test_cells_may_have_names_and_their_own_factors(folder: Path) -> None:
    own = '"radio.loss" = 0.5\n"radio.loss_model" = "gilbert-elliott"\n'
    own += 'events = "3 remove blue"\nboard = "green=r2"\n'
    found = read(folder, f"{SHORT}[cells.calm]\n[cells.bursts]\n{own}")
    assert [cell.name for cell in found.cells()] == ["calm", "bursts"]
    assert found.cells()[1].factors["radio.loss_model"] == "gilbert-elliott"
    assert found.scenarios["bursts"].mission.content.time_limit_s == 6.0
    assert found.scenarios["bursts"].events == ["3 remove blue"]


FACTORS = '[factors]\n"radio.loss" = [0.0, 0.3]\nrobots = { both = ["green", "blue"], one = "green" }\n'


def test_a_factor_is_a_column_with_its_levels_names_and_set_is_none(folder: Path) -> None:
    found = read(folder, SHORT + FACTORS)
    assert found.factors == ["radio.loss", "robots"]
    cell = found.cells()[3]
    assert (cell.factors, cell.settings["robots"]) == ({"radio.loss": 0.3, "robots": "one"}, "green")
    assert cell.settings["time_limit_s"] == 6.0


def test_a_baseline_is_a_level_of_each_factor_named_or_a_cell(folder: Path) -> None:
    def baselines(body: str) -> list[str]:
        found = read(folder, body)
        return [found.baseline(cell).replace("radio.loss=", "") for cell in found.cells()]

    assert baselines(FACTORS) == ["0.0, robots=both"] * 4
    losses = baselines(f'{FACTORS}[baseline]\n"radio.loss" = 0.3\n')
    assert losses == ["0.3, robots=both", "0.3, robots=one"] * 2
    both = baselines(f'{FACTORS}[baseline]\nrobots = "one"\n"radio.loss" = 0.0\n')
    assert both == ["0.0, robots=one"] * 4
    assert baselines('baseline = "b"\n[cells.a]\n[cells.b]\n') == ["b", "b"]


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ('[baseline]\n"radio.los" = 0.0\n', "no factor is called 'radio.los'; did you mean 'radio.loss'"),
        ('[baseline]\nrobots = "on"\n', "no level is called 'on'; did you mean 'one'"),
        ('[figure]\nover = "robot"\n', "no factor is called 'robot'; did you mean 'robots'"),
    ],
)
def test_a_baseline_or_figure_of_what_is_not_there_is_a_fault(folder: Path, body: str, word: str) -> None:
    assert any(word in line and line.startswith("tiny.toml:9") for line in faults(folder, FACTORS + body))


PLUGIN = """
from dataclasses import dataclass
from robotd.experiments.base import Cell, Experiment

@dataclass(frozen=True, kw_only=True)
class Even(Experiment):
    def cells(self):
        return [Cell("whole numbers")]
    def run(self, cell, seeds, log):
        return [{"accomplished": seed % 2 == 0, "reason": ""} for seed in seeds]

ROBOTD = {"robotd.experiments": {"even": Even(name="even", title="Are seeds even?"), "wrong": 3}}
"""


def test_an_experiment_of_a_plug_in_file_runs_in_worker_processes(folder: Path, capsys) -> None:
    (folder / "even.py").write_text(PLUGIN)
    path = folder / "mine.toml"
    path.write_text('experiment = "even"\nplugins = ["even.py"]\nruns = 4\nseeds = "consecutive"\n')
    assert experiment("mine.toml", "--jobs", "2", "--json", "--out", "out") == 0
    document = json.loads(capsys.readouterr().out)
    assert [row["accomplished"] for row in document["runs"]] == [False, True, False, True]
    for name, word in (("evn", "did you mean 'even'"), ("wrong", "derived from Experiment, found 3")):
        path.write_text(f'experiment = "{name}"\nplugins = ["even.py"]\n')
        assert any(word in fault for fault in faults_of(path))


def test_all_faults_are_reported_at_once_with_file_line_and_what_was_meant(folder: Path) -> None:
    reported = faults(
        folder, '[factors]\n"radio.loss" = [0.0,\n 3.0]\ncoordinator = ["aliance"]\nrobots = [["green", "bleu"]]\n'
    )
    starts = ("7: radio.loss: expected a number from 0 to 1, found 3.0", "8: coordinator.name: ", "9: robots: ")
    assert all(line.startswith(f"tiny.toml:{start}") for line, start in zip(reported, starts, strict=True))
    assert "did you mean 'alliance'" in reported[1]
    assert "did you mean 'blue'" in reported[2]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("", ["tiny.toml:1: factors: expected either [factors] or [cells.NAME]"]),
        ('[factors]\nevents = ["5 dance blue"]\n', ["tiny.toml:6: events", "dance"]),
        ('[factors]\nevents = [3]\n', ["tiny.toml:6: factors.events.0: expected a text, or a list of texts"]),
        ('[factors]\nradio.loss = [0.1]\n', ["tiny.toml:6", "written with quotes"]),
        ('[factors]\nboard = ["r3"]\n', ["tiny.toml:6: board", "create2, firmata, kobuki, mock, pioneer, r2"]),
        ('[factors]\n"radio.losss" = [0.1]\n', ["tiny.toml:6: radio.losss", "loss"]),
        ('[factors]\n"radio.loss" = [0.1, 0.1]\n', ["called alike"]),
        ('[factors]\n"radio.loss" = []\n', ["tiny.toml:6: factors.radio.loss: it has no level"]),
        ('[factors]\n"radio.loss" = 0.5\n', ["tiny.toml:6: factors.radio.loss: expected a list or a table"]),
        ('[cells.a]\n[cells.b]\n"team.red.number" = 1\n', ["tiny.toml:7", "team.red"]),
        ('runz = 3\n[cells.a]\n', ["tiny.toml:5: runz", "runs"]),
        ('[cells.a]\nrobots = []\n', ["tiny.toml:6: robots: no robot; there are: green, blue"]),
        ('[set]\n"radio.loss" = 0.1\n[factors]\n"radio.loss" = [0.0]\n', ["tiny.toml:8", "in [set] too"]),
        ('plugins = ["no.py"]\n[cells.a]\n', ["tiny.toml:5: plugins", "no.py: not a Python file"]),
        ('time_limit_s = inf\n[cells.a]\n', ["tiny.toml:5: time_limit_s", "at most 1"]),
        ('logs = 1000001\n[cells.a]\n', ["tiny.toml:5: logs", "1000000"]),
        ('[cells."a b"]\n[cells.a_b]\n', ["tiny.toml", "logs of cells 'a b' and 'a_b' would have one name"]),
    ],
)  # fmt: skip
def test_a_fault_is_reported_with_its_line(folder: Path, body: str, words: list[str]) -> None:
    reported = "\n".join(faults(folder, body))
    for word in words:
        assert word in reported


def test_faults_of_keys_of_levels_and_of_what_levels_change_are_reported_at_once(folder: Path) -> None:
    body = 'runz = 3\n[factors]\ncoordinator = [3]\nradio = [3]\n"radio.losss" = [0.1]\nrobots = ["gren"]\n'
    reported = "\n".join(faults(folder, body))
    for word in ("tiny.toml:5: runz", "tiny.toml:7: factors.coordinator", "tiny.toml:8: factors.radio.0",
                 "tiny.toml:9: radio.losss", "tiny.toml:10: robots: no robot is called 'gren'"):  # fmt: skip
        assert word in reported
    assert "expected either" not in "\n".join(faults(folder, "[factor]\nrobots = ['green']\n"))


def test_a_wrong_key_of_the_mission_hides_no_wrong_events_boards_and_radios_and_brings_none(folder: Path) -> None:
    wrong = '"radio.losss" = 0.1\n"radio.loss" = 3.0\ncoordinator = "aliance"\n'
    reported = faults(folder, f'[cells.a]\n{wrong}events = ["5 dance blue"]\nboard = "r3"\nradio = "blue=morse"\n')
    assert sorted(line.split(": ")[:2] for line in reported) == [
        ["tiny.toml:10", "board"], ["tiny.toml:11", "radio"], ["tiny.toml:6", "radio.losss"],
        ["tiny.toml:7", "radio.loss"], ["tiny.toml:8", "coordinator.name"], ["tiny.toml:9", "events"],
    ]  # fmt: skip
    right = 'events = ["5 remove blue"]\nboard = "blue=r2"\n'
    assert len(faults(folder, f"[cells.a]\n{wrong}{right}")) == 3
    plugged = faults(folder, f'plugins = ["no.py"]\n[cells.a]\n{wrong}board = "its-own"\n')
    assert not any("board" in line for line in plugged)


def test_an_event_of_the_mission_that_cannot_happen_in_a_cell_hides_no_fault_of_the_cell(folder: Path) -> None:
    mission = folder / "small.toml"
    mission.write_text(mission.read_text() + '\n[[event]]\nat_s = 3.0\nverb = "remove"\nwho = "blue"\n')
    reported = "\n".join(faults(folder, '[cells.a]\nrobots = "green"\nboard = "r3"\n'))
    assert "'blue'" in reported
    assert "tiny.toml:7: board: " in reported


def test_a_mission_that_is_not_there_is_a_fault_of_its_line(folder: Path) -> None:
    (folder / "small.toml").unlink()
    assert faults(folder, "[cells.a]\n")[0].startswith("tiny.toml:3: mission: ")


def test_the_digest_changes_with_the_mission_and_the_levels_but_not_with_words(folder: Path) -> None:
    body = '[factors]\n"radio.loss" = [0.0]\n'
    first = read(folder, body).digest
    assert read(folder, body + "# a comment\n").digest == first
    assert read(folder, body.replace("0.0", "0.1")).digest != first
    mission = folder / "small.toml"
    mission.write_text(mission.read_text().replace("depth_m = 4.0", "depth_m = 4.5"))
    assert read(folder, body).digest != first


def experiment(*words: str) -> int:
    return main(["experiment", *words])


@pytest.mark.long
def test_a_file_is_run_to_tables_figures_and_one_object(folder: Path, capsys) -> None:
    (folder / "tiny.toml").write_text(
        HEAD + SHORT + '[factors]\nevents = { none = [], removed = ["2 remove blue"] }\n'
    )
    words = ("tiny.toml", "--runs", "1", "--seed", "4", "--seeds", "consecutive", "--out", "here")
    assert experiment(*words, "--jobs", "1", "--json") == 0
    reported = json.loads(capsys.readouterr().out)
    cells = ("events=none", "events=removed")
    assert [(row["cell"], row["run"], row["seed"]) for row in reported["runs"]] == [(cell, 1, 4) for cell in cells]
    assert reported["summary"]["runs"] == 2
    assert reported["experiment"] == "tiny"
    page = (folder / "here" / "report.html").read_text()
    assert all(f"<td>{cell}</td>" in page for cell in cells)
    assert "robotd experiment tiny.toml --runs 1 --seed 4 --seeds consecutive" in page
    assert page.count("<svg") == len(list((folder / "here" / "figures").glob("*.svg"))) == 8
    assert "http" not in page.replace("http://www.w3.org", "").replace("http://purl.org", "").replace(
        "http://creativecommons.org", ""
    ).replace("https://matplotlib.org", "")
    assert experiment(*words) == 0
    assert "events=none: 0 of 1 accomplished, mean 6 s" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        (["clean"], "did you mean 'cleanup'"),
        ([], "--list names them"),
        (["cleanup", "--runs", "0"], "--runs 0: expected at least 1"),
        (["nothing.toml", "--runs", "99999999999999999999999999"], "expected at least 1, and at most 1000000"),
        (["nothing.toml", "--runs", "1000001"], "--runs 1000001: expected at least 1, and at most 1000000"),
        (["nothing.toml", "--jobs", "1025"], "--jobs 1025: expected at least 1, and at most 1024"),
        (["cleanup", "--shard", "3/2"], "expected I/N"),
        (["cleanup", "--limit", "0"], "expected a positive number"),
        (["cleanup", "--limit", "inf"], "expected a positive number of seconds, 1e+06 at most"),
        (["cleanup", "--seed", "-1"], "--seed -1: expected at least 0"),
        (["cleanup", "--jobs", "0"], "--jobs 0: expected at least 1"),
        (["nothing.toml"], "no such file"),
    ],
)  # fmt: skip
def test_wrong_usage_ends_with_2_and_what_was_expected(
    folder: Path, capsys, words: list[str], reported: str
) -> None:
    assert experiment(*words) == 2
    assert reported in capsys.readouterr().err
    assert sorted(path.name for path in folder.iterdir()) == ["small.toml"]


def test_a_file_and_the_command_line_bound_runs_alike(folder: Path, capsys) -> None:
    path = folder / "tiny.toml"
    path.write_text(HEAD.replace("runs = 2", "runs = 1000001") + "[cells.a]\n")
    assert any("tiny.toml:4: runs: " in reported and "1000000" in reported for reported in faults_of(path))
    path.write_text(HEAD.replace("runs = 2", "runs = 1000000") + "[cells.a]\n")
    words = [str(path)]
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert request_of(parser.parse_args(words)).runs == 1_000_000
    assert request_of(parser.parse_args([*words, "--runs", "1000000", "--jobs", "1024"])).workers == 1024


def test_the_named_experiments_are_listed(capsys) -> None:
    assert experiment("--list", "--json") == 0
    found = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert (found["cleanup"]["cells"], found["loss"]["cells"]) == (4, 8)
