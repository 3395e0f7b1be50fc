"""Positions from outside: lines of JSON, their ages and accuracies, other robots' fixes, and nonsense."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boards.positioning.driver import Positioning, PositioningSettings, parse
from robotd.model.command import Command
from robotd.model.senses import Pose, Senses, Wheels

FIX = {"robot": "green", "x": 1.25, "y": 3.5, "heading": 1.57, "accuracy": 0.05, "age": 0.03}
ROLLING = Senses(wheels=Wheels(0.1, 0.1))


def line(**changes):
    fields = {key: value for key, value in {**FIX, **changes}.items() if value != ()}
    return json.dumps(fields).encode() + b"\n"


def driver(**table):
    made = Positioning(PositioningSettings(**table))
    made.connect(0.0)
    return made


def percept(made, now):
    return made.complete(now, Senses())


def test_a_fix_is_a_pose_with_its_accuracy_and_its_age():
    made = driver()
    made.receive(1.0, line())
    senses = percept(made, 1.1)
    assert senses.pose == Pose(1.25, 3.5, 1.57, 0.05)
    assert senses.ages.pose == pytest.approx(0.13)
    assert made.missing(1.1) == {}
    assert made.command(1.1, Command(0.1, 0.1, 1.0)) == Command()
    assert made.transmit(1.1) == []


def test_a_fix_that_does_not_state_its_accuracy_has_that_of_the_robot_file_and_headings_come_within_a_turn():
    made = driver(accuracy_m=0.3)
    made.receive(1.0, line(accuracy=(), age=(), heading=7.0))
    senses = percept(made, 1.0)
    assert (senses.pose.accuracy, senses.ages.pose) == (0.3, 0.0)
    assert senses.pose.heading == pytest.approx(7.0 - 6.2832, abs=1e-3)


def test_only_ones_own_fixes_count_where_lines_name_robots():
    made = driver(robot="green")
    made.receive(1.0, line(robot="blue", x=9))
    assert not made.ready
    made.receive(1.0, line())
    made.receive(1.1, line(robot="blue", x=9))
    assert percept(made, 1.1).pose.x == 1.25
    made.receive(1.2, line(robot=(), x=2))
    assert percept(made, 1.2).pose.x == 2
    assert made.counts["another robot"] == 2


@pytest.mark.parametrize("piece", [1, 7, 40, 1000])
def test_lines_come_in_any_pieces_and_several_in_one(piece):
    made, data = driver(), line(x=1) + b"\r\n" + line(x=2) + b"garbage\n" + line(x=3)
    for n, at in enumerate(range(0, len(data), piece)):
        made.receive(1.0 + n / 1000, data[at : at + piece])
    assert percept(made, 1.5).pose.x == 3
    assert made.counts == {"no JSON": 1}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no JSON"), ("{", "no JSON"), ("[1, 2]", "no object"), ("3", "no object"), ("{}", "no x"),
        ('{"x": 1, "y": 2}', "no heading"), ('{"x": true, "y": 2, "heading": 0}', "x is no number"),
        ('{"x": "1", "y": 2, "heading": 0}', "x is no number"), ('{"x": NaN, "y": 2, "heading": 0}', "of range"),
        ('{"x": 1e9, "y": 2, "heading": 0}', "out of range"), ('{"x": 1, "y": 2, "heading": -Infinity}', "range"),
        ('{"x": 1, "y": 2, "heading": 0, "accuracy": 0}', "out of range"),
        ('{"x": 1, "y": 2, "heading": 0, "age": -1}', "out of range"),
        ('{"x": 1' + "0" * 400 + ', "y": 2, "heading": 0}', "out of range"), ("[" * 500, "no JSON"),
    ],
)  # fmt: skip
def test_what_is_no_fix_is_refused_with_the_reason(text, reason):
    with pytest.raises(ValueError, match=reason):
        parse(text.encode(), "", 0.15)


def test_a_flood_without_a_newline_is_dropped_and_the_next_line_counts():
    made = driver()
    made.receive(1.0, b"x" * 5000)
    assert len(made._parser._held) <= 513
    made.receive(1.1, b"\n" + line())
    assert made.ready


def test_a_fix_is_lost_once_it_is_old_and_back_with_the_next():
    made = driver(stale_s=0.8)
    assert made.missing(0.0) == {"positioning": "no position has come"}
    made.receive(1.0, line(age=0.0))
    assert percept(made, 1.7).pose is not None
    assert "for 1 s" in made.missing(1.9)["positioning"]
    assert percept(made, 1.9).pose is None
    made.receive(2.0, line(age=0.9))
    assert "too old" in made.missing(2.0)["positioning"]
    made.receive(2.1, line(age=0.0))
    assert made.missing(2.1) == {}
    made.connect(2.2)
    assert not made.ready


def test_a_fix_that_is_older_than_the_known_one_changes_nothing():
    made = driver()
    made.receive(1.0, line(x=1, age=0.0))
    made.receive(1.1, line(x=2, age=0.5))
    assert percept(made, 1.1).pose.x == 1
    assert made.counts == {"late": 1}


def test_a_position_that_stands_while_the_wheels_turn_is_frozen_but_seldom_ones_are_not():
    made = driver(stale_s=2.0)
    for n in range(1, 30):
        made.receive(n / 10, line(age=0.0))
        made.complete(n / 10, ROLLING)
    assert "stands still" in made.missing(2.9)["positioning"]
    made.receive(3.0, line(x=2, age=0.0))
    made.complete(3.0, ROLLING)
    assert made.missing(3.0) == {}
    for n in range(1, 19):  # no news for long: that is age, not frost
        made.complete(3.0 + n / 10, ROLLING)
        assert made.missing(3.0 + n / 10) == {}


@given(st.lists(st.binary(max_size=100) | st.just(line()), max_size=8))
def test_whatever_comes_the_line_after_it_counts(pieces):
    made = driver()
    for piece in pieces:
        made.receive(1.0, piece)
    made.receive(2.0, b"\n" + line(x=7, age=0.0))
    assert percept(made, 2.0).pose.x == 7
