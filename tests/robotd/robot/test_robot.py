"""One robot round its tick: what a tick that raises leads to, faults, the team stop, and what is remembered."""

from __future__ import annotations

import errno
import logging
import sys
from typing import Any

import pytest

from robotd.model.inputs import Inputs, Order
from robotd.model.plain import Json
from robotd.record.log import LOST_S
from robotd.robot.robot import Robot, run_ticks
from robotd.storage.store import MemoryStore
from robotd.timing.ticker import TickStatistics
from tests.robotd.robot.stand_ins import DRIVES, START, Field, behaviors_of, board_of, faults_of, wheels
from tests.robotd.robot.test_tick import parts_of, rows_of

ACK, STOP_TEAM = Order("acknowledge", by="ann"), Order("stop-team", by="ann")
DRIVING, STANDS = (DRIVES.left, DRIVES.right), (0.0, 0.0)


def breaks(i: Inputs) -> None:
    raise KeyError(f"at {i.now:.1f} s")


def breaks_board(now: float) -> None:
    raise OSError("no such device")


def works(i: Inputs) -> None:
    """Does not raise."""


# -- a tick that raises


def test_a_tick_that_raises_stops_the_motors_in_that_same_tick() -> None:
    field = Field().started()
    robot = field.robots["red"]
    assert (board_of(robot).wheels, faults_of(robot)) == (DRIVING, [])
    behaviors_of(robot.mind).trouble = breaks
    field.run(0.1)
    assert board_of(robot).commands[-1][0] == field.now
    assert (board_of(robot).wheels, faults_of(robot)) == (STANDS, ["tick-raised"])


def test_it_latches_until_a_person_acknowledges_it() -> None:
    field = Field().started()
    robot = field.robots["red"]
    behaviors_of(robot.mind).trouble = breaks
    field.run(0.5)
    behaviors_of(robot.mind).trouble = works
    field.run(2.0)
    assert (board_of(robot).wheels, robot.mind.acting) == (STANDS, False)
    robot.submit(ACK)
    field.run(0.1)
    assert (board_of(robot).wheels, faults_of(robot)) == (DRIVING, [])


def test_it_is_logged_once_and_not_again_at_each_tick_and_another_kind_of_error_once_more(caplog) -> None:
    field = Field().started()
    behaviors_of(field.robots["red"].mind).trouble = breaks
    with caplog.at_level(logging.ERROR):
        field.run(3.0)
        assert [record.exc_info[0] for record in caplog.records] == [KeyError]

        def otherwise(i: Inputs) -> None:
            raise ZeroDivisionError

        behaviors_of(field.robots["red"].mind).trouble = otherwise
        field.run(3.0)
    assert [record.exc_info[0] for record in caplog.records] == [KeyError, ZeroDivisionError]


def test_what_people_see_tells_of_it_although_no_tick_is_finished() -> None:
    field = Field().started()
    robot = field.robots["red"]
    behaviors_of(robot.mind).trouble = breaks
    field.run(1.0)
    seen = robot.snapshot
    assert seen is not None
    assert (seen.inputs.now, seen.thought.state.word, seen.thought.state.may_move) == (field.now, "faulted", False)
    assert seen.thought.state.reason == "tick-raised: KeyError: 'at 2.0 s'"
    assert (seen.choice.run, seen.driven.left) == ((), 0.0)


def test_a_robot_whose_very_first_tick_raises_is_seen_too() -> None:
    field = Field()
    behaviors_of(field.robots["red"].mind).trouble = breaks
    field.run(0.1)
    assert field.robots["red"].snapshot is not None


def test_a_board_that_raises_is_told_to_stand_still() -> None:
    field = Field().started()
    board = board_of(field.robots["red"])
    board.trouble = breaks_board
    field.run(0.1)
    assert (board.commands[-1][0], board.wheels) == (field.now, STANDS)


