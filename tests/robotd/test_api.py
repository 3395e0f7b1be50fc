"""`simulate` applies or refuses every argument, and runs beside a running event loop."""

import asyncio
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from robotd.__main__ import main
from robotd.api import ConfigError, RunRecords, read_records, simulate
from robotd.config.load import find_mission, load_mission
from tests.robotd.sim.small import small


def mission_in(log: Path) -> dict[str, Any]:
    part = json.loads(log.read_text().splitlines()[0])
    found: dict[str, Any] = part["mission"]
    return found


def test_a_loaded_mission_takes_coordinator_and_changes_as_a_file_does_and_stays_as_it_was(tmp_path: Path) -> None:
    changes: dict[str, Any] = {"radio__loss": 0.5, "sets.move-spill-left.motivation.patience_s": float("inf")}
    logs, loaded = [tmp_path / "file.jsonl", tmp_path / "loaded.jsonl"], load_mission(find_mission("cleanup"))
    for mission, log in zip(("cleanup", loaded), logs, strict=True):
        simulate(mission, 1, "l-alliance", duration_s=3.0, log=log, **changes)
    assert logs[0].read_bytes() == logs[1].read_bytes()
    found = mission_in(logs[1])
    assert (found["coordinator"]["name"], found["radio"]["loss"]) == ("l-alliance", 0.5)
    assert loaded.content.radio.loss != 0.5


def test_names_texts_and_paths_are_one_mission(tmp_path: Path) -> None:
    path = find_mission("patrol")
    outcomes = [simulate(one, 2, duration_s=3.0, log=str(tmp_path / "x")) for one in ("patrol", str(path), path)]
    assert outcomes[0] == outcomes[1] == outcomes[2]
    assert outcomes[0].log == str(tmp_path / "x")


def test_one_event_or_board_is_a_text_or_a_list_of_one() -> None:
    assert simulate(small(), events="1 kill green", duration_s=3.0) == simulate(
        small(), events=["1 kill green"], duration_s=3.0
    )
    assert simulate(small(), board="green=mock", duration_s=2.0) == simulate(small(), duration_s=2.0)


