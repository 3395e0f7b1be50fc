"""The same seed gives the same run bit for bit, wherever it runs, and its log replays."""

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from robotd.config.mission import MissionFile
from robotd.files.plugins import Plugins
from robotd.model.choice import Choice
from robotd.record.replay import replay
from robotd.record.rows import RowReader
from robotd.robot.build import build_mind, mind_of_part
from robotd.robot.mind import Mind

from .small import run, text

TEAM = ("green", "blue", "gold")
EVENTS = ("8 remove blue", "12 return blue", "9 reboot gold", "33 start gold", "15 noisy green side-range")


Process = tuple[subprocess.Popen[str], Path]


def simulated(folder: Path, robots: tuple[str, ...], seed: int, hash_seed: int, for_s: int = 36) -> Process:
    """A process that simulates a team with losses and mishaps; and its log."""
    folder.mkdir()
    mission, log = folder / "small.toml", folder / "run.jsonl"
    mission.write_text(text(robots))
    events = itertools.chain.from_iterable(("--event", event) for event in EVENTS)
    command = [sys.executable, "-m", "robotd", "sim", str(mission), "--seed", str(seed), "--duration", str(for_s),
               "--log", str(log), "--set", "radio.loss=0.2", "--json", *events]  # fmt: skip
    environ = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    return subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True), log


def test_two_processes_with_other_hash_seeds_and_the_team_reordered_write_the_same_bytes(tmp_path) -> None:
    runs = {
        "one": simulated(tmp_path / "one", TEAM, 1, 1),
        "same": simulated(tmp_path / "same", TEAM[::-1], 1, 4242),
        "other": simulated(tmp_path / "other", TEAM, 2, 1, for_s=10),
    }
    reported: dict[str, Any] = {}
    for name, (process, _) in runs.items():
        printed, _ = process.communicate(timeout=600)
        assert process.returncode == 0
        reported[name] = {key: value for key, value in json.loads(printed).items() if key != "log"}
    logs = {name: log.read_bytes() for name, (_, log) in runs.items()}
    assert len(logs["one"]) > 200_000
    assert logs["one"] == logs["same"]
    assert reported["one"] == reported["same"]
    ticks = {name: log.splitlines()[1:100] for name, log in logs.items()}
    assert ticks["one"] == ticks["same"] != ticks["other"]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two robots for 30 s, with a loss and a robot taken out and put back, in parts of 45 kB."""
    path = tmp_path_factory.mktemp("replay") / "run.jsonl"
    events = ("12 remove blue", "18 return blue", "20 loss all 0.5")
    run(*events, for_s=30.0, robots=("green", "blue"), log=path, part_bytes=45_000)
    return path


def parts_of(path: Path) -> int:
    return sum(line.startswith('{"part"') for line in path.read_text(encoding="utf-8").splitlines())


def test_a_log_replays_from_its_start_and_from_a_middle_part(log) -> None:
    parts = parts_of(log)
    assert parts >= 4
    whole, half = replay(log, mind_of_part), replay(log, mind_of_part, parts // 2)
    assert (whole.difference, whole.exact, whole.robots) == (None, True, {"green", "blue"})
    assert (whole.parts, whole.ticks) == (parts, 600)
    assert (half.difference, half.exact) == (None, True)
    assert 0 < half.ticks < 600


FIND, MOVE = "find-locations-methodical", "move-spill-left"


def changed(who: str, set_name: str, **motivation: float) -> Any:
    """Minds of which one robot's has another constant of its motivation."""

    def make(part: Mapping[str, Any], robot: str) -> Mind:
        mission = json.loads(json.dumps(part["mission"]))
        own = mission["robots"].setdefault(who, {}).setdefault("sets", {}).setdefault(set_name, {})
        own["motivation"] = {**own.get("motivation", {}), **motivation}
        return build_mind(MissionFile(**mission), Plugins(), robot, "command")

    return make


def decisions_of(path: Path, robot: str, from_part: int = 0) -> Iterator[tuple[int, Choice]]:
    """Its decisions from a part on: the tick's number, and what was chosen."""
    reader, part = RowReader(), -1
    for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        if isinstance(line, dict):
            reader, part = (RowReader(), part + 1) if "part" in line else (reader, part)
        elif line[0] == robot and part >= from_part:
            choice = reader.glance(line).choice
            if choice is not None:
                yield line[1], choice


def test_one_changed_constant_of_the_motivation_is_found_at_its_first_tick(log) -> None:
    first = next(n for n, choice in decisions_of(log, "green") if choice.levels[0].scores["motivation"] > 0.0)
    found = replay(log, changed("green", FIND, fast_rate=60.000001))
    assert found.difference is not None
    assert (found.difference.robot, found.difference.n) == ("green", first)
    assert found.difference.what.startswith("choice[4][0]")  # its level


def test_a_constant_that_has_not_mattered_yet_makes_no_difference(log) -> None:
    assert replay(log, changed("green", MOVE, give_up_time_s=899.0)).difference is None


def test_a_changed_constant_is_found_from_a_middle_part_too(log) -> None:
    middle = parts_of(log) // 2
    levels = ((n, choice.levels[0]) for n, choice in decisions_of(log, "blue", middle))
    first = next(
        n for n, level in levels if level.scores["motivation"] > 0.0 and level.why.startswith("rises slowly:")
    )
    found = replay(log, changed("blue", FIND, slow_rate=0.11), middle)
    assert found.difference is not None
    assert (found.difference.robot, found.difference.n) == ("blue", first)
