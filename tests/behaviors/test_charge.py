"""Charge: to the nearest charger that is named or seen, and it waits where it is charged."""

import dataclasses

import pytest

from behaviors.charge.charge import Charge
from robotd.model.beliefs import Beliefs
from robotd.model.senses import Sight
from robotd.model.table import NumberTable
from robotd.model.tasks import Task
from tests.behaviors.senses import percept, sensing

BELIEFS = Beliefs(NumberTable((), (), ()), 1)


def charge(**settings: object) -> Charge:
    made = Charge(Charge.Settings.model_validate({"at": (5.0, 1.0), **settings}))
    made.enter(0.0, Task("charge"))
    return made


SIGHT = Sight("charger", 0.5, None, 1.5, "corner")


@pytest.mark.parametrize(
    ("settings", "sights", "speed", "turn"),
    [
        ({}, (), 0.6, 0),  # straight on
        ({"others": ((1.0, 3.0),)}, (), 0.0, 1),  # the nearer one lies to the left
        ({"others": ((1.0, -9.0),)}, (), 0.6, 0),
        ({}, (SIGHT,), 0.1, 1),
        ({}, (dataclasses.replace(SIGHT, range=4.0),), 0.6, 0),  # no nearer than the error of a sight
        ({}, (dataclasses.replace(SIGHT, range=None),), 0.6, 0),
        ({}, (dataclasses.replace(SIGHT, kind="mark"),), 0.6, 0),
        ({"at": (1.1, 1.0)}, (SIGHT,), 0.0, 0),  # it is there
    ],
)
def test_it_drives_to_the_nearest_charger_that_is_named_or_in_sight(settings, sights, speed, turn) -> None:
    drive = charge(**settings).behaviors[0].act(sensing(percept(), sights=sights), BELIEFS).drive
    assert (drive.turn > 0.1) - (drive.turn < -0.1) == turn
    assert drive.speed == speed or speed == 0.1 < drive.speed < 0.6


def test_it_keeps_its_charger_on_the_way_and_chooses_anew_the_next_time() -> None:
    made = charge(others=((1.0, 3.0),))
    going = made.behaviors[0]
    going.act(percept(), BELIEFS)
    going.act(percept(1, pose=(5.0, 0.0, 0.0)), BELIEFS)
    assert (going.state.x, going.state.y) == (1.0, 3.0)
    made.enter(1.0, Task("charge"))
    going.act(percept(2, pose=(5.0, 0.0, 0.0)), BELIEFS)
    assert (going.state.x, going.state.y) == (5.0, 1.0)


def test_it_stays_where_it_is_charged_and_where_it_does_not_know_its_place() -> None:
    for i in (sensing(percept(), charging=True), dataclasses.replace(percept(), pose=None)):
        assert charge().behaviors[0].act(i, BELIEFS).drive.speed == 0.0
    assert charge().behaviors[0].act(sensing(percept(), lifted=True), BELIEFS) is None
