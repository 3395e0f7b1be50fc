"""Driving by hand: for half a second after each order, only where the robot may move, and out of the mission."""

import json

import pytest

from behaviors.parts import Drive
from robotd.model.inputs import Fault, Inputs, Order
from robotd.model.senses import Senses
from robotd.robot import hand
from robotd.robot.mind import Mind
from tests.robotd.robot.stand_ins import RUN, START, WHOLE, made_mind

DRIVE = Order("drive", ("0.1", "0.5"), "ann")
WORD = "driven by hand by ann"


def ticked(mind: Mind, now: float, *orders: Order, faults: tuple[Fault, ...] = ()) -> tuple[float, str]:
    """The wheel's speed wanted in a tick at `now`, and the condition."""
    decision = mind.decide(Inputs(now, round(now * 20), Senses(), WHOLE, orders, faults), (), ())
    return decision.wanted.left, decision.condition


def test_a_person_drives_for_half_a_second_after_each_order_with_or_without_a_run() -> None:
    mind = made_mind()
    assert ticked(mind, 0.0, DRIVE) == (0.0, "")  # nobody has permitted it to move
    ticked(mind, 0.05, START)
    assert ticked(mind, 0.1, DRIVE) == (0.1, WORD)
    assert ticked(mind, 0.5) == (0.1, WORD)
    assert ticked(mind, 0.55, DRIVE) == (0.1, WORD)
    assert ticked(mind, 1.0) == (0.1, WORD)
    assert ticked(mind, 1.05) == (0.0, "")
    assert ticked(mind, 1.1) == (0.0, "")


@pytest.mark.parametrize(("waited_s", "until"), [(0.125, 1.375), (0.4375, 1.0625), (0.5, 1.0), (3.0, 1.0)])
def test_an_order_counts_from_when_it_was_given_not_from_its_tick(waited_s: float, until: float) -> None:
    mind, given = made_mind(), Order("drive", DRIVE.args, "ann", 1.0 - waited_s)
    ticked(mind, 0.0, START)
    driven = {now: ticked(mind, now, *((given,) if now == 1.0 else ())) for now in (1.0, 1.0625, 1.25, 1.375)}
    assert driven == {now: (0.1, WORD) if now < until else (0.0, "") for now in driven}


@pytest.mark.parametrize("what", ["stop", "stop-team", "fault"])
def test_a_stop_and_a_fault_end_it_at_once_and_for_good(what: str) -> None:
    mind = made_mind()
    ticked(mind, 0.0, START, DRIVE)
    fault = (Fault("port-lost", "gone", 0.05),) if what == "fault" else ()
    orders = (Order(what),) if not fault else ()
    assert ticked(mind, 0.05, *orders, faults=fault) == (0.0, "")
    assert ticked(mind, 0.1, START) == (0.0, "")


def test_meanwhile_the_robot_takes_no_part_in_the_mission_and_afterwards_it_does_again() -> None:
    mind = made_mind()
    ticked(mind, 0.0, START, RUN)
    works = ticked(mind, 0.05)
    assert mind.acting
    assert ticked(mind, 0.1, DRIVE) == (0.1, WORD)
    assert not mind.acting
    ticked(mind, 0.65)
    assert mind.acting
    assert ticked(mind, 0.7) == works


def test_a_thawed_mind_is_driven_on_and_one_that_no_person_drives_freezes_as_ever() -> None:
    mind, other = made_mind(), made_mind()
    assert "hand" not in mind.freeze()  # type: ignore[operator]
    ticked(mind, 0.0, START, DRIVE)
    other.thaw(json.loads(json.dumps(mind.freeze())))
    for now in (0.05, 0.45, 0.5, 0.55):
        assert ticked(other, now) == ticked(mind, now)


@pytest.mark.parametrize(
    "args", [(), ("1",), ("1", "2", "3"), ("x", "0"), ("nan", "0"), ("1.1", "0"), ("0", "-3.1")]
)
def test_an_order_that_is_none_is_refused_in_words(args: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="drive takes SPEED"):
        hand.parse(args)
    assert hand.parse(("-1", "3")) == (-1.0, 3.0)
    assert Drive(*hand.parse(["0.5", "0"])) == Drive(0.5, 0.0)
