"""What a change of a task's record does to one robot: backing off, restoring, and S (lines 12 to 18, II-E)."""

import pytest

from motivation.cobos.models import HOLDS, PERFORMED, STARTED, Record
from motivation.cobos.settings import CobosSettings, Macro, Plan
from motivation.cobos.state import CHARGED, NO, UNCHARGED, WORKS, Models, State
from robotd.model.tasks import Task

RED, BLUE = ((0, 1),), ((0, 2),)
TAKEN = Record(open=False)


def models(**settings: str) -> Models:
    """A robot that works on task 1, for red, of two; the other is for blue."""
    tasks = tuple(Macro(Task(name, (), name), ways, 250.0, (), 0.0, (0.0, 0.0)) for name, ways in
                  (("red", RED), ("blue", BLUE)))  # fmt: skip
    state = State((TAKEN, TAKEN), (NO, NO), (0.0, 0.0), ((), ()), ((), ()), (-1.0, -1.0), (0, 0, 0), began=0.0)
    state.task, state.place, state.status = 1, WORKS, STARTED
    own = CobosSettings(basis=("goto", "red", "blue"), **settings)  # type: ignore[arg-type]
    return Models(own, Plan(tasks, Task("idle")), (0.9, 0.9, 0.9), state)


def test_a_robot_is_as_near_to_a_task_as_the_place_is_where_it_is_due() -> None:
    tasks = [Macro(Task(name, (), name), RED, 250.0, (), 0.0, place) for name, place in
             (("a", (5.0, 0.0)), ("b", (10.0, 0.0)))]  # fmt: skip
    plan = Plan(tuple(tasks), Task("idle", (("x", "0"), ("y", "0"))))
    own = models(distance_weight=0.5)  # type: ignore[arg-type]
    own.plan = plan
    assert (plan.span_m, plan.fixed) == (10.0, frozenset())
    assert [own.value(task) for task in (1, 2)] == [round(255 * 0.95), round(255 * 0.7)]
    own.state.place = 0  # it recruits, and visits the idle place
    assert [own.value(task) for task in (1, 2)] == [round(255 * 0.7), round(255 * 0.45)]
    own.settings = own.settings.model_copy(update={"distance_weight": 0.0})
    assert [own.value(task) for task in (1, 2)] == [230, 230]


def test_a_failure_backs_off_and_counts_when_the_suitability_is_restored() -> None:
    own = models(evidence="none")
    own.take_up(9.0, 1, TAKEN.changed(tried=True))
    assert (own.value(1), own.value(2), own.state.success) == (0, 230, (0, 0, 0))
    own.take_up(10.0, 1, TAKEN.changed(tried=True).changed(required=2))
    assert own.state.success == (-1, -1, 0)
    assert (own.value(1), own.value(2)) == (round(255 * 0.9 / 1.5), round(255 * 0.9 * (1 + 1 / 1.5) / 2))
    assert own.state.since == (10.0, 0.0)
    assert [event.kind for event in own.events] == ["backed-off", "restored"]


def test_a_failure_counts_when_the_task_is_handed_over_and_once_only() -> None:
    own = models(evidence="none")
    own.back_off(1, "it failed")
    own.charge(1)
    own.charge(1)
    assert (own.state.success, own.state.backed) == ((-1, -1, 0), (CHARGED, NO))
    own.restore(1, "it needs more")
    assert own.state.success == (-1, -1, 0)


@pytest.mark.parametrize(
    ("restores", "task", "restored"), [("all", 0, True), ("holder", 0, False), ("holder", 1, True)]
)
def test_whose_suitability_is_restored_is_a_key(restores: str, task: int, restored: bool) -> None:
    own = models(evidence="none", restores=restores)
    own.back_off(1, "it failed")
    own.state.task = task
    own.take_up(9.0, 1, TAKEN.changed(required=2))
    assert (own.value(1) > 0) == restored


def test_a_robot_that_holds_an_object_has_not_failed() -> None:
    own = models()
    own.state.status = HOLDS
    own.take_up(9.0, 1, TAKEN.changed(tried=True, required=2))
    assert own.state.backed == (NO, NO)
    own.state.status = STARTED
    own.take_up(9.0, 1, own.state.records[0].changed(required=3))
    assert own.state.backed == (UNCHARGED, NO)
    own.take_up(9.0, 1, own.state.records[0].changed(tried=False))  # all backed off
    assert (own.state.backed, own.state.success) == ((NO, NO), (-1, -1, 0))


def test_a_performed_task_counts_as_a_success_of_the_robots_that_see_it() -> None:
    for status, success in ((PERFORMED, (1, 1, 0)), (STARTED, (0, 0, 0))):
        own = models()
        own.state.status = status
        own.take_up(9.0, 1, TAKEN.changed(performed=True))
        own.take_up(9.0, 1, own.state.records[0].changed(required=2))
        assert own.state.success == success


def test_a_robot_that_performs_states_its_given_suitability_whatever_failed_before() -> None:
    for proven, value in ((True, 230), (False, round(255 * 0.9 / 2.5))):
        own = models(proven=proven)  # type: ignore[arg-type]
        own.state.success, own.state.status = (-2, -2, 0), PERFORMED
        assert own.value(1) == value


def test_the_record_of_another_task_changes_nothing_here() -> None:
    own = models()
    own.take_up(9.0, 2, TAKEN.changed(tried=True))
    assert (own.state.backed, own.state.since) == ((NO, NO), (0.0, 9.0))
    own.take_up(11.0, 2, own.state.records[1].changed(open=True))
    assert own.state.since == (0.0, 9.0)  # an opening begins no new term
