"""One tick, on one screen: sense, hear, decide, act, say, record, publish."""

from __future__ import annotations

from typing import TYPE_CHECKING

from robotd.model.inputs import Inputs
from robotd.snapshot import Snapshot

if TYPE_CHECKING:
    from robotd.robot import Robot


def tick(robot: Robot, now: float, n: int) -> None:
    """Run control period `n` at `now` (loop clock, s). Raises whatever the robot's parts raise."""
    mind, board, radio = robot.mind, robot.board, robot.radio
    orders = robot.take_orders(now)
    robot.notice(now)
    i = Inputs(now, n, board.senses(now), board.capabilities(now), orders, robot.faults.open())
    robot.log.begin_tick(now)
    heard, sent = (radio.heard(now), radio.sent(now)) if mind.decides(n) else ((), ())
    thought = mind.think(i, heard, sent)
    driven = board.command(now, thought.wanted)
    radio.say(now, mind.choice.statements if mind.acting else (), thought.beliefs)
    robot.log.tick(robot.name, i, heard, sent, thought, driven)
    robot.publish(Snapshot(
        robot.name, robot.started_at, i, thought, mind.choice, driven,
        robot.link, robot.ticks, robot.ports, robot.warnings,
    ))  # fmt: skip
