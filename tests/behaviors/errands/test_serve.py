"""Serving a place: by what one robot senses."""

import pytest

from behaviors.errands.serve import DustDesk, EmptyBin
from behaviors.parts import Out
from robotd.model.beliefs import Beliefs
from robotd.model.facts import Fact, FactKind
from robotd.model.senses import Sight
from robotd.model.table import NumberTable, TaskEntry
from robotd.model.tasks import Feedback, Task
from tests.behaviors.senses import percept, sensing

BIN = Task("empty-bin", (("x", "5.0"), ("y", "1.0"), ("area", "bin")), "t1")
OTHER = Task("empty-bin", (("x", "9.0"), ("y", "1.0"), ("area", "other")), "t2")
TABLE = NumberTable(
    (), (TaskEntry(BIN, 1, "t1-served"), TaskEntry(OTHER, 2, "t2-served")),
    (FactKind("t1-served", 1, "flag"), FactKind("t2-served", 2, "flag")),
)  # fmt: skip
UNKNOWN = Beliefs(TABLE, 1)
KNOWN = UNKNOWN.learn([Fact("t1-served")])


class One:
    """One robot on the task."""

    def __init__(self) -> None:
        self.set = EmptyBin(EmptyBin.Settings(fitness=0.6))
        self.set.enter(0.0, BIN)

    def act(self, x: float, left: float | None = None, area: str = "bin", lifted: bool = False) -> Out | None:
        sights = () if left is None else (Sight("garbage", 0.0, left, 0.0, area),)
        i = sensing(percept(pose=(x, 1.0, 0.0)), sights=sights, lifted=lifted)
        return self.set.behaviors[0].act(i, UNKNOWN)

    def judge(self, beliefs: Beliefs = UNKNOWN, task: Task = BIN) -> Feedback:
        return self.set.assess(percept(), beliefs, task)


def test_it_drives_there_without_the_tool_and_runs_it_at_rest_at_the_place() -> None:
    one = One()
    away, there = one.act(1.0), one.act(4.9, 1.0)
    assert (away.drive.speed > 0.0, away.tool) == (True, None)
    assert (there.drive.speed, there.tool) == (0.0, "tipper")
    assert one.act(4.9, lifted=True) is None


def test_it_reports_the_place_done_once_nothing_is_left_there_and_stays() -> None:
    one = One()
    assert one.act(4.9, 0.0, area="other").facts == ()
    assert one.act(4.9, 0.4).facts == ()
    assert [fact.name for fact in one.act(4.9, 0.0).facts] == ["t1-served"]
    after = one.act(4.9, 0.0)
    assert (after.facts, after.tool, after.drive.speed) == ((), None, 0.0)


def test_progress_stays_below_a_half_at_work_and_is_one_when_it_is_done() -> None:
    one = One()
    found = []
    for x, left in ((1.0, None), (4.9, 1.0), (4.9, 0.4), (4.9, 0.0)):
        one.act(x, left)
        found.append((one.judge().progress, one.judge().done))
    assert found == [(0.0, False), (0.01, False), (pytest.approx(0.3), False), (1.0, True)]
    assert one.judge(task=OTHER) == Feedback(applicable=True, fitness=0.6)


def test_a_place_that_is_known_to_be_done_is_only_for_the_robot_that_has_done_it() -> None:
    one = One()
    assert not one.judge(KNOWN).applicable
    assert one.judge(KNOWN, OTHER).applicable
    one.act(4.9, 0.0)
    assert one.judge(KNOWN).applicable
    one.set.leave(1.0, "done")
    assert not one.judge(KNOWN).applicable


def test_each_set_needs_its_tool() -> None:
    assert [made.needs[-1] for made in (EmptyBin, DustDesk)] == ["tipper", "duster"]
    assert EmptyBin(EmptyBin.Settings()).lacking(percept()) == ("dirt-sensor", "tipper")
