"""Faults that a robot notices by its radio, and what people make it forget."""

import pytest

from robotd.model.inputs import Order
from robotd.model.table import Member
from tests.robotd.robot.stand_ins import ACK, DRIVING, TABLE, Field, OpenRadio, faults_of, wheels


def test_a_silent_team_is_a_fault_after_three_and_a_half_beats_until_a_frame_is_received() -> None:
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


def test_however_fast_the_radio_a_team_that_starts_is_not_silent_and_a_lone_robot_is_after_three_seconds() -> None:
    fast = type(TABLE)(TABLE.team, TABLE.tasks, TABLE.facts, beat_s=0.1)
    team = Field(["red", "blue"], table=fast)
    for _ in range(60):
        team.run(0.1)
        assert [faults_of(robot) for robot in team.robots.values()] == [[], []]
    lone = Field(["red"], table=fast)
    lone.run(2.8)
    assert faults_of(lone.robots["red"]) == []
    lone.run(0.4)
    assert faults_of(lone.robots["red"]) == ["radio-silent"]


def test_a_team_of_one_waits_for_no_frame() -> None:
    table = type(TABLE)((Member("red", 1, "r2"),), TABLE.tasks, TABLE.facts)
    assert faults_of(Field(["red"], table=table).started(20.0).robots["red"]) == []


def test_a_robot_with_another_mission_file_is_named_and_nothing_it_sends_is_read(monkeypatch) -> None:
    field = Field(["red", "blue"])
    other = type(TABLE)(TABLE.team, TABLE.tasks, TABLE.facts[:2])
    field.boot("gold", table=other)
    field.started(9.0 + 4.0)  # a start waits a beat before its first frame
    red = field.robots["red"]
    (fault,) = red.faults.open()
    assert (fault.name, fault.detail) == ("mission-mismatch", "gold (number 3) runs another mission file")
    assert (red.mind.beliefs.teammates[2].task, red.mind.beliefs.teammates[3].task) == ("dig", "")
    assert wheels(field)["red"] == DRIVING


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    faults: list[tuple[str, str]] = []
    monkeypatch.setattr(OpenRadio, "faults", property(lambda self: tuple(faults)))
    return faults


def test_two_robots_with_another_mission_file_are_one_fault_that_names_both(found) -> None:
    field = Field()
    found += [("mission-mismatch", "gold is wrong"), ("mission-mismatch", "blue is wrong")]
    field.run(1.0)
    (fault,) = field.robots["red"].faults.open()
    assert (fault.detail, fault.since) == ("gold is wrong; blue is wrong", 0.1)


def test_a_fault_of_the_radio_that_passes_by_itself_ends_and_one_that_latches_waits(found) -> None:
    field = Field().started()
    red = field.robots["red"]
    found += [("epochs-spent", "make a new key"), ("airtime-limited", "a frame every 10.5 s")]
    field.run(0.2)
    assert (faults_of(red), wheels(field)["red"]) == (["airtime-limited", "epochs-spent"], DRIVING)
    found += [("duplicate-id", "two of us")]
    field.run(0.2)
    found.clear()
    field.run(0.2)
    assert faults_of(red) == ["duplicate-id"]
    field.orders(ACK).run(0.1)
    assert faults_of(red) == []


def test_people_make_a_radio_forget_a_teammate_and_no_other() -> None:
    field = Field(["red", "blue", "gold"]).started(13.0)
    robot = field.robots["red"]
    known = robot.radio._authentication
    assert None not in (known.newest_of(2), known.newest_of(3))
    field.orders(Order("radio-forget", ("blue", "nobody"), by="ann")).run(0.1)
    assert known.newest_of(2) is None
    assert known.newest_of(3) is not None
