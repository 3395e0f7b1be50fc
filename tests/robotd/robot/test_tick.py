"""One tick: what is sensed, received, decided, driven, sent, recorded and published, and in what order."""

import json
from dataclasses import replace

from robotd.model.command import ActionResult, Command
from robotd.model.inputs import Order
from robotd.robot.mind import IDLE, STILL
from tests.robotd.robot.stand_ins import (
    DRIVES,
    DRIVING,
    STANDS,
    WORKS,
    FakeBoard,
    Field,
    behaviors_of,
    board_of,
    coordinator_of,
    fact,
)  # fmt: skip


def rows_of(field: Field) -> list[list[object]]:
    return [line for line in map(json.loads, field.sink.lines) if isinstance(line, list)]


def parts_of(field: Field) -> list[dict[str, object]]:
    return [line for line in map(json.loads, field.sink.lines) if isinstance(line, dict) and "part" in line]


def test_every_tick_commands_the_board_once_and_a_part_of_the_log_begins_with_the_state_before_its_first() -> None:
    field = Field()
    assert field.robots["red"].mind.choice == IDLE
    field.started(1.0)
    board = board_of(field.robots["red"])
    assert [round(at * 10) for at, _ in board.commands] == list(range(1, 11))
    assert board.wheels == DRIVING
    (part,) = parts_of(field)
    assert part["frozen"]["red"]["beliefs"][:2] == [0, False]  # type: ignore[index]
    assert len(rows_of(field)) == 10


def test_what_is_really_driven_is_recorded_and_shown_and_what_was_wanted_beside_it() -> None:
    class Weak(FakeBoard):
        def command(self, now: float, command: Command) -> Command:
            return replace(command, left=0.0, right=0.0)

    field = Field()
    robot = field.robots["red"]
    robot.board = Weak()
    field.started()
    assert robot.snapshot is not None
    assert (robot.snapshot.driven, robot.snapshot.decision.wanted) == (STILL, DRIVES)
    assert rows_of(field)[-1][-1] == [0.0, 0.0, None, None, None, 0.5]


def test_a_tick_leaves_a_snapshot_with_the_choice_of_the_last_decision() -> None:
    field, seen = Field(), []
    robot = field.robots["red"]
    assert robot.snapshot is None
    robot.watchers.append(seen.append)
    field.started(0.4)
    assert [(one.inputs.n, one.decision.choice is not None) for one in seen] == [
        (1, True), (2, True), (3, False), (4, True),
    ]  # fmt: skip
    assert seen[-1] is robot.snapshot
    assert seen[2].choice == WORKS


def test_every_frame_is_received_at_the_next_decision_and_every_own_frame_reported_once() -> None:
    field = Field(["red", "blue", "gold"]).started(40.0)
    robot = field.robots["red"]
    steps = coordinator_of(robot.mind).steps
    heard = [(i.now, frame) for i, _, frames, _ in steps for frame in frames]
    assert len(heard) == len({(frame.sender, frame.at) for _, frame in heard})
    by_sender = {number: sum(frame.sender == number for _, frame in heard) for number in (0, 2, 3)}
    assert min(by_sender[2], by_sender[3]) >= 11
    assert by_sender[0] == 13  # the base station's beacons
    late = [now - frame.at for now, frame in heard if frame.sender]
    assert min(late) >= 0.0
    assert sum(x > 0.2 + 1e-9 for x in late) <= 2 * 4  # but for those that wait for their reservation
    sent = [one.at for _, _, _, frames in steps for one in frames]
    assert len(sent) == len(set(sent)) == robot.radio.statistics.sent >= 11


def test_an_acting_robot_states_its_activity_and_one_that_may_not_move_only_its_facts() -> None:
    field = Field(["red", "blue"])
    behaviors_of(field.robots["blue"].mind).acted = ActionResult(DRIVES, (fact("dug"), fact("spot", 1.25, -2.0)))
    steps = coordinator_of(field.started(20.0).robots["red"].mind).steps

    def kinds() -> set[str]:
        return {s.kind for _, _, heard, _ in steps for f in heard if f.sender == 2 for s in f.statements}

    assert kinds() == {"activity", "fact", "place"}
    assert field.robots["red"].mind.beliefs.place("spot") == (1.25, -2.0)
    field.robots["blue"].submit(Order("stop"))
    field.run(4.0)  # what was on its way
    steps.clear()
    field.run(20.0)
    assert kinds() == {"fact", "place"}
    assert field.robots["red"].mind.beliefs.teammates[2].task == ""


def test_a_stop_of_the_team_acts_in_the_tick_that_receives_it() -> None:
    field = Field(["red", "blue"]).started(10.0)
    field.robots["red"].submit(Order("stop-team"))
    blue = field.robots["blue"]
    for _ in range(10):
        field.run(0.1)
        assert (blue.radio.stopped_by is not None) == (board_of(blue).wheels == STANDS)
    assert board_of(blue).wheels == STANDS
