"""Options and changes that override a mission file: which place a fault names."""

from pathlib import Path
from typing import Any

import pytest

from robotd.config.load import ConfigError, load_mission
from tests.robotd.config.files import MISSION, changed, line, write


def faults(tmp_path: Path, mission: str = MISSION, **options: Any) -> list[tuple[str, int, str]]:
    """File, line and key of what is wrong with a mission under `options`."""
    write(tmp_path, mission=mission)
    with pytest.raises(ConfigError) as caught:
        load_mission(tmp_path / "tidy.toml", options, {key: f"--set {key}" for key in options})
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
    assert faults(tmp_path, **{key: value}) == [(f"--set {key}", 0, fault)]


def test_beside_an_option_the_file_keeps_its_own_faults_with_their_lines(tmp_path: Path) -> None:
    mission = changed(MISSION, ("fast_rate = 10", "fast_rate = -10"))
    assert faults(tmp_path, mission, **{"radio.loss": 2}) == [
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
    found = faults(tmp_path, mission, **{option: 1})
    assert (str(tmp_path / "tidy.toml"), line(mission, new), fault) in found
    assert f"--set {option}" not in {file for file, _, key in found if key == fault}


def test_a_change_by_a_program_is_made_and_its_faults_name_it(tmp_path: Path) -> None:
    write(tmp_path)
    path = tmp_path / "tidy.toml"
    assert load_mission(path, {"radio.loss": 0.1}).content.radio.loss == 0.1
    with pytest.raises(ConfigError, match=r"^radio\.loss=2: radio\.loss: "):
        load_mission(path, {"radio.loss": 2})
