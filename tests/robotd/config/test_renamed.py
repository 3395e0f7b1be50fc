"""Keys with a former name are read, with a warning that names their line and their name of today."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from robotd.config.load import ConfigError, load_robot, read_robot
from robotd.config.source import Source
from robotd.files.toml import read
from tests.robotd.config.files import ROBOT, changed, line, write


def test_the_former_name_of_a_robot_files_key_is_read_with_a_warning(tmp_path: Path) -> None:
    text = changed(ROBOT, ("[board]\n", "leash_s = 5.0\n[board]\n"))
    path = write(tmp_path, robot=text)
    robot, mission = load_robot(path)
    assert robot.base_station_timeout_s == 5.0
    (warning,) = mission.warnings
    assert warning.startswith(f"{path}:{line(text, 'leash_s')}: leash_s: ")
    assert "base_station_timeout_s" in warning


def test_a_key_with_its_name_of_today_has_no_warning_and_both_names_are_a_fault(tmp_path: Path) -> None:
    one = changed(ROBOT, ("[board]\n", "base_station_timeout_s = 5.0\n[board]\n"))
    assert load_robot(write(tmp_path, robot=one))[1].warnings == ()
    both = changed(one, ("[board]\n", "leash_s = 6.0\n[board]\n"))
    assert [problem.key for problem in read_robot(write(tmp_path, robot=both)).problems] == ["leash_s"]
    with pytest.raises(ConfigError):
        load_robot(tmp_path / "red.toml")


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    speed_m_s: float = Field(validation_alias=AliasChoices("speed_m_s", "speed"))


class Outer(BaseModel):
    by_name: dict[str, Inner] = {}
    listed: tuple[Inner, ...] = ()


def test_former_names_are_found_in_tables_by_name_and_in_lists_of_tables() -> None:
    text, data = read(b"[by_name.a]\nspeed = 1.0\n[by_name.b]\nspeed_m_s = 2.0\n[[listed]]\nspeed = 3.0\n")
    source = Source("x.toml", text, data)
    made = source.validate(Outer, data)
    assert made is not None
    assert [inner.speed_m_s for inner in (*made.by_name.values(), *made.listed)] == [1.0, 2.0, 3.0]
    assert [str(warning).split(": ")[0] for warning in source.warnings.values()] == ["x.toml:2", "x.toml:6"]
