"""Pushing velocities as facts, for a coordinator that knows no subtasks."""

from dataclasses import replace

import pytest

from behaviors.box_moving.push_box import PushBox
from behaviors.box_moving.watch_box import WatchBox, Watched
from behaviors.parts import Eyes, Percept
from robotd.model.beliefs import Beliefs
from robotd.model.facts import Fact, FactKind
from robotd.model.senses import Capabilities, Senses, Sight
from robotd.model.table import NumberTable
from robotd.model.tasks import Task

FACTS = (FactKind("left-speed", 1, "scalar"), FactKind("right-speed", 2, "scalar"))
NOTHING_KNOWN = Beliefs(NumberTable((), (), FACTS), 1)
LEFT = Task("push-box", (("end", "left"), ("speed", "0.1")), "push-left")
AHEAD = Percept(0.0, 0, Senses(sights=(Sight("box", 0.0, 1.0, None, "box"),)), Capabilities(), None, Eyes())


@pytest.mark.parametrize(("share", "asked"), [(None, True), (0.5, True), (0.0, False)])
def test_a_push_is_applicable_unless_a_fact_says_that_none_is_wanted(share: float | None, asked: bool) -> None:
    beliefs = NOTHING_KNOWN if share is None else NOTHING_KNOWN.learn([Fact("left-speed", (share,))])
    by_fact, by_task = PushBox(PushBox.Settings(stated="left-speed")), PushBox(PushBox.Settings())
    assert by_fact.assess(AHEAD, beliefs, LEFT).applicable == asked
    assert by_task.assess(AHEAD, beliefs, LEFT).applicable


def test_a_stated_velocity_goes_before_the_tasks() -> None:
    pushing = PushBox(PushBox.Settings(stated="left-speed", speed_m_s=0.2))
    assert pushing.stated_m_s(NOTHING_KNOWN, 0.1) == 0.1
    assert pushing.stated_m_s(NOTHING_KNOWN.learn([Fact("left-speed", (0.5,))]), 0.1) == pytest.approx(
        0.1, abs=1e-3
    )


def test_the_watcher_states_what_changed_and_nothing_without_names() -> None:
    named = WatchBox(WatchBox.Settings(states=("left-speed", "right-speed"), speed_m_s=0.1)).behaviors[0]
    named.state = Watched(left=0.1, right=0.05)
    assert named.stated(NOTHING_KNOWN) == (Fact("left-speed", (1.0,)), Fact("right-speed", (0.5,)))
    known = NOTHING_KNOWN.learn([Fact("left-speed", (1.0,)), Fact("right-speed", (0.5,))])
    assert named.stated(known) == ()
    named.state = replace(named.state, right=0.0)
    assert named.stated(known) == (Fact("right-speed", (0.0,)),)
    assert WatchBox(WatchBox.Settings()).behaviors[0].stated(NOTHING_KNOWN) == ()
