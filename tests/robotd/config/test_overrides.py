"""Options and changes that override a mission file: which place a fault names."""

from pathlib import Path
from typing import Any

import pytest

from robotd.config.load import ConfigError, find_mission, load_mission
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


@pytest.mark.parametrize(
    ("mission", "coordinator", "key", "nearest"),
    [
        ("cleanup", "alliance", "coordinator.parameters.treshold", "threshold"),
        ("cleanup", "murdoch", "coordinator.parameters.contract", "contract_s"),
        ("cleanup", "murdoch", "coordinator.parameters.threshold", ""),  # which the mission's own knows
        ("cleanup", "murdoch", "sets.report-progress.motivation.fast_rate", ""),
        ("service", "murdoch", "coordinators.murdoch.contract", "contract_s"),
        ("service", "murdoch", "coordinator.parameters.contract_s", "coordinators.murdoch.contract_s"),
        ("service", "alliance", "coordinator.parameters.treshold", "coordinators.alliance.threshold"),
        ("service", "cobos", "coordinators.cobos.epsilo", "epsilon"),
        ("murdoch-box", "murdoch", "coordinator.parameters.contract", "contract_s"),
        (
            "murdoch-box",
            "alliance",
            "sets.watch-box.motivation.fast_rat",
            "sets.watch-box.terms.alliance.fast_rate",
        ),
        ("formation", "bite", "coordinator.parameters.silence_beat", "silence_beats"),
    ],
)
def test_a_key_that_the_coordinator_does_not_read_is_refused_with_the_nearest(
    mission: str, coordinator: str, key: str, nearest: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        load_mission(find_mission(mission), {"coordinator.name": coordinator, key: 5})
    assert [(problem.key, problem.nearest) for problem in caught.value.problems] == [(key, nearest)]


@pytest.mark.parametrize(
    ("mission", "coordinator", "key"),
    [
        ("cleanup", "murdoch", "coordinator.parameters.contract_s"),
        ("service", "murdoch", "coordinators.murdoch.contract_s"),
        ("murdoch-box", "alliance", "sets.watch-box.terms.alliance.patience_s"),
        ("cleanup-plan", "bite", "sets.report-progress.motivation.patience_s"),  # of the coordinator inside
    ],
)
def test_a_key_that_the_coordinator_reads_is_set_whatever_the_file_has_of_another(
    mission: str, coordinator: str, key: str
) -> None:
    assert load_mission(find_mission(mission), {"coordinator.name": coordinator, key: 500})


@pytest.mark.parametrize(("option", "faulty"), [({}, True), ({"coordinator.name": "murdoch"}, False)])
def test_keys_of_the_files_own_coordinator_are_left_where_an_option_names_another(
    tmp_path: Path, option: dict[str, str], faulty: bool
) -> None:
    own = 'name = "bite"' if faulty else 'name = "alliance"'
    cleanup = find_mission("cleanup").read_text(encoding="utf-8")
    (tmp_path / "mine.toml").write_text(cleanup.replace('name = "alliance"', own))
    if not faulty:
        assert load_mission(tmp_path / "mine.toml", option)
        return
    with pytest.raises(ConfigError) as caught:
        load_mission(tmp_path / "mine.toml", option)
    assert "coordinator.parameters.threshold" in {problem.key for problem in caught.value.problems}
