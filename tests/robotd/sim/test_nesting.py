"""Coordinators inside a coordinator: two allocations of one mission, by ALLIANCE and by an auction."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from motivation.nesting import select
from robotd.config.load import ConfigError, Mission, load_mission
from robotd.files.plugins import load_files
from robotd.model.statements import Statement
from robotd.robot.build import build_mind
from tests.robotd.sim.small import run, text

ROOT = Path(__file__).parents[3]
FILES = [ROOT / "docs" / "examples" / "auction.py", ROOT / "tests" / "plugins" / "parts.py"]
MOTIVATION = "patience_s = 300.0, yield_time_s = 300.0, give_up_time_s = 600.0, slow_rate = 0.1"
PARTS = f"""
[coordinator]
name = "parts"

[[coordinator.parameters.part]]
plugin = "alliance"
parameters = {{ silence_timeout_beats = 4.0 }}
sets.find-locations-methodical = {{ fast_rate = 40.0, {MOTIVATION} }}
sets.move-spill-left = {{ fast_rate = 30.0, {MOTIVATION} }}

[[coordinator.parameters.part]]
plugin = "auction"
parameters = {{ round_beats = 1.5 }}
sets.move-spill-right = {{}}
after = "located"
"""
ALLIANCE = """[coordinator]
name = "alliance"
parameters = { threshold = 100.0, silence_timeout_beats = 4.0 }
"""
REPLAY = """
import sys
from functools import partial
from pathlib import Path
from robotd.files.plugins import load_files
from robotd.record.replay import replay
from robotd.robot.build import mind_of_part

log, *files = map(Path, sys.argv[1:])
found = replay(log, partial(mind_of_part, plugins=load_files(files)))
print(found.parts, found.decisions, found.difference)
"""


def mission(tmp_path: Path, old: str = "", new: str = "") -> Mission:
    """The small mission with the two allocations, `old` of them replaced; ConfigError."""
    assert old in PARTS
    written = text().replace(ALLIANCE, PARTS.replace(old, new))
    assert 'name = "parts"' in written
    path = tmp_path / "small.toml"
    path.write_text(f"plugins = {[str(file) for file in FILES]}\n{written}", encoding="utf-8")
    return load_mission(path)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two robots, frozen every few seconds, and at every tick for 3 s of another, as short.jsonl."""
    folder = tmp_path_factory.mktemp("nested")
    run(mission=mission(folder), for_s=3.0, log=folder / "short.jsonl", part_bytes=1)
    ran = run(mission=mission(folder), for_s=300.0, log=folder / "run.jsonl", part_bytes=60_000)
    assert ran.outcome.accomplished
    done = {task: by for task, ((_, by),) in ran.outcome.story.done.items()}
    assert set(done) == {"find-locations", "move-spill-left", "move-spill-right"}
    stated = {one.kind for look in ran.looks["blue"] if look.snapshot for one in look.snapshot.choice.statements}
    assert {"activity", "auction-bid"} <= stated
    return folder / "run.jsonl"


@pytest.mark.parametrize(("name", "at_every_decision"), [("short.jsonl", True), ("run.jsonl", False)])
@pytest.mark.long
def test_frozen_and_thawed_in_another_process_the_run_replays_the_same(
    log: Path, name: str, at_every_decision: bool
) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", REPLAY, str(log.with_name(name)), *map(str, FILES)], capture_output=True, text=True,
        check=True, cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": "7"},
    )  # fmt: skip
    parts, decisions, difference = ran.stdout.split(maxsplit=2)
    assert int(decisions) > 25
    assert int(parts) >= (int(decisions) if at_every_decision else 20)
    assert difference == "None\n"


def test_own_kinds_of_nested_coordinators_are_joined_in_the_table(tmp_path: Path) -> None:
    kinds = [(kind.name, kind.number) for kind in mission(tmp_path).table.own_kinds]
    assert kinds == [("auction-bid", 13)]


@pytest.mark.parametrize(
    ("old", "new", "key", "line"),
    [
        ("round_beats = 1.5", "round_beats = 0.0", "part.1.parameters.round_beats", "parameters = { round_beats"),
        ("fast_rate = 30.0", "fast_rate = -3.0", "part.0.sets.move-spill-left.fast_rate", "sets.move-spill-left"),
        ("silence_timeout_beats = 4.0", "silence = 4.0", "part.0.parameters.silence", "parameters = { silence"),
        ('"auction"', '"auktion"', "part.1.parameters", "parameters = { round_beats"),
    ],
)
def test_inner_tables_are_checked_at_their_lines(tmp_path: Path, old: str, new: str, key: str, line: str) -> None:
    with pytest.raises(ConfigError) as caught:
        mission(tmp_path, old, new)
    assert {problem.key for problem in caught.value.problems} >= {f"coordinator.parameters.{key}"}
    written = (tmp_path / "small.toml").read_text(encoding="utf-8").splitlines()
    found = next(one for one in caught.value.problems if one.key == f"coordinator.parameters.{key}")
    assert written[found.line - 1].startswith(line)


@pytest.mark.parametrize("instance", [0, 16])
def test_an_instance_out_of_range_is_not_made(tmp_path: Path, instance: int) -> None:
    mind = build_mind(mission(tmp_path).content, load_files(FILES), "green", "at-boot")
    with pytest.raises(ValueError, match=f"instance {instance}"):
        mind._coordinator._make("alliance", {}, [], instance)  # type: ignore[attr-defined]


def test_an_instance_receives_what_is_about_its_own_tasks_and_numbers(tmp_path: Path) -> None:
    table = mission(tmp_path).table
    activity = Statement("activity", ("move-spill-right", "find-locations", 2.0))
    bids = [Statement("auction-bid", (task, 0.5)) for task in ("find-locations", "move-spill-right")]
    numbered = [Statement("bid", (1, number, 0.5, 0)) for number in (31, 32, 47, 48)]
    fact = Statement("fact", ("located", 1, 0.0))
    assert select([activity, *bids, *numbered, fact], table, {"find-locations"}, 2) == (
        Statement("activity", ("", "find-locations", 2.0)), bids[0], *numbered[1:3], fact,
    )  # fmt: skip
