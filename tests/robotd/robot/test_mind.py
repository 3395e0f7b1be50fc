"""The thinking half of a tick: orders, permission, what is heard and believed, and the command."""

import json
from dataclasses import replace
from typing import Any

import pytest

from robotd.model.choice import Decision, Event
from robotd.model.command import ActionResult, Command
from robotd.model.facts import MAX_VERSION
from robotd.model.inputs import Fault, Inputs, Order
from robotd.model.senses import Capabilities, Senses
from robotd.model.statements import Heard, Sent, Statement
from robotd.model.tasks import Task
from robotd.robot.mind import IDLE, NEWER_RUN, STILL, Mind
from tests.robotd.robot.stand_ins import (
    DRIVES,
    RUN,
    START,
    TICK_S,
    WHOLE,
    WORKS,
    behaviors_of,
    coordinator_of,
    fact,
    made_mind,
)  # fmt: skip


def at(n: int, *orders: Order, faults: tuple[str, ...] = (), body: Capabilities = WHOLE) -> Inputs:
    open_ = tuple(Fault(name, "as told", 0.0) for name in faults)
    return Inputs(n * TICK_S, n, Senses(), body, orders, open_)


def frame(*statements: Statement, sender: int = 2, run: int = 1, n: int = 0, **other: Any) -> Heard:
    made = Heard(n * TICK_S, sender, run, running=True, same_mission=True, statements=statements)
    return replace(made, **other)


def ticked(mind: Mind, n: int, *orders: Order, heard: tuple[Heard, ...] = (), **other: Any) -> Decision:
    return mind.decide(at(n, *orders, **other), heard, ())


def working() -> Mind:
    """Permitted in run 1, ticked at 0 (a decision) to 1."""
    mind = made_mind()
    ticked(mind, 0, START, RUN)
    ticked(mind, 1)
    return mind


# -- who may move


def test_a_robot_waits_for_permission_and_for_a_run_and_then_does_what_was_chosen() -> None:
    mind = made_mind()
    coordinator = coordinator_of(mind)
    seen = []
    for n, order in enumerate([(), (START,), (), (), (RUN,), ()]):
        decision = ticked(mind, n, *order)
        seen.append((decision.state.word, mind.acting, decision.wanted == DRIVES, decision.wanted == STILL))
    waits = ("waiting for start", False, False, True)
    assert seen == [waits, *[("waiting for run", False, False, True)] * 3, *[("running", True, True, False)] * 2]
    assert behaviors_of(mind).chosen == [""] * 4 + ["digger"] * 2
    assert [feedback.applicable for feedback in coordinator.feedback] == [False, True]


@pytest.mark.parametrize("order", ["mission-stop", "stop"])
def test_a_stop_acts_in_the_same_tick_although_no_decision_is_due_and_another_order_changes_nothing(order) -> None:
    mind = working()
    assert ticked(mind, 2, Order("task-add", ("dig",))).wanted == DRIVES
    decision = ticked(mind, 3, Order(order))
    assert (decision.choice, decision.wanted, mind.acting) == (None, STILL, False)
    assert behaviors_of(mind).chosen[-1] == ""


def test_a_fault_that_stops_holds_everything_still_in_its_tick_and_one_that_does_not_changes_nothing() -> None:
    mind = working()
    assert ticked(mind, 2, faults=("mission-mismatch",)).wanted == DRIVES
    decision = ticked(mind, 3, faults=("duplicate-id",))
    assert (decision.wanted, decision.state.word) == (STILL, "faulted")
    assert ticked(mind, 4).wanted == DRIVES


# -- decisions


@pytest.mark.parametrize(
    ("ticks", "decisions"),
    [(range(9), [0, 4, 8]), ((0, 3, 6, 7, 8, 9), [0, 6, 8])],
    ids=["every fourth", "skipped"],
)
def test_a_decision_comes_at_every_fourth_tick_or_at_once_after_skipped_ones(ticks, decisions) -> None:
    mind = made_mind()
    assert [n for n in ticks if ticked(mind, n).choice is not None] == decisions


def test_what_is_received_and_sent_goes_to_the_decision_and_what_is_received_first_to_the_beliefs() -> None:
    mind = working()
    activity, flag = Statement("activity", ("dig", "", 2.0)), Statement("fact", ("dug", 0, 0.0))
    heard, sent = (frame(activity, flag, n=3), frame(sender=3, n=4)), (Sent(0.3, (activity,)),)
    mind.decide(at(4), heard, sent)
    assert coordinator_of(mind).steps[-1][2:] == (heard, sent)
    assert coordinator_of(mind).steps[-1][1].flag("dug")
    assert mind.beliefs.teammates[2].task == "dig"
    assert set(mind.beliefs.teammates) == {2, 3}


