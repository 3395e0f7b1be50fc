"""One robot round its tick: what a tick that raises leads to, faults, the team stop, and what is saved."""

import errno
import json
import logging
import math
import sys
from typing import Any

import pytest

from robotd.model.inputs import Inputs, Order
from robotd.model.plain import Json
from robotd.record.log import LOST_S
from robotd.record.why import read_accounts
from robotd.robot.robot import Robot
from robotd.robot.ticking import run_ticks
from robotd.sim.records import read_records
from robotd.storage.store import MemoryStore
from robotd.timing.ticker import Spread, TickStatistics
from tests.robotd.robot.stand_ins import (
    ACK,
    DRIVING,
    STANDS,
    STOP_TEAM,
    Field,
    behaviors_of,
    board_of,
    faults_of,
    wheels,
)  # fmt: skip
from tests.robotd.robot.test_tick import parts_of, rows_of


def breaks(i: Inputs) -> None:
    raise KeyError(f"at {i.now:.1f} s")


def breaks_board(now: float) -> None:
    raise OSError("no such device")


def works(_: object) -> None:
    """Does not raise."""


@pytest.fixture
def field() -> Field:
    """RED drives since a second."""
    return Field().started()


@pytest.fixture
def red(field) -> Robot:
    robot: Robot = field.robots["red"]
    assert (board_of(robot).wheels, faults_of(robot)) == (DRIVING, [])
    return robot


# -- a tick that raises


def exits(i: Inputs) -> None:
    sys.exit(0)


@pytest.mark.parametrize("trouble", [breaks, exits, breaks_board])
def test_a_tick_that_raises_stops_the_motors_in_that_same_tick_until_a_person_acknowledges_it(
    field, red, trouble
) -> None:
    broken = board_of(red) if trouble is breaks_board else behaviors_of(red.mind)
    broken.trouble = trouble
    field.run(0.1)
    assert board_of(red).commands[-1][0] == field.now
    assert (board_of(red).wheels, faults_of(red)) == (STANDS, ["tick-raised"])
    broken.trouble = works
    field.run(2.0)
    assert (board_of(red).wheels, red.mind.acting) == (STANDS, False)
    red.submit(ACK)
    field.run(0.1)
    assert (board_of(red).wheels, faults_of(red)) == (DRIVING, [])


@pytest.mark.parametrize("error", [ValueError, SystemExit])
def test_a_radio_that_raises_again_and_again_stops_the_motors_and_not_the_ticks(field, red, error) -> None:
    def transmit(*_: object) -> None:
        raise error

    red.radio.transmit = transmit
    field.run(0.2)
    assert (board_of(red).wheels, faults_of(red)) == (STANDS, ["tick-raised"])


def test_an_order_to_drive_by_hand_does_not_outlive_a_tick_that_raises(field, red) -> None:
    board_of(red).trouble = breaks_board
    red.submit(Order("drive", ("1.0", "0.0"), "ann"))
    red.submit(Order("stop", (), "ann"))
    field.run(0.1)
    assert [order.kind for order in red.orders] == ["stop"]
    board_of(red).trouble = works
    field.run(1.0)
    assert (board_of(red).wheels, red.orders) == (STANDS, [])


def test_it_is_logged_once_and_not_again_at_each_tick_and_another_kind_of_error_once_more(
    field, red, caplog
) -> None:
    def otherwise(i: Inputs) -> None:
        raise ZeroDivisionError

    with caplog.at_level(logging.ERROR):
        for trouble in (breaks, otherwise):
            behaviors_of(red.mind).trouble = trouble
            field.run(3.0)
    assert [record.exc_info[0] for record in caplog.records] == [KeyError, ZeroDivisionError]


