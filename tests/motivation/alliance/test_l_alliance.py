"""L-ALLIANCE as a coordinator: what follows from what it has noticed."""

from typing import Any

import pytest
from pydantic import ValidationError

from motivation.alliance.l_alliance import LAllianceSettings
from robotd.model.choice import Coordinator
from robotd.model.keeper import Keeper
from tests.motivation.alliance.one_alliance import Lone, activity, reported
from tests.motivation.alliance.one_learner import DONE, LACKS, TWO, Learner, copied, trial


def test_it_is_a_coordinator_that_learns_and_alliance_is_none() -> None:
    coordinator: Coordinator = Learner().coordinator
    assert isinstance(coordinator, Keeper)
    assert not isinstance(Lone().coordinator, Keeper)


def scripted(robot: Lone) -> list[Any]:
    """A stretch with resets, a takeover, a yield, and completions by teammates; no own attempt ends."""
    seen = []
    for n in range(160):
        if n % 6 == 0 and n < 60:
            robot.hears(activity("push", n / 6))
        if n == 70:
            robot.hears(activity("find", 0.2), sender="gold")
        if n == 100:
            robot.hears(reported("found"))
        seen.append(robot.step())
    return seen


def test_with_nothing_learned_it_decides_as_alliance_does() -> None:
    assert scripted(Learner({"push": {}, "find": {}}, boredom_s=20.0)) == scripted(Lone(TWO))


# -- what follows


def test_while_a_teammate_performs_a_task_it_is_in_category_2() -> None:
    robot = Learner().works(10.0)
    robot.hears(trial("push", 40.0)).until(robot.now + 1.0)
    assert "category 1" in robot.why()
    robot.hears(activity("push")).until(robot.now + 1.0)
    assert "category 2" in robot.why()
    robot.until(robot.now + 0.5)
    assert "rises slowly: blue is on push; category 2, own time 10.1 s, best teammate" in robot.why()


def test_category_2_waits_for_boredom_and_then_grows() -> None:
    robot = Learner(boredom_s=6.0)
    robot.works(10.0).applies(push=True)
    robot.until(robot.now + 5.5)
    assert robot.level() == 0.0
    assert "waits until idle for 6 s" in robot.why()
    robot.until(robot.now + 1.5)
    assert robot.level() > 0.0
    assert "waits" not in robot.why()


def test_category_1_does_not_wait() -> None:
    robot = Learner(boredom_s=60.0)
    robot.hears(trial("push", 40.0)).step()
    robot.until(61.0).works(10.0)
    since = robot.now
    robot.until_active()
    assert robot.now - since < 10.0


def test_a_preempting_set_does_not_wait_for_idleness_that_never_comes() -> None:
    robot = Learner({"push": {}, "report": {"preempts": True}}, boredom_s=60.0)
    robot.hears(trial("report", 40.0)).until(66.0)
    assert "report" in {event.set for _, event in robot.events if event.kind == "activated"}


@pytest.mark.parametrize(("strategy", "phi", "psi"), [
    ("distrust", 30.0, 30.0), ("best-wins", 12.0, 12.0), ("fighting-chance", 12.0, 30.0),
])  # fmt: skip
def test_patience_and_yield_time_go_by_the_strategy(strategy, phi, psi) -> None:
    robot = Learner(strategy=strategy).works(30.0)
    robot.hears(trial("push", 12.0)).step()
    assert robot.value("patience_s", robot="blue") == phi
    assert robot.value("yield_time_s") == psi
    assert robot.value("slow_rate", robot="blue") == pytest.approx(10.0 / phi, rel=0.3)


def test_takeover_from_a_teammate_that_keeps_announcing_falls_at_phi() -> None:
    robot = Learner(max_delay_s=3.0).works(12.0)
    robot.until(robot.now + 0.5)
    robot.applies(push=False).until(30.0)
    robot.applies(push=True).hears(activity("push")).step()
    reset, n = robot.now, 0
    while not robot.active:
        robot.step()
        n += 1
        if n % 6 == 0:
            robot.hears(activity("push", n / 6))
    assert robot.now - reset == pytest.approx(12.0, abs=0.5)