@pytest.mark.parametrize(
    "arguments",
    [
        {"seed": -1}, {"seed": 1.5}, {"seed": True}, {"duration_s": 0.0}, {"duration_s": float("nan")},
        {"speed": 0.0}, {"learned": {"gren": {}}}, {"board": "gren=mock"}, {"radio": "no-such"},
    ],
    ids=str,
)  # fmt: skip
def test_an_argument_that_cannot_be_used_is_refused_and_leaves_the_log(
    arguments: dict[str, Any], tmp_path: Path
) -> None:
    log = tmp_path / "run.jsonl"
    log.write_text("earlier")
    with pytest.raises(ValueError, match=next(iter(arguments))):
        simulate(small(), log=log, **arguments)
    assert log.read_text() == "earlier"


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ({"duration": 5.0}, "duration"),
        ({"coordinator": "no-such"}, "coordinator.name"),
        ({"coordinator": "alliance", "coordinator__name": "alliance"}, ""),
        ({"radio__loss": 2}, "radio.loss"),
        ({"events": "1 kill nobody"}, ""),
    ],
)
def test_an_unknown_or_bad_key_is_a_fault_of_a_loaded_mission_too(arguments: dict[str, Any], key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        simulate(small(), **arguments)
    assert [problem.key for problem in caught.value.problems] == [key]


FAILING = """
from pydantic import BaseModel
from behaviors.parts import Behavior, Nothing
class Failing(Behavior[Nothing]):
    class Settings(BaseModel): pass
    name = "failing"
    def __init__(self, settings): super().__init__(Nothing())
    def act(self, i, beliefs): raise ValueError("a defect")
ROBOTD = {"robotd.behaviors": {"failing": Failing}}
"""


@pytest.mark.parametrize("loaded", [False, True])
def test_plug_in_files_are_relative_to_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, loaded: bool
) -> None:
    (tmp_path / "failing.py").write_text(FAILING, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    mission = load_mission(find_mission("patrol")) if loaded else "patrol"
    for plugins in ("failing.py", Path("failing.py"), [tmp_path / "failing.py"]):
        outcome = simulate(mission, duration_s=1.0, plugins=plugins, layers__failing={})
        assert "a defect" in str(outcome.extra["raised"])
    errors = [record.exc_info[1] for record in caplog.records if record.exc_info]
    assert len(errors) > 3, "each robot's first tick is logged with its traceback"
    assert all(error is not None and error.__context__ is None for error in errors)
    with pytest.raises(ConfigError) as caught:
        simulate(mission, duration_s=1.0, plugins="absent.py")
    assert caught.value.problems[0].key.startswith("plugins")


def test_the_progress_is_reported_every_half_second() -> None:
    seen: list[tuple[float, int, int]] = []
    simulate(small(("green",)), duration_s=1.5, progress=lambda *now: seen.append(now))
    assert seen == [(0.5, 0, 2), (1.0, 0, 2), (1.5, 0, 2)]


async def test_it_runs_beside_a_running_event_loop_with_the_same_result() -> None:
    beside = simulate(small(), 3, duration_s=3.0)
    assert asyncio.get_running_loop().is_running()
    assert beside == await asyncio.to_thread(simulate, small(), 3, duration_s=3.0)


async def test_what_a_run_raises_beside_a_running_event_loop_is_raised() -> None:
    def stop(now: float, delivered: int, total: int) -> None:
        raise RuntimeError("enough")

    threads = set(threading.enumerate())
    with pytest.raises(RuntimeError, match="enough"):
        simulate(small(), duration_s=3.0, progress=stop)
    assert set(threading.enumerate()) <= threads


def test_records_of_a_run_and_of_its_log_agree(tmp_path: Path) -> None:
    live = RunRecords()
    simulate("cleanup", duration_s=25.0, log=tmp_path / "run.jsonl", watch=live)
    logged = read_records(str(tmp_path / "run.jsonl"))
    assert (logged.levels, logged.frames, logged.activities) == (live.levels, live.frames, live.activities)
    assert logged.poses == [pose for pose in live.poses if pose["measured"]]
    true = [pose for pose in live.poses if not pose["measured"]]
    assert {pose["time_s"] for pose in true} == {n / 2 for n in range(1, 51)}
    assert set(live.levels[0]) >= {"time_s", "robot", "set", "motivation"}
    assert live.activities[0]["set"]
    assert live.frames
    assert all(
        set(record) == set(table[0]) for table in (live.poses, live.levels, live.frames) for record in table
    )


def test_a_file_that_is_no_run_log_is_refused_by_line(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('["green", 1]\n')
    with pytest.raises(ValueError, match=r"x\.jsonl:1"):
        read_records(tmp_path / "x.jsonl")


@pytest.mark.parametrize(
    "key",
    [
        "sets.move-spill-left.motivation.give_up_time_s", "sets.move-spill-left.motivation.patience_s",
        "coordinator.parameters.silence_timeout_beats",
    ],
)  # fmt: skip
def test_an_infinite_time_is_logged_and_replayed(key: str, tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    simulate("cleanup", duration_s=2.0, log=log, **{key: float("inf")})
    found: Any = mission_in(log)
    for part in key.split("."):
        found = found[part]
    assert found == float("inf")
    assert main(["replay", str(log)]) == 0


@pytest.mark.parametrize(
    "key", ["time_limit_s", "world.width_m", "sets.move-spill-left.motivation.patience_s", "radio.loss"]
)
@pytest.mark.parametrize("value", [10**400, -(2**63) - 1], ids=["over", "under"])
def test_a_whole_number_beyond_64_bits_is_refused_by_its_key(key: str, value: int) -> None:
    with pytest.raises(ConfigError) as caught:
        simulate("cleanup", duration_s=1.0, **{key: value})
    assert key in [problem.key for problem in caught.value.problems]


def test_a_simulation_starts_without_what_only_servers_and_figures_need() -> None:
    code = "import sys; import robotd.api; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"aiohttp", "matplotlib", "rich", "zenoh", "foxglove"} & set(loaded)