# -- runs


def test_an_order_to_start_the_mission_opens_the_next_run_for_all_that_thinks() -> None:
    mind = working()
    mind.beliefs = mind.beliefs.learn([fact("dug")])
    begun, resets = len(coordinator_of(mind).begun), behaviors_of(mind).resets
    decision = ticked(mind, 2, RUN)
    assert (decision.beliefs.run, decision.beliefs.running, dict(decision.beliefs.facts)) == (2, True, {})
    assert (len(coordinator_of(mind).begun), behaviors_of(mind).resets) == (begun + 1, resets + 1)
    assert mind.choice == IDLE


@pytest.mark.parametrize(
    ("kinds", "runs"),
    [
        (("start", "acknowledge", "stop-team"), [(1, True)] * 3),
        (("mission-reset", "mission-stop", "mission-reset"), [(2, True), (3, False), (4, False)]),
    ],
)
def test_a_reset_keeps_running_what_runs_a_stop_does_not_and_other_orders_open_no_run(kinds, runs) -> None:
    mind = working()
    begun = len(coordinator_of(mind).begun)
    assert [(ticked(mind, 2, Order(kind)).beliefs.run, mind.beliefs.running) for kind in kinds] == runs
    assert len(coordinator_of(mind).begun) - begun == runs[-1][0] - 1
    mind.beliefs = replace(mind.beliefs, run=127)
    assert ticked(mind, 2, RUN).beliefs.run == 1


def test_a_newer_run_that_is_received_begins_here_too_and_an_older_one_does_not() -> None:
    mind = working()
    begun = len(coordinator_of(mind).begun)
    ticked(mind, 4, heard=(frame(run=9),))
    assert (mind.beliefs.run, len(coordinator_of(mind).begun)) == (9, begun + 1)
    ticked(mind, 8, heard=(frame(run=8),))
    assert (mind.beliefs.run, len(coordinator_of(mind).begun)) == (9, begun + 1)
    ticked(mind, 12, Order("mission-stop"), heard=(frame(run=20),))  # the order comes after what was received
    assert (mind.beliefs.run, mind.beliefs.running) == (21, False)


def test_the_order_and_what_was_received_hold_although_the_behaviors_raise() -> None:
    mind = working()

    def break_(i: Inputs) -> None:
        raise ZeroDivisionError

    behaviors_of(mind).trouble = break_
    with pytest.raises(ZeroDivisionError):
        ticked(mind, 4, RUN, heard=(frame(Statement("fact", ("holes", 3, 0.0)), run=5),))
    assert (mind.beliefs.run, set(mind.beliefs.teammates)) == (6, {2})


# -- what it does becomes what it believes


def test_facts_that_the_behaviors_assert_are_believed_since_now_or_since_when_they_report() -> None:
    mind = working()
    facts = (fact("spot", 1.004, 2.0), fact("holes", 2.0), fact("dug", since=1.5))
    behaviors_of(mind).acted = ActionResult(DRIVES, facts)
    beliefs = ticked(mind, 30).beliefs
    assert (beliefs.place("spot"), beliefs.count("holes")) == ((1.0, 2.0), 2)
    assert (beliefs.facts["holes"].since, beliefs.facts["dug"].since) == (3.0, 1.5)
    assert mind.beliefs is beliefs


@pytest.mark.parametrize(("sender", "word"), [(0, "running"), (2, "stopped")])
def test_the_time_out_of_the_base_station_counts_from_its_frames_alone(sender, word) -> None:
    mind = working()
    mind._permission._base_station_timeout_s = 5.0
    ticked(mind, 40, heard=(frame(sender=sender, n=40),))
    assert ticked(mind, 80).state.word == word


def test_facts_that_the_coordinator_asserts_are_believed_before_the_behaviors_act() -> None:
    mind, seen = working(), []
    coordinator_of(mind).choice = replace(WORKS, facts=(fact("holes", 3.0),))
    behaviors_of(mind).trouble = lambda i: seen.append(mind.beliefs.count("holes"))
    for n in range(2, 9):
        ticked(mind, n)
    assert seen == [0, 0, 3, 3, 3, 3, 3]  # from the decision of tick 4 on


