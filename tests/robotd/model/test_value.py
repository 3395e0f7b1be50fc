"""Value types: equal and hashed by their fields, and frozen wherever Python is asked to look closely."""

import subprocess
import sys
from dataclasses import fields, replace

import pytest

from robotd.model.plain import from_plain, to_plain
from robotd.model.senses import Pose

CHANGE = """
from robotd.model.senses import Pose
pose = Pose(1.0, 2.0, 0.0, 0.1)
pose.x = 3.0
"""


def test_a_value_is_equal_and_hashed_by_its_fields_and_replaced_by_another() -> None:
    pose = Pose(1.0, 2.0, 0.0, 0.1)
    assert pose == Pose(1.0, 2.0, 0.0, 0.1) != replace(pose, x=3.0)
    assert len({pose, Pose(1.0, 2.0, 0.0, 0.1), replace(pose, x=3.0)}) == 2
    assert from_plain(Pose, to_plain(pose)) == pose
    assert [field.name for field in fields(Pose)] == ["x", "y", "heading", "accuracy"]


def test_a_value_has_no_field_but_its_own() -> None:
    with pytest.raises(AttributeError):
        Pose(1.0, 2.0, 0.0, 0.1).z = 1.0


@pytest.mark.parametrize(("options", "ends"), [(["-X", "dev"], "FrozenInstanceError"), ([], "")])
def test_a_change_is_refused_in_development_mode(options, ends) -> None:
    done = subprocess.run([sys.executable, *options, "-c", CHANGE], capture_output=True, text=True, check=False)
    assert bool(done.returncode) == bool(ends)
    assert ends in done.stderr
