"""Points at which a reader of equation (1) may stumble, and errors that programs for it are known to have.

Those that are shown with the rest of a subject are listed in docs/faithfulness.md.
"""

from dataclasses import replace

import pytest

from motivation.alliance.alliance import Alliance
from motivation.alliance.equations import hear
from robotd.model.statements import BUILT_IN, FIELD_TYPES
from robotd.model.table import NumberTable

from .lone_robot import Robot
from .one_alliance import DECISION_S, NUMBERS, TABLE, Lone, activity, reported

# -- patience and attempts


def test_a_teammate_whose_patience_ran_out_holds_nothing_back_until_its_next_attempt() -> None:
    robot = Robot(patience=6.0, fast_rate=0.8).hears(elapsed=0.0).until(9.0, states_every=3.0)
    assert robot.result.heard[0, 0]
    assert not robot.result.held_by[0, 0]
    robot.hears(elapsed=0.5).until(9.5)  # it let go, and has begun anew at 8.5 s
    assert robot.result.held_by[0, 0]
    assert robot.result.rate.tolist() == [0.5]


def turns(yield_time: float, patience: float) -> list[int]:
    """Which of two robots begins a task that neither gets done, each time, in 600 s; both state it every 3 s."""
    common = {"patience": patience, "yield_time": yield_time, "give_up_time": 40.0}
    robots = [Robot(teammates=1, outranks=i == 1, fast_rate=2.0 + i, **common) for i in range(2)]
    began = []
    for n in range(1, 1201):
        claims = [robot.state.claimed_at[0] if robot.active else None for robot in robots]
        for robot, claim in zip(robots, reversed(claims), strict=True):
            if n % 6 == 0 and claim is not None:
                robot.hears(elapsed=robot.now - claim)
        for i, robot in enumerate(robots):
            robot.until(n * 0.5)
            if robot.result.activated[0]:
                began.append(i)
    return began


def test_two_robots_on_a_hard_task_do_not_take_it_from_each_other_every_few_seconds() -> None:
    began = turns(yield_time=20.0, patience=30.0)
    assert set(began) == {0, 1}
    assert len(began) <= 600 / 20.0  # no robot takes over before the other has had its time


# -- which teammates are heard, and when


def as_robot(me: int, table: NumberTable = TABLE) -> Lone:
    """The robot of that number."""
    robot = Lone()
    robot.coordinator = Alliance(robot._settings, robot._own, table, DECISION_S)
    robot.coordinator.begin(0.0, me, [entry.task for entry in table.tasks], table.team, 0)
    return robot


@pytest.mark.parametrize("me", sorted(NUMBERS.values()))
def test_teammates_of_lower_and_of_higher_numbers_are_heeded_alike(me: int) -> None:
    for name in sorted(name for name, number in NUMBERS.items() if number != me):
        robot = as_robot(me).until(3.0).hears(activity("push"), sender=name).until(3.5)
        assert (robot.level(), robot.kinds()) == (0.0, ["reset"])
        assert robot.until(9.0).level() == 11 * 0.25


@pytest.mark.parametrize("elapsed", [None, 0.0, 11.0, 5000.0])
def test_silence_counts_from_when_a_statement_was_received_however_old_its_claim_is(elapsed: float | None) -> None:
    robot = Robot().hears(elapsed=elapsed).until(11.5)
    assert robot.result.heard[0, 0]
    assert not robot.until(12.0).result.heard[0, 0]


def test_a_claim_from_the_future_is_harmless() -> None:
    """A sender whose clock runs ahead cannot say so, and if it could, the listener would go on."""
    robot = Robot(yield_time=6.0)
    hear(robot.state, robot.params, robot.mask(0, 0), 0.0, -5.0)
    assert robot.until(0.5).level == 0.0
    assert robot.until(30.0).active == [0]


def test_two_robots_whose_clocks_are_an_hour_apart_settle_a_task_like_two_with_one_clock() -> None:
    def shares(apart: float) -> list[list[bool]]:
        robots = [Robot(teammates=1, tick=0.25, yield_time=20.0, outranks=i == 1) for i in range(2)]
        robots[1].n += int(apart / 0.25)
        both = []
        for n in range(1, 401):
            held = [robot.now - robot.state.claimed_at[0] if robot.active else None for robot in robots]
            for robot, elapsed in zip(robots, reversed(held), strict=True):
                if n % 12 == 0 and elapsed is not None:
                    robot.hears(elapsed=elapsed)
            for robot in robots:
                robot.until(robot.now + 0.25)
            both.append([bool(robot.active) for robot in robots])
        return both

    assert shares(0.0) == shares(3600.0)


def test_what_is_said_of_a_task_carries_a_duration_and_no_time_of_day() -> None:
    (said,) = [kind for kind in BUILT_IN if kind.name == "activity"]
    assert [kind for _, kind in said.fields] == ["task", "task", "age"]
    assert FIELD_TYPES["age"].startswith("as beats")
    assert FIELD_TYPES["beats"].startswith("a duration")
    assert not any("of day" in words or "clock" in words for words in FIELD_TYPES.values())


# -- assumption 3: robots do not lie


def test_completions_announced_again_and_again_hold_a_task_back() -> None:
    """What occasions cost: a robot that says "done" and begins again resets its teammates each time."""
    robot = Robot()
    for _ in range(20):
        robot.done().hears(elapsed=0.0).until(robot.now + 4.0)
    assert robot.active == []
    honest = Robot()
    for _ in range(20):
        honest.hears(elapsed=honest.now).until(honest.now + 4.0)
    assert honest.active == [0]


# -- the letter


def test_a_key_of_the_coordinator_restores_the_letter() -> None:
    for letter, active in ((False, "push"), (True, "")):
        robot = Lone(literal_paper_rule=letter).until(30.0).hears(activity("push")).until(30.5)
        assert robot.active == active
        assert robot.kinds() == (["activated", "reset", "yielded"] if letter else ["activated"])


def test_a_task_without_a_fact_that_completes_it_has_one_occasion_without_end() -> None:
    """Then comm_received(i, k, j, 0, t) counts from the beginning of the mission, as printed."""
    endless = replace(TABLE, tasks=tuple(replace(entry, completion="") for entry in TABLE.tasks))
    for table, resets in ((TABLE, 2), (endless, 1)):
        robot = as_robot(1, table)
        robot.until(3.0).hears(activity("push")).until(6.0).hears(reported("pushes", 1)).until(9.0)
        robot.hears(activity("push", 0.5)).until(9.5)
        assert robot.kinds() == ["reset"] * resets