def test_what_people_see_reports_it_although_no_tick_is_finished(field, red) -> None:
    behaviors_of(red.mind).trouble = breaks
    field.run(1.0)
    seen = red.snapshot
    assert seen is not None
    assert (seen.inputs.now, seen.decision.state.word, seen.decision.state.may_move) == (
        field.now,
        "faulted",
        False,
    )
    assert seen.decision.state.reason.startswith("tick-raised: KeyError: 'at 2.0 s' (")
    assert (seen.choice.run, seen.driven.left) == ((), 0.0)
    first = Field()
    behaviors_of(first.robots["red"].mind).trouble = breaks
    first.run(0.1)
    assert first.robots["red"].snapshot is not None


def test_what_people_ask_meanwhile_is_not_lost_and_an_acknowledgement_counts_once(caplog) -> None:
    field = Field(["red", "blue"]).started()
    red = field.robots["red"]
    board_of(red).trouble = breaks_board
    with caplog.at_level(logging.ERROR):
        field.run(1.0)
        red.submit(ACK)
        field.run(1.0)
    assert len(caplog.records) == 2
    assert faults_of(red) == ["tick-raised"]
    red.submit(Order("stop"))
    red.submit(STOP_TEAM)
    field.run(1.0)
    assert wheels(field)["blue"] == STANDS  # the team's stop went out at once
    board_of(red).trouble = works
    field.orders(ACK).run(0.5)
    assert red.snapshot is not None
    assert red.snapshot.decision.state.reason == "stopped by an order"
    assert wheels(field) == {"red": STANDS, "blue": DRIVING}


def test_ticks_that_raise_leave_neither_rows_nor_parts_in_the_log_and_the_next_good_one_begins_a_part(
    field, red
) -> None:
    behaviors_of(red.mind).trouble = breaks
    field.run(5.0)
    assert (len(rows_of(field)), len(parts_of(field))) == (10, 1)
    behaviors_of(red.mind).trouble = works
    field.run(0.3)
    assert (len(rows_of(field)), len(parts_of(field))) == (13, 2)


def raised_of(field: Field) -> list[tuple[float, str]]:
    notes = [line["raised"] for line in map(json.loads, field.sink.lines) if "raised" in line]
    return [(one["now"], one["what"].partition(" (")[0]) for one in notes]


def test_what_ticks_raise_is_in_the_log_once_for_each_kind_until_it_is_acknowledged(field, red) -> None:
    start = field.now
    for trouble in (breaks, breaks_board, breaks):
        behaviors_of(red.mind).trouble, board_of(red).trouble = (
            (trouble, works) if trouble is breaks else (works, trouble)
        )
        field.run(1.0)
    key = (pytest.approx(start + 0.1), f"KeyError: 'at {start + 0.1:.1f} s'")
    assert raised_of(field) == [key, (pytest.approx(start + 1.1), "OSError: no such device")]
    red.submit(ACK)
    field.run(0.5)
    assert [what.partition(":")[0] for _, what in raised_of(field)] == ["KeyError", "OSError", "KeyError"]


@pytest.mark.parametrize("trouble", [breaks, breaks_board])
def test_the_log_of_a_robot_whose_first_tick_raises_records_it(trouble, tmp_path) -> None:
    field = Field()
    red = field.robots["red"]
    broken = board_of(red) if trouble is breaks_board else behaviors_of(red.mind)
    broken.trouble = trouble
    field.run(1.0)
    assert (len(parts_of(field)), rows_of(field), len(raised_of(field))) == (1, [], 1)
    (tmp_path / "run.jsonl").write_text("".join(f"{line}\n" for line in field.sink.lines))
    (account,) = read_accounts(tmp_path / "run.jsonl", math.inf).robots
    assert (account.robot, account.state.word) == ("red", "faulted")
    assert [one.kind for one in account.happened] == ["raised"]
    (event,) = read_records(tmp_path / "run.jsonl").events
    assert (event["kind"], event["robot"]) == ("raised", "red")
    assert event["cause"].startswith(("KeyError", "OSError"))
    broken.trouble = works
    field.orders(ACK).run(1.0)
    assert rows_of(field)


