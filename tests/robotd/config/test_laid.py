"""Options and changes laid over a mission file: whose fault a fault is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from robotd.config.load import ConfigError, load_mission
from tests.robotd.config.files import MISSION, changed, line, write


def test_changes_are_laid_over_a_mission_and_checked(tmp_path: Path) -> None:
    write(tmp_path)
    path = tmp_path / "tidy.toml"
    assert load_mission(path, {"radio.loss": 0.1}).content.radio.loss == 0.1
    with pytest.raises(ConfigError, match=r"radio\.loss: expected a number from 0 to 1, found 2"):
        load_mission(path, {"radio.loss": 2})
    with pytest.raises(ConfigError, match="not a key of a table"):
        load_mission(path, {"name.x": 2})


def laid_faults(tmp_path: Path, mission: str = MISSION, **options: Any) -> list[tuple[str, int, str]]:
    """File, line and key of what is wrong with a mission with `options` laid over it ("__" for ".")."""
    write(tmp_path, mission=mission)
    changes = {key.replace("__", "."): value for key, value in options.items()}
    with pytest.raises(ConfigError) as caught:
        load_mission(tmp_path / "tidy.toml", changes, {key: f"--set {key}" for key in changes})
    return [(problem.file, problem.line, problem.key) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("key", "value", "fault"),
    [
        ("radio.los", 0.1, "radio.los"),
        ("radio.loss", 2, "radio.loss"),
        ("sets.look.motivation.fast_rat", 3, "sets.look.motivation.fast_rat"),
        ("sets.look.motivation.fast_rate", 0.5, "sets.look.motivation"),
        ("team.green.number", 3, "team.green.type"),
        ("team.red.number", 2, "team.red.number"),
        ("tasks.find", {"number": 1, "completion": "fond"}, "tasks.find.completion"),
        ("name.x", 2, "name.x"),
    ],
)
def test_a_fault_of_an_option_names_the_option_and_no_line_of_the_file(
    tmp_path: Path, key: str, value: Any, fault: str
) -> None:
    assert laid_faults(tmp_path, **{key: value}) == [(f"--set {key}", 0, fault)]


def test_beside_an_option_the_file_keeps_its_own_faults_with_their_lines(tmp_path: Path) -> None:
    mission = changed(MISSION, ("fast_rate = 10", "fast_rate = -10"))
    assert laid_faults(tmp_path, mission, radio__loss=2) == [
        ("--set radio.loss", 0, "radio.loss"),
        (str(tmp_path / "tidy.toml"), line(mission, "fast_rate = -10"), "sets.push.motivation.fast_rate"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "option", "fault"),
    [
        ("[sets.look", "[sets.lok", "sets.lok.motivation.fast_rate", "sets.lok"),
        ("[layers.glance]", "[layers.glanc]", "layers.glanc.parameters.speed", "layers.glanc"),
        ("[types.small]", "[types.smal]", "types.smal.body.speed", "types.smal"),
    ],
)
def test_a_fault_of_the_file_is_not_that_of_an_option_inside_the_faulty_table(
    tmp_path: Path, old: str, new: str, option: str, fault: str
) -> None:
    mission = changed(MISSION, (old, new))
    faults = laid_faults(tmp_path, mission, **{option: 1})
    assert (str(tmp_path / "tidy.toml"), line(mission, new), fault) in faults
    assert f"--set {option}" not in {file for file, _, key in faults if key == fault}


def test_for_programs_a_fault_names_the_change_itself(tmp_path: Path) -> None:
    write(tmp_path)
    with pytest.raises(ConfigError, match=r"^radio\.loss=2: radio\.loss: expected a number from 0 to 1, found 2"):
        load_mission(tmp_path / "tidy.toml", {"radio.loss": 2})