def test_a_robot_that_fails_loses_its_category_1_tasks_within_mu_trials() -> None:
    robot = Learner({"push": {"give_up_time_s": 60.0}}, trials=3)
    robot.hears(trial("push", 40.0)).works(10.0).works(10.0).works(10.0)
    assert robot.value("category") == 1
    failures = 0
    while robot.value("category") == 1:
        failures += 1
        while len(robot.causes("learned")) < 4 + failures:
            robot.step()
    assert failures <= 3


def test_a_task_for_which_something_is_missing_is_in_no_category_until_it_is_back() -> None:
    robot = Learner().works(10.0)
    robot.hears(trial("push", 40.0)).step()
    version = robot.coordinator.memory_version
    robot.applies(push=LACKS).until(robot.now + 1.0)
    assert robot.value("category") is None
    assert robot.coordinator.memory_version > version
    assert robot.why() == "lacks gripper"
    robot.applies(push=True).until(robot.now + 1.0)
    assert robot.value("category") == 1


def test_the_longest_of_category_1_comes_first_and_the_shortest_of_category_2() -> None:
    both = Learner(TWO)
    both.applies(find=False).works(20.0, "push").applies(push=False, find=True).works(10.0, "find")
    first = copied(both, sets=TWO)
    first.hears(trial("push", 40.0)).hears(trial("find", 40.0)).until(20.0)
    assert first.active == "push"
    second = copied(both, sets=TWO)
    second.hears(trial("push", 5.0)).hears(trial("find", 5.0)).until(20.0)
    assert second.active == "find"


def test_a_recurring_task_keeps_its_rhythm_unless_asked() -> None:
    robot = Learner({"push": {"learns": None}, "find": {"learns": None}})
    robot.hears(trial("push", 30.0)).hears(trial("find", 30.0)).step()
    assert robot.trials("blue") == [30.0]
    assert "its parameters stay as shipped" in robot.causes("learned")[0]
    assert (robot.value("learns"), robot.value("learns", "find")) == (False, True)
    assert robot.value("fast_rate") == 2.0


# -- active learning


def drawn(robot: Learner, count: int) -> list[str]:
    """What it takes up, so many times, with each attempt done after a second."""
    found = []
    for _ in range(count):
        robot.until_active()
        name = robot.active
        found.append(name)
        robot.applies(**{name: DONE}).step()
        robot.applies(**{name: True})
    return found


def test_active_learning_chooses_at_random_and_as_the_seed_says() -> None:
    sets = {"push": {}, "find": {}, "report": {}}
    one = drawn(Learner(sets, phase="active"), 15)
    assert set(one) == set(sets)
    assert one == drawn(Learner(sets, phase="active"), 15)
    assert one != drawn(Learner(sets, phase="active", seed=1), 15)


def test_active_learning_leaves_alone_what_a_teammate_does() -> None:
    robot = Learner(TWO, phase="active")
    for n in range(40):
        if n % 6 == 0:
            robot.hears(activity("push", n / 6))
        robot.step()
    assert robot.active == "find"


def test_active_learning_is_endlessly_patient_and_never_yields_but_gives_up() -> None:
    patient = Learner(phase="active")
    patient.hears(activity("push")).step()
    patient.until(300.0, sends=activity("push", 60.0))
    assert not patient.active
    stubborn = Learner({"push": {"give_up_time_s": 200.0}}, phase="active")
    stubborn.until(20.0)
    stubborn.until(150.0, sends=activity("push", 0.3))
    assert stubborn.active == "push"
    stubborn.until(230.0, sends=activity("push", 0.3))
    assert "gave-up" in stubborn.kinds()


# -- settings


def test_a_least_delay_above_the_longest_is_refused() -> None:
    with pytest.raises(ValidationError, match="min_delay_s must be below max_delay_s, 60"):
        LAllianceSettings(min_delay_s=60.0)
    assert LAllianceSettings(min_delay_s=59.0).trials == 5