def test_a_behavior_that_raises_again_and_again_begins_no_part_each_time(field, red) -> None:
    for k in range(100):
        behaviors_of(red.mind).trouble = works if k % 2 else breaks
        field.run(0.1)
    assert len(parts_of(field)) == 2
    field.run(LOST_S)
    assert len(parts_of(field)) == 3
    rows = len(rows_of(field))
    field.run(1.0)
    assert len(rows_of(field)) == rows + 10


# -- what must be remembered


class Recorder(MemoryStore):
    """Counts what is saved; fails while it is to."""

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


def test_memory_is_saved_when_it_changes_and_not_at_every_tick() -> None:
    field, store = Field(["blue", "gold"]), Recorder()
    field.boot("red", store)
    field.started(60.0)
    assert 3 <= store.saved <= 40


def test_a_failing_disk_is_a_warning_and_not_an_end_and_is_used_as_soon_as_it_works() -> None:
    field, store = Field([]), Recorder(failing=True)
    robot = field.boot("red", store)
    assert faults_of(robot) == ["state-not-saved"]
    assert robot.faults.open()[0].detail == "Read-only file system"
    field.started(2.0)
    assert (board_of(robot).wheels, robot.mind.acting) == (DRIVING, True)
    assert store.load("radio") is None
    store.failing = False
    field.run(0.1)
    assert store.load("radio") is not None


# -- the team stop


def test_any_robot_stops_the_whole_team_within_a_second_and_only_those_acknowledged_go_on() -> None:
    field = Field(["red", "blue", "gold", "green", "grey"]).started(10.0)
    assert set(wheels(field).values()) == {DRIVING}
    field.robots["gold"].submit(STOP_TEAM)
    field.run(1.0)
    assert set(wheels(field).values()) == {STANDS}
    details = {fault.detail for robot in field.robots.values() for fault in robot.faults.open()}
    assert details == {"stopped by gold"}
    field.robots["blue"].submit(ACK)
    field.run(20.0)  # the others go on stating the stop
    assert [name for name, speeds in wheels(field).items() if speeds == DRIVING] == ["blue"]


def test_a_robot_that_missed_the_stop_receives_it_from_those_that_are_stopped() -> None:
    field = Field(["red", "blue"]).started(10.0)
    field.channel.switch(2, on=False, now=field.now)
    field.robots["red"].submit(STOP_TEAM)
    field.run(2.0)
    assert wheels(field)["blue"] == DRIVING
    field.channel.switch(2, on=True, now=field.now)
    field.run(4.0)
    assert wheels(field)["blue"] == STANDS


# -- the ticks


TAKEN = TickStatistics(7, 2, Spread(0.1))  # at each twentieth tick; of the others the count is new
COUNTED = TickStatistics(3, 1, Spread(0.1))


class Periods:
    """A ticker that gives these periods and no more."""

    period_s = 0.1

    def __init__(self, *numbers: int) -> None:
        self._numbers = list(numbers)

    async def next(self) -> int:
        if not self._numbers:
            raise StopAsyncIteration
        return self._numbers.pop(0)

    count, skipped = 3, 1

    def statistics(self) -> TickStatistics:
        return TAKEN


@pytest.mark.parametrize(
    ("numbers", "faults", "seen"),
    [
        ((0, 1, 6), [], COUNTED),
        ((0, 1, 7), ["tick-stalled"], COUNTED),
        ((9, 10), [], TickStatistics(3, 1)),
        ((9, 20), ["tick-stalled"], TAKEN),
    ],
)
async def test_ticks_skipped_for_longer_than_a_command_lives_stop_it_and_statistics_are_taken_at_times(
    numbers, faults, seen
) -> None:
    robot, done = Field().robots["red"], []
    ticker: Any = Periods(*numbers)
    with pytest.raises(StopAsyncIteration):
        await run_ticks(robot, ticker, lambda: 1.0, lambda: done.append(1))
    assert (len(done), faults_of(robot), robot.snapshot.ticks) == (len(numbers), faults, seen)