def test_what_people_ask_meanwhile_is_not_lost() -> None:
    field = Field(["red", "blue"]).started()
    red = field.robots["red"]
    board_of(red).trouble = breaks_board
    field.run(0.1)
    red.submit(Order("stop"))
    red.submit(STOP_TEAM)
    field.run(1.0)
    assert wheels(field)["blue"] == STANDS  # the team's stop went out at once
    board_of(red).trouble = lambda now: None
    field.orders(ACK).run(0.5)
    assert red.snapshot is not None
    assert red.snapshot.thought.state.reason == "stopped by an order"
    assert wheels(field) == {"red": STANDS, "blue": DRIVING}


def test_an_acknowledgement_meanwhile_counts_once_and_not_at_every_tick(caplog) -> None:
    field = Field().started()
    robot = field.robots["red"]
    board_of(robot).trouble = breaks_board
    with caplog.at_level(logging.ERROR):
        field.run(1.0)
        robot.submit(ACK)
        field.run(1.0)
    assert len(caplog.records) == 2
    assert faults_of(robot) == ["tick-raised"]


def test_ticks_that_raise_leave_neither_rows_nor_parts_in_the_log_and_the_next_good_one_begins_a_part() -> None:
    field = Field().started()
    robot = field.robots["red"]
    behaviors_of(robot.mind).trouble = breaks
    field.run(5.0)
    assert (len(rows_of(field)), len(parts_of(field))) == (10, 1)
    behaviors_of(robot.mind).trouble = works
    field.run(0.3)
    assert (len(rows_of(field)), len(parts_of(field))) == (13, 2)


def test_a_behavior_that_raises_again_and_again_begins_no_part_each_time() -> None:
    field = Field().started()
    behaviors = behaviors_of(field.robots["red"].mind)
    for _ in range(200):
        behaviors.trouble = breaks
        field.run(0.1)
        behaviors.trouble = works
        field.run(0.1)
    assert len(parts_of(field)) == 2
    field.run(LOST_S)
    assert len(parts_of(field)) == 3
    rows = len(rows_of(field))
    field.run(1.0)
    assert len(rows_of(field)) == rows + 10


def exits(i: Inputs) -> None:
    sys.exit(0)


def test_a_behavior_that_ends_the_program_is_one_that_raises() -> None:
    field = Field().started()
    robot = field.robots["red"]
    behaviors_of(robot.mind).trouble = exits
    field.run(0.1)
    assert (board_of(robot).wheels, faults_of(robot)) == (STANDS, ["tick-raised"])


# -- what must be remembered


class Recorder(MemoryStore):
    """Counts what is saved; fails while told to."""

    def __init__(self, failing: bool = False) -> None:
        super().__init__()
        self.saved, self.failing = 0, failing

    def save(self, name: str, document: Json) -> None:
        if self.failing:
            raise OSError(errno.EROFS, "Read-only file system")
        self.saved += 1
        super().save(name, document)


def test_what_the_radio_must_remember_is_saved_before_its_first_frame_can_leave() -> None:
    field, store, sent_by_then = Field([]), MemoryStore(), []

    def save_now(name: str, document: Json) -> None:
        sent_by_then.append(field.channel.statistics()["sent"])
        store.save(name, document)

    field.boot("red", store, save_now=save_now)
    assert sent_by_then == [0]
    assert store.load("radio") is not None
    field.started(20.0)
    assert sent_by_then == [0]  # what comes later goes the other way
    assert field.channel.statistics()["sent"] > 3


def test_a_robot_that_starts_again_with_its_memory_is_heard_and_one_that_lost_it_is_not() -> None:
    for store, heard in ((MemoryStore(), True), (None, False)):
        field = Field(["red"])
        field.boot("blue", store)
        field.started(20.0).boot("blue", store)
        field.run(6.0)
        before = field.robots["red"].mind.beliefs.mates[2].last_heard
        field.run(4.0)
        assert (field.robots["red"].mind.beliefs.mates[2].last_heard > before) == heard


def test_memory_is_saved_when_it_changes_and_not_at_every_tick() -> None:
    field, store = Field(["blue", "gold"]), Recorder()
    field.boot("red", store)
    field.started(60.0)
    assert 3 <= store.saved <= 40


def test_a_failing_disk_is_a_warning_and_not_an_end() -> None:
    field = Field([])
    robot = field.boot("red", Recorder(failing=True))
    assert faults_of(robot) == ["state-not-saved"]
    assert robot.faults.open()[0].detail == "Read-only file system"
    field.started(2.0)
    assert (board_of(robot).wheels, robot.mind.acting) == (DRIVING, True)


