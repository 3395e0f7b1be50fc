"""Value types: equal and hashed by their fields, and frozen wherever Python is asked to look closely."""

import os
import subprocess
import sys
from dataclasses import dataclass, field, fields, replace

import pytest

from robotd.model.plain import from_plain, to_plain
from robotd.model.senses import Pose
from robotd.model.value import value

CHANGE = """
from robotd.model.senses import Pose
pose = Pose(1.0, 2.0, 0.0, 0.1)
pose.x = 3.0
"""


@value
class Reading:
    at: float
    kind: str = "echo"
    seen: list[int] = field(default_factory=list, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.at < 0.0:
            raise ValueError("before the start")


@value
class Strong(Reading):
    db: int = 0


def test_methods_that_are_compiled_when_first_called_are_those_of_a_dataclass() -> None:
    one, other = Reading(1.0, seen=[3]), Reading(1.0, "echo", [4])
    usual = dataclass(frozen=True)(type("Reading", (), {"__annotations__": {"at": float}}))
    assert (one == other, hash(one) == hash(other), one.seen) == (True, True, [3])
    assert repr(one) == "Reading(at=1.0, kind='echo')"
    assert hash(Pose(1.0, 2.0, 0.0, 0.1)) == hash((1.0, 2.0, 0.0, 0.1))
    assert Reading(1.0) != usual(1.0)
    with pytest.raises(TypeError, match=r"__init__\(\) missing 1 required positional argument: 'at'"):
        Reading()
    with pytest.raises(ValueError, match="before the start"):
        Reading(-1.0)


def test_a_value_of_a_kind_derived_from_another_is_not_equal_to_one_of_that() -> None:
    strong = Strong(1.0, db=3)
    assert (strong.at, strong.db, strong == Reading(1.0), strong == Strong(1.0, db=3)) == (1.0, 3, False, True)
    assert repr(strong) == "Strong(at=1.0, kind='echo', db=3)"


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
    done = subprocess.run(
        [sys.executable, *options, "-c", CHANGE],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"ROBOTD_PURE": "1"},
    )
    assert bool(done.returncode) == bool(ends)
    assert ends in done.stderr
