"""Cleaning: the layer that notes dirt, the lanes over an area, and the sets that run a tool until it is clean."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from behaviors.engine import Behaviors
from behaviors.janitor.cleaning import EDGE_M, CleanFloor, EmptyGarbage, NoteDirt, Place, dirty, lanes
from behaviors.parts import complete
from boards.mock.settings import BodySpec, WorldSettings
from boards.mock.world import World, progress
from robotd.model.beliefs import Beliefs
from robotd.model.facts import Fact, FactKind
from robotd.model.senses import Sight
from robotd.model.table import NumberTable, TaskEntry
from robotd.model.tasks import Task
from tests.behaviors.harness import Solo
from tests.behaviors.senses import percept

FACTS = (
    FactKind("bin", 1, "scalar"),
    FactKind("floor", 2, "scalar"),
    FactKind("swept", 3, "count"),
    FactKind("emptied", 4, "flag"),
)
SWEEP, EMPTY, IDLE = Task("clean-floor", (), "sweep"), Task("empty-garbage", (), "empty"), Task("sing", (), "sing")
TABLE = NumberTable((), (TaskEntry(SWEEP, 1, "swept"), TaskEntry(EMPTY, 2, "emptied"), TaskEntry(IDLE, 3)), FACTS)
KNOWN = Beliefs(TABLE, 1)
FLOOR = {"name": "floor", "x_m": 2.0, "y_m": 2.0, "width_m": 1.6, "depth_m": 1.2}
BIN = {"name": "bin", "x_m": 3.0, "y_m": 1.2}
CLEAN, DIRTY = (0.0,), (1.0,)


def believing(**facts):
    return KNOWN.learn([Fact(name, value) for name, value in facts.items()])


def sensing(*readings):
    """One tick with a dirt sensor's readings: (area, what is left, distance)."""
    sights = tuple(Sight("dirt", 0.0, left, far, area) for area, left, far in readings)
    at = percept()
    at.senses = replace(at.senses, sights=sights)
    return at


def noted(i, beliefs):
    out = NoteDirt(NoteDirt.Settings()).act(i, beliefs)
    return {} if out is None else {fact.name: fact.value for fact in out.facts}


def test_what_is_sensed_otherwise_than_believed_is_stated_and_nothing_else():
    seen = sensing(("floor", 0.4, 0.0), ("bin", 0.0, 0.3))
    assert noted(seen, KNOWN) == {"floor": DIRTY, "bin": CLEAN}
    assert noted(seen, believing(floor=DIRTY, bin=CLEAN)) == {}
    assert noted(seen, believing(floor=CLEAN, bin=CLEAN)) == {"floor": DIRTY}
    assert noted(sensing(), KNOWN) == {}


def test_areas_that_the_mission_does_not_know_and_other_sights_are_passed_over():
    assert noted(sensing(("cellar", 1.0, 0.0), ("swept", 1.0, 0.0)), KNOWN) == {}
    at = sensing(("floor", 1.0, 0.0))
    at.senses = replace(at.senses, sights=(replace(at.senses.sights[0], kind="camera"),))
    assert noted(at, KNOWN) == {}


def test_an_area_counts_as_dirty_until_a_robot_has_reported_that_it_is_clean():
    assert dirty(KNOWN, "floor")
    assert not dirty(believing(floor=CLEAN), "floor")
    assert dirty(believing(floor=CLEAN).learn([Fact("floor", DIRTY)]), "floor")


@given(st.floats(0.1, 8.0), st.floats(0.1, 8.0))
def test_lanes_stay_off_the_edges_where_there_is_room_and_leave_no_strip_out(width, depth):
    ends = lanes(Place(name="floor", x_m=4.0, y_m=4.0, width_m=width, depth_m=depth))
    rows = sorted({y for _, y in ends})
    off_x, off_y = max(abs(x - 4.0) for x, _ in ends), rows[-1] - 4.0
    assert off_x <= max(0.0, width / 2 - EDGE_M) + 1e-9
    assert off_y <= max(0.0, depth / 2 - EDGE_M) + 1e-9
    assert width / 2 - off_x < 0.51
    assert depth / 2 - off_y < 0.51
    assert rows[0] == pytest.approx(8.0 - rows[-1])
    assert all(b - a <= 0.4 + 1e-9 for a, b in pairwise(rows))
    assert (len(ends) == 1) == (max(width, depth) <= 1.0)


def test_a_completion_is_stated_as_the_mission_counts_it():
    assert complete(KNOWN, "sweep") == (Fact("swept", (1.0,)),)
    assert complete(believing(swept=(2.0,)), "sweep") == (Fact("swept", (3.0,)),)
    assert complete(KNOWN, "empty") == (Fact("emptied"),)
    assert complete(KNOWN, "sing") == complete(KNOWN, "unheard-of") == ()


def test_a_floor_is_cleaned_once_what_comes_first_is_known_to_be_clean():
    floor = CleanFloor(CleanFloor.Settings(areas=[FLOOR], after=["bin"]))
    assert not floor.assess(percept(), KNOWN, SWEEP).applicable
    assert not floor.assess(percept(), believing(bin=DIRTY), SWEEP).applicable
    assert floor.assess(percept(), believing(bin=CLEAN), SWEEP).applicable
    assert not floor.assess(percept(), believing(bin=CLEAN, floor=CLEAN), SWEEP).applicable
    assert CleanFloor(CleanFloor.Settings(areas=[FLOOR])).assess(percept(), KNOWN, SWEEP).applicable


class Janitor(Solo):
    """One robot with a broom and a tipper in a room with one floor and one bin."""

    def __init__(self, clumsy=0.0):
        body = BodySpec("green", "r2", 1, tools=("broom", "tipper"), clumsy=clumsy)
        areas = ({**FLOOR, "kind": "dirt", "work_s": 6.0},
                 {**BIN, "kind": "garbage", "work_s": 3.0, "litter_on": "floor"})  # fmt: skip
        world = World(WorldSettings(width_m=4, depth_m=4, spills=(), areas=areas), [body], 1)
        sets = {"sweep": CleanFloor(CleanFloor.Settings(areas=[FLOOR])),
                "empty": EmptyGarbage(EmptyGarbage.Settings(areas=[BIN]))}  # fmt: skip
        made = Behaviors({"note-dirt": NoteDirt(NoteDirt.Settings())}, sets)
        super().__init__(world, made, TABLE, {"sweep": SWEEP, "empty": EMPTY})


def test_it_goes_there_runs_the_tool_in_the_area_alone_and_reports_when_it_is_clean():
    one = Janitor()
    assert one.does("sweep") < 40.0
    floor = [(name, value) for name, value in one.reported if name != "bin"]  # which it passes by
    assert floor == [("floor", DIRTY), ("floor", CLEAN), ("swept", (1.0,))]
    assert one.tools[0] is None
    assert one.tools.count("broom") >= 60
    assert progress(one.world) == (1, 2)


def test_litter_that_falls_on_a_clean_floor_is_sensed_and_the_floor_is_done_again():
    one = Janitor(clumsy=1.0)
    one.does("sweep")
    one.does("empty")
    assert one.reported[-3:] == [("bin", CLEAN), ("floor", DIRTY), ("emptied", ())]
    one.does("sweep")
    assert one.beliefs.count("swept") == 2
    assert progress(one.world) == (2, 2)
