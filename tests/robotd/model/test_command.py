"""Limiting a command to what a body can do."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robotd.model.command import Command, limit
from robotd.model.senses import Capabilities

BODY = Capabilities(("gripper", "mobile"), (), 0.25)
DRIVES = Command(0.25, 0.125)


def test_a_command_within_the_limits_is_left_as_it_is() -> None:
    assert limit(DRIVES, BODY) is DRIVES


def test_a_command_beyond_them_keeps_its_curve() -> None:
    assert limit(Command(1.0, 0.5, opening=0.3), BODY) == Command(0.25, 0.125, opening=0.3)
    assert limit(Command(-1.0, 0.5), BODY) == Command(-0.25, 0.125)


def test_a_body_that_is_not_mobile_keeps_its_gripper_and_stops_its_wheels() -> None:
    body = Capabilities(("gripper",), (), 0.25)
    assert limit(Command(0.2, 0.1, opening=0.3, lift=1.0), body) == Command(0.0, 0.0, opening=0.3, lift=1.0)


SPEEDS = st.floats(-10.0, 10.0)


@given(left=SPEEDS, right=SPEEDS, top=st.floats(0.01, 1.0))
def test_no_wheel_is_ever_asked_for_more_than_it_can_and_the_turn_is_kept(left, right, top) -> None:
    out = limit(Command(left, right), Capabilities(("mobile",), (), top))
    assert max(abs(out.left), abs(out.right)) <= top
    assert math.isclose(out.left * right, out.right * left, rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize("speed", [math.nan, math.inf, -math.inf])
def test_a_speed_that_is_no_finite_number_stops_both_wheels(speed: float) -> None:
    for command in (Command(speed, 0.1, tune=1), Command(0.1, speed, tune=1)):
        assert limit(command, BODY) == Command(0.0, 0.0, tune=1)
