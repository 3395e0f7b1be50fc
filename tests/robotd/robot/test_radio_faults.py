"""Faults that a robot notices by its radio, and what people make it forget."""

from __future__ import annotations

import pytest

from radio.link import Radio
from robotd.model.inputs import Order
from robotd.model.table import Member
from tests.robotd.robot.stand_ins import DRIVES, TABLE, Field, faults_of, wheels

ACK, STOP_TEAM = Order("acknowledge", by="ann"), Order("stop-team", by="ann")
DRIVING, STANDS = (DRIVES.left, DRIVES.right), (0.0, 0.0)


# -- faults that the radio knows of


def test_that_nobody_is_heard_is_told_after_three_and_a_half_beats_and_ends_when_somebody_is() -> None:
    field = Field(["red", "blue"])
    field.channel.switch(2, on=False, now=0.0)
    field.started(10.4)
    red = field.robots["red"]
    assert faults_of(red) == []
    field.run(0.3)
    assert (faults_of(red), wheels(field)["red"]) == (["radio-silent"], DRIVING)
    field.channel.switch(2, on=True, now=field.now)
    field.run(7.0)
    assert faults_of(red) == []


def test_a_team_of_one_does_not_wait_to_hear_from_anybody() -> None:
    table = type(TABLE)((Member("red", 1, "r2"),), TABLE.tasks, TABLE.facts)
    assert faults_of(Field(["red"], table=table).started(20.0).robots["red"]) == []


def test_a_robot_with_another_mission_file_is_named_and_nothing_it_says_is_read(monkeypatch) -> None:
    field = Field(["red", "blue"])
    other = type(TABLE)(TABLE.team, TABLE.tasks, TABLE.facts[:2])
    field.boot("gold", table=other)
    field.started(9.0 + 4.0)  # a start waits a beat before its first frame
    red = field.robots["red"]
    (fault,) = red.faults.open()
    assert (fault.name, fault.detail) == ("mission-mismatch", "gold (number 3) runs another mission file")
    assert (red.mind.beliefs.mates[2].task, red.mind.beliefs.mates[3].task) == ("dig", "")
    assert wheels(field)["red"] == DRIVING


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    faults: list[tuple[str, str]] = []
    monkeypatch.setattr(Radio, "faults", property(lambda self: tuple(faults)))
    return faults


def test_two_robots_with_another_mission_file_are_one_fault_that_names_both(told) -> None:
    field = Field()
    told += [("mission-mismatch", "gold is wrong"), ("mission-mismatch", "blue is wrong")]
    field.run(1.0)
    (fault,) = field.robots["red"].faults.open()
    assert (fault.detail, fault.since) == ("gold is wrong; blue is wrong", 0.1)


def test_a_fault_of_the_radio_that_passes_by_itself_ends_and_one_that_latches_waits(told) -> None:
    field = Field()
    told += [("epochs-spent", "make a new key"), ("duplicate-id", "two of us")]
    field.run(0.2)
    assert faults_of(field.robots["red"]) == ["duplicate-id", "epochs-spent"]
    told.clear()
    field.run(0.2)
    assert faults_of(field.robots["red"]) == ["duplicate-id"]
    field.orders(ACK).run(0.1)
    assert faults_of(field.robots["red"]) == []


def test_a_rate_that_the_law_holds_down_is_a_fault_that_stops_nothing_and_ends_by_itself(told) -> None:
    field = Field().started()
    told += [("airtime-limited", "a frame every 10.5 s")]
    field.run(0.2)
    assert faults_of(field.robots["red"]) == ["airtime-limited"]
    assert wheels(field)["red"] == DRIVING
    told.clear()
    field.run(0.2)
    assert faults_of(field.robots["red"]) == []


def test_people_make_a_radio_forget_a_teammate_and_no_other() -> None:
    field = Field(["red", "blue", "gold"]).started(13.0)
    robot = field.robots["red"]
    known = robot.radio._authentication
    assert None not in (known.newest_of(2), known.newest_of(3))
    field.orders(Order("radio-forget", ("blue", "nobody"), by="ann")).run(0.1)
    assert known.newest_of(2) is None
    assert known.newest_of(3) is not None
