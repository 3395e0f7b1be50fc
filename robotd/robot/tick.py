"""One tick, on one screen: sense, hear, decide, act, say, record, publish."""

from __future__ import annotations

from typing import TYPE_CHECKING

from robotd.model.inputs import Inputs
from robotd.robot.snapshot import Snapshot

if TYPE_CHECKING:
    from robotd.robot.robot import Robot


def tick(robot: Robot, now: float, n: int) -> None:
    """Run control period `n` at `now` (loop clock, s). Raises whatever the robot's parts raise."""
    mind, board, radio = robot.mind, robot.board, robot.radio
    robot.serve(now)
    senses, capabilities = board.senses(now), board.capabilities(now)
    robot.board_watch.look(now, senses, capabilities)
    heard, sent = (radio.heard(now), radio.sent(now)) if mind.decides(n) else ((), ())
    if mind.decides(n) or robot.orders:
        robot.notice(now)  # a team stop heard or ordered just now acts in this tick
    robot.log.begin_tick(now)
    i = Inputs(now, n, senses, capabilities, robot.take_orders(), robot.faults.open())
    thought = mind.decide(i, heard, sent)
    driven = board.command(now, thought.wanted)
    radio.say(now, mind.choice.statements if mind.acting else (), thought.beliefs)
    robot.log.tick(robot.name, i, heard, sent, thought, driven)
    robot.publish(Snapshot(
        robot.name, robot.started_at, i, thought, mind.choice, driven,
        robot.link, robot.ticks, robot.ports, robot.warnings, robot.run_asked,
    ))  # fmt: skip
