"""Bounding overwatch: whose turn it is, which robots may bound, and how long a watch lasts."""

import math
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from behaviors.overwatch.overwatch import Bound, GroupsSettings, Watch, own_turn
from robotd.model.beliefs import Beliefs, Teammate
from robotd.model.facts import Fact, FactKind
from robotd.model.table import NumberTable, TaskEntry
from robotd.model.tasks import Task
from tests.behaviors.senses import percept

SLOTS = ("west-1", "west-2", "east-1")
FACTS = tuple(FactKind(name, k + 1, "count") for k, name in enumerate((*SLOTS, "watched")))
GO, WATCH = Task("bound", (), "bound-west-1"), Task("watch", (), "watch-west")
TABLE = NumberTable((), (TaskEntry(GO, 1, "west-1"), TaskEntry(WATCH, 2, "watched")), FACTS)
WEST = {"own": ("west-1", "west-2"), "other": ("east-1",), "first": True}
EAST = {"own": ("east-1",), "other": ("west-1", "west-2")}
ROUTE = {"stations": [[1.0, 3.0], [1.0, 6.0]], "watch": "watch-east"}
WATCHED = {2: Teammate(0.0, "watch-east")}


def believing(*counts, teammates=WATCHED):
    facts = [Fact(name, (float(n),)) for name, n in zip(SLOTS, counts, strict=True) if n]
    return replace(Beliefs(TABLE, 1).learn(facts), teammates=teammates)


def bound(*counts, teammates=WATCHED, now=0):
    """How a robot of the group that begins judges its first slot."""
    return Bound(Bound.Settings(**WEST, **ROUTE)).assess(percept(now), believing(*counts, teammates=teammates), GO)


@given(st.data())
def test_however_late_the_others_counts_are_heard_it_is_never_both_groups_turn(data):
    made = data.draw(st.integers(0, 9))
    west, east = made + data.draw(st.integers(0, 1)), made  # all that can be: west is one ahead, or both are level
    heard_of_east, heard_of_west = data.draw(st.integers(0, east)), data.draw(st.integers(0, west))
    west_goes = own_turn(believing(west, west, heard_of_east), GroupsSettings(**WEST))
    east_goes = own_turn(believing(heard_of_west, heard_of_west, east), GroupsSettings(**EAST))
    assert not (west_goes and east_goes)
    if (heard_of_east, heard_of_west) == (east, west):
        assert west_goes != east_goes


def test_a_slot_bounds_on_its_groups_turn_once_and_not_past_the_last_station():
    assert bound(0, 0, 0).applicable
    assert not bound(1, 0, 0).applicable  # it waits for the other slot of its group
    assert not bound(1, 1, 0).applicable  # it is the other group's turn
    assert bound(1, 1, 1).applicable
    assert not bound(2, 2, 2).applicable  # it is at the end


def test_a_task_introduced_at_run_time_has_no_slot_to_bound_in():
    made = Bound(Bound.Settings(**WEST, **ROUTE))
    assert not made.assess(percept(), believing(0, 0, 0), replace(GO, id="green.1")).applicable


def test_no_robot_bounds_unwatched():
    assert not bound(0, 0, 0, teammates={}).applicable
    assert not bound(0, 0, 0, teammates={2: Teammate(0.0, "watch-west")}).applicable
    assert bound(0, 0, 0, now=190).applicable
    assert not bound(0, 0, 0, now=210).applicable  # the watcher was not heard for 21 s


def test_a_bound_ends_standing_at_the_station_and_counts_it_in_the_same_tick():
    going = Bound(Bound.Settings(**WEST, **ROUTE))
    going.enter(0.0, GO)
    (step,) = going.behaviors
    beliefs = believing(1, 1, 1)
    out = step.act(percept(1, pose=(1.0, 3.0, math.pi / 2)), beliefs)
    assert out.drive.speed > 0.0
    assert out.facts == ()
    out = step.act(percept(2, pose=(1.0, 5.9, math.pi / 2)), beliefs)
    assert (out.drive.speed, out.drive.turn) == (0.0, 0.0)
    assert out.facts == (Fact("west-1", (2.0,)),)
    assert going.assess(percept(3), beliefs, GO).done
    assert step.act(percept(3, pose=(1.0, 5.9, math.pi / 2)), beliefs) is None


def test_a_watch_is_kept_on_the_others_turn_facing_forward_until_their_bound_is_counted():
    keeping = Watch(Watch.Settings(**WEST, bounds=2))
    assert not keeping.assess(percept(), believing(0, 0, 0), WATCH).applicable
    assert keeping.assess(percept(), believing(1, 1, 0), WATCH).applicable
    keeping.enter(0.0, WATCH)
    (face,) = keeping.behaviors
    out = face.act(percept(1, pose=(1.0, 3.0, 0.0)), believing(1, 1, 0))
    assert out.drive.speed == 0.0
    assert out.drive.turn > 0.0
    assert face.act(percept(2, pose=(1.0, 3.0, 1.55)), believing(1, 1, 0)).drive.turn == 0.0
    assert keeping.assess(percept(3), believing(1, 1, 1), WATCH).applicable  # it has yet to be counted
    out = face.act(percept(3, pose=(1.0, 3.0, 1.55)), believing(1, 1, 1))
    assert out.facts == (Fact("watched", (1.0,)),)
    judged = keeping.assess(percept(4), believing(1, 1, 1), WATCH)
    assert (judged.applicable, judged.done) == (False, True)


def test_where_the_others_have_no_bounds_left_there_is_nothing_to_watch():
    assert not Watch(Watch.Settings(**WEST, bounds=2)).assess(percept(), believing(3, 3, 2), WATCH).applicable


def test_a_watch_that_is_taken_up_again_is_over_one_bound_from_then_on():
    keeping = Watch(Watch.Settings(**WEST, bounds=5))
    keeping.enter(0.0, WATCH)
    keeping.behaviors[0].act(percept(1), believing(1, 1, 0))
    keeping.leave(1.0, "hibernates")
    assert not keeping.assess(percept(2), believing(1, 1, 1), WATCH).applicable
    keeping.enter(3.0, WATCH)
    assert keeping.behaviors[0].act(percept(4), believing(2, 2, 1)).facts == ()
