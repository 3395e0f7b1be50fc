"""Conditions above every coordinator: when they begin, when they end, and when their set takes over."""

import json

import pytest

from robotd.config.mission import ConditionFile
from robotd.model.choice import Choice
from robotd.model.senses import Senses
from robotd.model.tasks import Assignment, Feedback, Task
from robotd.robot.conditions import Conditions

DIG, FILL = Task("dig", (), "dig"), Task("fill", (), "fill")
DIGS, FILLS = Choice((Assignment("digger", DIG),)), Choice((Assignment("filler", FILL),))
CHARGES = (Assignment("charge", Task("charge")),)
IDLE = Choice()


def conditions(between_tasks: bool = False) -> Conditions:
    low = ConditionFile(sense="battery", below=0.2, until=0.9, set="charge", between_tasks=between_tasks)
    return Conditions({"battery-low": low})


def decide(
    them: Conditions, battery: float | None, choice: Choice, path=DIGS.run, feedback: Feedback | None = None
) -> tuple[Feedback, Choice]:
    """One decision: what the coordinator sees of the digger, and the choice that it leads to."""
    them.update(Senses(battery=battery))
    seen = them.judge("digger", DIG, path, feedback or Feedback(applicable=True))
    return seen, them.override(choice, path)


def test_a_condition_holds_from_below_one_reading_until_another_and_an_absent_sense_changes_nothing() -> None:
    them = conditions()
    held = []
    for battery in (None, 0.5, 0.2, 0.19, 0.5, None, 0.89, 0.9, 0.5, None):
        them.update(Senses(battery=battery))
        held.append(bool(them.reason))
    assert held == [False, False, False, True, True, True, True, False, False, False]


def test_while_none_holds_feedback_and_choice_are_the_coordinators() -> None:
    feedback = Feedback(applicable=True, progress=0.3)
    seen, choice = decide(conditions(), 0.5, DIGS, feedback=feedback)
    assert seen is feedback
    assert choice is DIGS


def test_while_one_holds_no_set_applies_and_its_own_acts_at_once() -> None:
    seen, choice = decide(conditions(), 0.1, IDLE)
    assert seen == Feedback(applicable=False, missing=("battery",))
    assert choice.run == CHARGES
    assert [event.kind for event in choice.events] == ["condition-began"]


def test_it_waits_while_the_active_set_holds_an_object() -> None:
    them, holds = conditions(), Feedback(applicable=True, holding=True)
    seen, choice = decide(them, 0.1, DIGS, feedback=holds)
    assert (seen, choice) == (holds, DIGS)
    seen, choice = decide(them, 0.1, DIGS)
    assert (seen.applicable, choice.run) == (False, CHARGES)


def test_between_tasks_it_waits_until_the_active_set_has_ended_and_no_other_begins() -> None:
    them = conditions(between_tasks=True)
    seen, choice = decide(them, 0.1, DIGS)
    assert (seen.applicable, choice) == (True, DIGS)
    assert not them.judge("filler", FILL, DIGS.run, Feedback(applicable=True)).applicable
    assert decide(them, 0.1, FILLS)[1].run == CHARGES


def test_a_recurring_task_has_ended_where_an_occasion_of_it_is_done() -> None:
    them = conditions(between_tasks=True)
    assert decide(them, 0.1, Choice(DIGS.run, finished=(DIG,)))[1].run == CHARGES


def test_when_it_ends_the_run_is_the_coordinators_again() -> None:
    them = conditions()
    decide(them, 0.1, IDLE)
    assert decide(them, 0.5, DIGS, CHARGES)[1].run == CHARGES
    _, choice = decide(them, 0.9, DIGS, CHARGES)
    assert choice.run == DIGS.run
    assert [event.kind for event in choice.events] == ["condition-ended"]


def test_of_several_that_hold_the_first_acts() -> None:
    low = ConditionFile(sense="battery", below=0.2, until=0.9, set="charge")
    lower = ConditionFile(sense="battery", below=0.3, until=0.9, set="beep")
    for first, second in ((low, lower), (lower, low)):
        them = Conditions({"first": first, "second": second})
        assert [decide(them, 0.1, IDLE)[1].run[0].set for _ in range(2)] == [first.set] * 2
    assert decide(Conditions({"low": low, "lower": lower}), 0.25, IDLE)[1].run[0].set == "beep"


@pytest.mark.parametrize("between_tasks", [False, True])
def test_frozen_at_any_decision_it_goes_on_as_before(between_tasks: bool) -> None:
    script = [(0.5, DIGS), (0.1, DIGS), (0.1, DIGS), (None, IDLE), (0.5, FILLS), (0.95, DIGS), (0.5, DIGS)]

    def play(cut: int) -> list[Choice]:
        them, path, seen = conditions(between_tasks), IDLE.run, []
        for k, (battery, choice) in enumerate(script):
            if k == cut:
                state = json.loads(json.dumps(them.freeze()))
                them = conditions(between_tasks)
                them.thaw(state)
            chosen = decide(them, battery, choice, path, Feedback(applicable=True, holding=k == 1))[1]
            path = chosen.run
            seen.append(chosen)
        return seen

    assert all(play(cut) == play(-1) for cut in range(len(script)))