def test_more_versions_of_a_fact_than_a_run_has_are_refused_in_words_and_the_wheels_go_on() -> None:
    mind = working()
    for n in range(MAX_VERSION + 5):
        coordinator_of(mind).choice = replace(WORKS, facts=(fact("spot", n / 100, 2.0),))
        decision = ticked(mind, 4 * (n + 1))
        assert decision.wanted == DRIVES
        assert (mind.refused != "") == (n >= MAX_VERSION)
    assert "fact spot was rewritten 2047 times" in mind.refused
    assert decision.beliefs.place("spot") == ((MAX_VERSION - 1) / 100, 2.0)
    ticked(mind, 4 * (n + 2), Order("mission-reset"))
    assert mind.refused == ""


# -- what a coordinator is asked


def test_every_order_between_two_decisions_reaches_the_coordinator_once_and_in_order() -> None:
    mind, given = working(), [Order("task-add", (f"job-{k}",)) for k in range(40)]
    for k, order in enumerate(given):
        ticked(mind, 2 + k * 4 + k % 4, order)
    ticked(mind, 200)
    assert [order for i, *_ in coordinator_of(mind).steps[1:] for order in i.orders] == given


def test_an_order_that_makes_the_coordinator_raise_is_given_to_it_once() -> None:
    mind = working()
    ticked(mind, 2, Order("task-add", ("fly",)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coordinator_of(mind), "step", lambda i, *_: {}[i.orders[0].args[0]])
        with pytest.raises(KeyError):
            ticked(mind, 4)
    ticked(mind, 8)
    assert coordinator_of(mind).steps[-1][0].orders == ()


def test_a_new_run_refuses_the_tasks_asked_for_before_it_and_keeps_the_orders_that_come_with_it() -> None:
    mind = working()
    ticked(mind, 1, Order("task-add", ("older", "x=1")))
    ticked(mind, 2, Order("mission-reset"), Order("stop"), Order("task-add", ("old",)))
    ticked(mind, 3, Order("mission-reset"), Order("task-add", ("new",)))
    again = made_mind()
    again.thaw(json.loads(json.dumps(mind.freeze())))
    for one in (mind, again):
        decision = ticked(one, 4)
        asked = [(order.kind, *order.args) for order in coordinator_of(one).steps[-1][0].orders]
        assert asked == [("mission-reset",), ("task-add", "new")]
        events = [Event("refused", "", name, NEWER_RUN) for name in ("older", "old")]
        assert list(decision.choice.events) == events
        assert ticked(one, 8).choice.events == ()


def test_the_subtasks_of_the_last_tick_are_a_state_that_the_coordinator_reads() -> None:
    mind, asked = working(), Task("push", (("side", "left"),), "watch/left")
    for n in range(2, 14):
        behaviors_of(mind).acted = ActionResult(DRIVES, subtasks=(asked,) if n in (5, 11) else ())
        ticked(mind, n)
    read = {i.n: i.subtasks for i, *_ in coordinator_of(mind).steps}
    assert (read[4], read[8], read[12]) == ((), (), (asked,))  # that of tick 5 was over at the decision of tick 8


def test_orders_and_subtasks_between_two_decisions_outlive_a_freeze() -> None:
    mind, again = working(), made_mind()
    behaviors_of(mind).acted = ActionResult(DRIVES, subtasks=(Task("push", (), "a/b"),))
    ticked(mind, 3, Order("task-add", ("dig",)))
    again.thaw(json.loads(json.dumps(mind.freeze())))
    ticked(again, 4)
    asked = coordinator_of(again).steps[-1][0]
    assert (asked.orders, asked.subtasks) == ((Order("task-add", ("dig",)),), (Task("push", (), "a/b"),))


# -- the command


def test_the_command_is_limited_by_what_the_body_can_do_now() -> None:
    mind = working()
    wanted = ticked(mind, 2, body=Capabilities(("mobile",), (), 0.1)).wanted
    assert (wanted.left, wanted.right) == pytest.approx((0.1, 0.05))
    assert ticked(mind, 3, body=Capabilities()).wanted == Command(0.0, 0.0)


# -- freezing


def test_a_thawed_mind_goes_on_exactly_like_the_one_that_was_frozen() -> None:
    for cut in range(12):
        one, other = made_mind(), made_mind()
        for n in range(14):
            if n == cut:
                frozen = json.loads(json.dumps(other.freeze(), allow_nan=False))
                other = made_mind()
                other.thaw(frozen)
                assert json.dumps(other.freeze()) == json.dumps(one.freeze())
                assert other.acting == one.acting
            orders = {0: (START,), 2: (RUN,), 9: (Order("stop"),), 11: (START,)}.get(n, ())
            heard = (frame(Statement("place", ("spot", 33, 1.5, 2.0, 0.4)), run=3, n=n),) if n == 4 else ()
            decisions = [ticked(mind, n, *orders, heard=heard) for mind in (one, other)]
            assert decisions[0] == decisions[1]
            assert one.acting == other.acting
