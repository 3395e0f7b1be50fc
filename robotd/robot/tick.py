"""One tick, on one screen: sense, hear, decide, act, say, record, publish."""

from __future__ import annotations

from typing import Protocol

from boards.contract import Board
from radio.link import Radio
from robotd.model.choice import Choice
from robotd.model.command import Command
from robotd.model.decision import Decision
from robotd.model.inputs import Inputs, Order
from robotd.record.log import RunLog
from robotd.robot.board_monitor import BoardWatch
from robotd.robot.faults import Faults
from robotd.robot.mind import Mind


class Parts(Protocol):
    """What a tick takes of a robot."""

    name: str
    mind: Mind
    board: Board
    radio: Radio
    faults: Faults
    log: RunLog
    board_watch: BoardWatch
    orders: list[Order]

    def serve(self, now: float) -> None:
        """Do what people ask of the radio and the faults."""

    def notice(self, now: float) -> None:
        """Open and clear the faults that the radio knows of."""

    def take_orders(self) -> tuple[Order, ...]:
        """What people asked since the last tick."""

    def publish(self, i: Inputs, decision: Decision, choice: Choice, driven: Command) -> None:
        """The tick is finished."""


def tick(robot: Parts, now: float, n: int) -> None:
    """Run control period `n` at `now` (loop clock, s). Raises whatever the robot's parts raise."""
    mind, board, radio = robot.mind, robot.board, robot.radio
    robot.serve(now)
    senses, capabilities = board.senses(now), board.capabilities(now)
    robot.board_watch.look(now, senses, capabilities)
    heard, sent = (radio.receive(now), radio.take_sent(now)) if mind.decides(n) else ((), ())
    if mind.decides(n) or robot.orders:
        robot.notice(now)  # a team stop received or ordered just now acts in this tick
    robot.log.begin_tick(now)
    i = Inputs(now, n, senses, capabilities, robot.take_orders(), robot.faults.open())
    decision = mind.decide(i, heard, sent)
    driven = board.command(now, decision.wanted)
    radio.transmit(now, mind.choice.statements if mind.acting else (), decision.beliefs)
    robot.log.tick(robot.name, i, heard, sent, decision, driven)
    robot.publish(i, decision, mind.choice, driven)