def test_what_could_not_be_saved_at_the_start_is_saved_as_soon_as_the_disk_takes_it() -> None:
    field, store = Field([]), Recorder(failing=True)
    field.boot("red", store)
    field.run(1.0)
    assert store.load("radio") is None
    store.failing = False
    field.run(0.1)
    assert store.load("radio") is not None
    assert store.saved == 1


# -- the team stop


def test_any_robot_stops_the_whole_team_within_a_second() -> None:
    field = Field(["red", "blue", "gold", "green", "grey"]).started(10.0)
    assert set(wheels(field).values()) == {DRIVING}
    field.robots["gold"].submit(STOP_TEAM)
    field.run(1.0)
    assert set(wheels(field).values()) == {STANDS}
    details = {fault.detail for robot in field.robots.values() for fault in robot.faults.open()}
    assert details == {"stopped by gold"}


def test_a_stop_that_was_acknowledged_is_not_obeyed_again_while_others_go_on_stating_it() -> None:
    field = Field(["red", "blue", "gold"]).started(10.0)
    field.robots["gold"].submit(STOP_TEAM)
    field.run(1.0)
    field.robots["blue"].submit(ACK)
    field.run(30.0)
    assert wheels(field) == {"red": STANDS, "blue": DRIVING, "gold": STANDS}


def test_a_new_stop_is_obeyed_although_an_older_one_was_acknowledged() -> None:
    field = Field(["red", "blue"]).started(10.0)
    for _ in range(2):
        field.robots["red"].submit(STOP_TEAM)
        field.run(4.0)
        assert set(wheels(field).values()) == {STANDS}
        field.orders(ACK).run(4.0)
        assert set(wheels(field).values()) == {DRIVING}


def test_a_robot_that_missed_the_stop_hears_it_from_those_that_stand() -> None:
    field = Field(["red", "blue"]).started(10.0)
    field.channel.switch(2, on=False, now=field.now)
    field.robots["red"].submit(STOP_TEAM)
    field.run(2.0)
    assert wheels(field)["blue"] == DRIVING
    field.channel.switch(2, on=True, now=field.now)
    field.run(4.0)
    assert wheels(field)["blue"] == STANDS


def test_a_stop_outlives_a_restart() -> None:
    field, store = Field(["red"]), MemoryStore()
    field.boot("blue", store)
    field.started(5.0).robots["blue"].submit(STOP_TEAM)
    field.run(1.0)
    field.channel.switch(1, on=False, now=field.now)  # so that nobody tells it
    blue = field.boot("blue", store)
    blue.submit(START)
    field.run(1.0)
    assert faults_of(blue) == ["stopped"]
    assert not blue.mind.acting


# -- the ticks


class Periods:
    """A ticker that gives these periods and no more."""

    period_s = 0.1

    def __init__(self, *numbers: int) -> None:
        self._numbers = list(numbers)

    async def next(self) -> int:
        if not self._numbers:
            raise StopAsyncIteration
        return self._numbers.pop(0)

    def statistics(self) -> TickStatistics:
        return TickStatistics(count=7)


async def ticked(robot: Robot, *numbers: int) -> int:
    done: list[Any] = []
    ticker: Any = Periods(*numbers)
    with pytest.raises(StopAsyncIteration):
        await run_ticks(robot, ticker, lambda: 1.0, lambda: done.append(1))
    return len(done)


async def test_a_stretch_of_skipped_ticks_longer_than_a_command_lives_stops_the_robot() -> None:
    for numbers, faults in (((0, 1, 6), []), ((0, 1, 7), ["tick-stalled"]), ((9, 10), [])):
        robot = Field().robots["red"]
        assert await ticked(robot, *numbers) == len(numbers)
        assert faults_of(robot) == faults


async def test_statistics_are_taken_once_a_second_or_so() -> None:
    robot = Field().robots["red"]
    await ticked(robot, *range(1, 20))
    assert robot.ticks.count == 0
    await ticked(robot, 20)
    assert robot.ticks.count == 7
