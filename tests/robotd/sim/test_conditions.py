"""A robot with a low battery charges, whatever its coordinator plans: whole simulated runs, and their replay."""

import re
from functools import partial
from pathlib import Path

import pytest

from robotd.config.load import ConfigError, Mission, load_mission
from robotd.files.plugins import load_files
from robotd.record.replay import replay
from robotd.robot.build import mind_of_part
from robotd.status.status import status_of
from tests.robotd.sim.small import Ran, run, text

AT = (0.6, 3.3)
POWER = f"""
chargers = [{{ name = "corner", x_m = {AT[0]}, y_m = {AT[1]}, radius_m = 0.45, full_s = 25.0 }}]

[types.r2.body]
battery_s = 100.0
"""
CONDITION = f"""
[conditions.battery-low]
sense = "battery"
below = 0.4
until = 0.95
set = "charge"
parameters = {{ at = [{AT[0]}, {AT[1]}] }}
"""
AUCTION = Path(__file__).parents[3] / "docs" / "examples" / "auction.py"


def mission(tmp_path: Path, coordinator: str = "alliance", condition: str = CONDITION) -> Mission:
    """The small mission with a condition; ConfigError."""
    lines = text() + POWER + condition
    if coordinator == "auction":
        lines = f"plugins = ['{AUCTION}']\n" + lines.replace('name = "alliance"', 'name = "auction"')
        lines = re.sub(r"(?m)^parameters = \{ threshold.*$", "", lines)  # they are those of ALLIANCE
    path = tmp_path / "small.toml"
    path.write_text(lines, encoding="utf-8")
    return load_mission(path)


def spells(ran: Ran, robot: str) -> list[str]:
    sets: list[str] = []
    for look in ran.looks[robot]:
        if look.doing and look.doing != (sets or [""])[-1]:
            sets.append(look.doing)
    return sets


@pytest.mark.parametrize(("coordinator", "for_s"), [("alliance", 900.0), ("auction", 150.0)])
@pytest.mark.long
def test_a_robot_charges_between_pieces_of_work_and_the_mission_is_accomplished(
    tmp_path: Path, coordinator: str, for_s: float
) -> None:
    ran = run(mission=mission(tmp_path, coordinator), for_s=for_s)
    assert ran.outcome.accomplished or coordinator == "auction"  # cut once both have charged
    for robot in ("green", "blue"):
        assert "charge" in spells(ran, robot)
        snapshots = [look.snapshot for look in ran.looks[robot] if look.snapshot is not None]
        assert min(shot.inputs.senses.battery or 0.0 for shot in snapshots) > 0.0
        charging = [look.snapshot for look in ran.looks[robot] if look.doing == "charge" and look.snapshot][-1]
        assert status_of(charging)["condition"].startswith("battery-low: battery 0.")
        stated = [one.fields[0] for one in charging.choice.statements if one.kind == "activity"]
        assert stated in ([], [""])  # it works on no task meanwhile, and reports none


def test_a_run_with_robots_that_charge_replays_from_its_middle(tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    ran = run(mission=mission(tmp_path, "auction"), for_s=100.0, log=log, part_bytes=200_000)
    assert "charge" in spells(ran, "green")
    parts = sum(isinstance(line, dict) and "part" in line for line in ran.lines)
    assert parts > 2
    found = replay(log, partial(mind_of_part, plugins=load_files([AUCTION])), from_part=parts // 2)
    assert found.difference is None


def test_a_condition_differs_by_type_and_robot_and_its_faults_are_found_where_they_are(tmp_path: Path) -> None:
    own = "\n[types.r2.conditions.battery-low]\nparameters = {{ at = [1.0, 1.0], speed = 0.5 }}\n"
    own += "[robots.blue.conditions.{name}]\nparameters = {{ {key} = [2.4, 3.3] }}\n"
    changed = mission(tmp_path, condition=CONDITION + own.format(name="battery-low", key="at")).content
    at = {name: changed.condition_parameters(name, "battery-low") for name in ("green", "blue")}
    assert at == {"green": {"at": [1.0, 1.0], "speed": 0.5}, "blue": {"at": [2.4, 3.3], "speed": 0.5}}
    for name, key in (("battery-loww", "at"), ("battery-low", "att")):
        with pytest.raises(ConfigError) as caught:
            mission(tmp_path, condition=CONDITION + own.format(name=name, key=key))
        assert [p.key.startswith("robots.blue.conditions." + name) for p in caught.value.problems] == [True]


@pytest.mark.parametrize(
    ("old", "new", "key", "line"),
    [
        ('"battery"', '"batery"', "sense", 'sense = "batery"'),
        ('"charge"', '"chrage"', "set", 'set = "chrage"'),
        ('"charge"', '"move-spill-left"\nbehavior = "charge"', "set", 'set = "move-spill-left"'),
        ("until = 0.95", "until = 0.3", "", "[conditions.battery-low]"),
        (f"at = [{AT[0]}, {AT[1]}]", "near_m = 1.0", "parameters.at", "parameters ="),
        ('set = "charge"', 'set = "charge"\nbehavior = "chrage"', "behavior", 'behavior = "chrage"'),
    ],
)
def test_a_condition_that_cannot_be_used_is_reported_at_its_line(
    tmp_path: Path, old: str, new: str, key: str, line: str
) -> None:
    assert old in CONDITION
    with pytest.raises(ConfigError) as caught:
        mission(tmp_path, condition=CONDITION.replace(old, new))
    (problem,) = caught.value.problems
    assert problem.key == ".".join(filter(None, ("conditions.battery-low", key)))
    written = (tmp_path / "small.toml").read_text(encoding="utf-8").splitlines()
    assert written[problem.line - 1].startswith(line)
