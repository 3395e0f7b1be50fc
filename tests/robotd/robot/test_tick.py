"""One tick: what is sensed, heard, decided, driven, said, recorded and published, and in what order."""

from __future__ import annotations

import json
from dataclasses import replace

from robotd.model.command import ActionResult, Command
from robotd.model.inputs import Order
from robotd.robot.mind import IDLE, STILL
from tests.robotd.robot.stand_ins import (
    DRIVES,
    WORKS,
    Field,
    ToldBoard,
    behaviors_of,
    board_of,
    coordinator_of,
    fact,
)


def rows_of(field: Field) -> list[list[object]]:
    return [line for line in map(json.loads, field.sink.lines) if isinstance(line, list)]


def parts_of(field: Field) -> list[dict[str, object]]:
    return [line for line in map(json.loads, field.sink.lines) if isinstance(line, dict) and "part" in line]


def test_every_tick_commands_the_board_once() -> None:
    field = Field().started(1.0)
    board = board_of(field.robots["red"])
    assert [round(at * 10) for at, _ in board.commands] == list(range(1, 11))
    assert board.wheels == (DRIVES.left, DRIVES.right)


def test_what_is_really_driven_is_recorded_and_shown_and_what_was_wanted_beside_it() -> None:
    class Weak(ToldBoard):
        def command(self, now: float, command: Command) -> Command:
            return replace(command, left=0.0, right=0.0)

    field = Field()
    robot = field.robots["red"]
    robot.board = Weak()
    field.started()
    assert robot.snapshot is not None
    assert (robot.snapshot.driven, robot.snapshot.thought.wanted) == (STILL, DRIVES)
    assert rows_of(field)[-1][-1] == [0.0, 0.0, None, None, None, 0.5]


def test_a_tick_leaves_a_snapshot_with_the_choice_of_the_last_decision() -> None:
    field = Field()
    robot = field.robots["red"]
    assert robot.snapshot is None
    seen = []
    robot.watchers.append(seen.append)
    field.started(0.4)
    assert [snapshot.inputs.n for snapshot in seen] == [1, 2, 3, 4]
    assert [snapshot.thought.choice is not None for snapshot in seen] == [True, True, False, True]
    assert seen[-1] is robot.snapshot
    assert seen[2].choice == WORKS


def test_a_part_of_the_log_begins_with_the_state_before_its_first_tick() -> None:
    field = Field().started(0.5)
    (part,) = parts_of(field)
    assert part["frozen"]["red"]["beliefs"][:2] == [0, False]  # type: ignore[index]
    assert len(rows_of(field)) == 5


def test_every_frame_is_heard_at_the_first_decision_after_its_arrival_and_none_twice_or_never() -> None:
    field = Field(["red", "blue", "gold"]).started(40.0)
    heard = [
        (i.now, frame) for i, _, frames, _ in coordinator_of(field.robots["red"].mind).steps for frame in frames
    ]
    assert len(heard) == len({(frame.sender, frame.at) for _, frame in heard})
    by_sender = {number: sum(frame.sender == number for _, frame in heard) for number in (0, 2, 3)}
    assert by_sender[2] >= 11
    assert by_sender[3] >= 11
    assert by_sender[0] == 13  # the base station's beacons
    late = [now - frame.at for now, frame in heard if frame.sender]
    assert min(late) >= 0.0
    assert sum(x > 0.2 + 1e-9 for x in late) <= 2 * 4  # but for those that wait for their reservation


def test_every_own_frame_is_told_to_the_coordinator_once() -> None:
    field = Field(["red", "blue"]).started(40.0)
    robot = field.robots["red"]
    told = [sent.at for _, _, _, frames in coordinator_of(robot.mind).steps for sent in frames]
    assert len(told) == len(set(told)) == robot.radio.statistics.sent >= 11


def test_an_acting_robot_states_its_activity_and_one_that_may_not_move_only_its_facts() -> None:
    field = Field(["red", "blue"])
    behaviors_of(field.robots["blue"].mind).acted = ActionResult(DRIVES, (fact("dug"),))
    field.started(20.0)
    steps = coordinator_of(field.robots["red"].mind).steps
    assert {s.kind for _, _, heard, _ in steps for f in heard if f.sender == 2 for s in f.statements} == {
        "activity", "fact",
    }  # fmt: skip
    steps.clear()
    field.robots["blue"].submit(Order("stop"))
    field.run(4.0)  # what was on its way
    steps.clear()
    field.run(20.0)
    assert {s.kind for _, _, heard, _ in steps for f in heard if f.sender == 2 for s in f.statements} == {"fact"}
    assert field.robots["red"].mind.beliefs.mates[2].task == ""


def test_facts_asserted_in_a_tick_are_known_to_all_within_two_beats() -> None:
    field = Field(["red", "blue"]).started(10.0)
    behaviors_of(field.robots["blue"].mind).acted = ActionResult(DRIVES, (fact("spot", 1.25, -2.0),))
    field.run(7.0)
    assert field.robots["red"].mind.beliefs.place("spot") == (1.25, -2.0)


def test_a_stop_of_the_team_acts_in_the_tick_that_hears_it() -> None:
    field = Field(["red", "blue"]).started(10.0)
    field.robots["red"].submit(Order("stop-team"))
    blue = field.robots["blue"]
    for _ in range(10):
        field.run(0.1)
        assert (blue.radio.stopped_by is not None) == (board_of(blue).wheels == (0.0, 0.0))
    assert board_of(blue).wheels == (0.0, 0.0)


def test_nothing_is_chosen_before_the_first_decision() -> None:
    field = Field()
    assert field.robots["red"].mind.choice == IDLE
