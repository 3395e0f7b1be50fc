"""How a simulated robot's mind meets its body and the air: directly, or through real bytes on in-memory lines."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from boards.body import Body
from boards.contract import Board
from boards.mock.r2 import MockR2
from radio.contract import Modem
from radio.mock.modem import MockModem
from robotd.sim.emulated import ADD_ONS, BOARDS, MOCK, NONE, RADIOS, Emulated, EmulationContext
from robotd.sim.lines import Line
from robotd.sim.parts import Parts


def _nothing() -> None:
    """Nothing to do."""


@dataclass(frozen=True)
class Attached:
    """A robot's board and modem; what to do after each tick; and how to take both away."""

    board: Board
    modem: Modem
    after_tick: Callable[[], None] = _nothing
    detach: Callable[[], None] = _nothing


Attach = Callable[[EmulationContext, str], Attached]


def attach(parts: Parts) -> Attach:

    def attach_one(context: EmulationContext, name: str) -> Attached:
        board, radio = parts.boards.get(name, MOCK), parts.radios.get(name, MOCK)
        if board == radio == MOCK:
            return Attached(MockR2(context.world, name), MockModem(context.airs.of(MOCK), context.numbers[name]))
        return _attach_emulated(context, name, board, radio)

    return attach_one


def _attach_emulated(context: EmulationContext, name: str, board: str, radio: str) -> Attached:
    """Board and modem of a robot, each direct (`mock`) or behind a line with its emulator at the other end."""
    now = asyncio.get_running_loop().time()
    lines: list[Line] = []

    def behind_line(emulated: Emulated) -> Any:
        driver, line = emulated.behind_line(context, name, now)
        lines.append(line)
        return driver

    base, *others = board.split("+")
    body = MockR2(context.world, name) if base in (MOCK, NONE) else behind_line(BOARDS[base])
    if base not in (MOCK, NONE) or others:
        body = Body(body, [behind_line(ADD_ONS[other]) for other in others])
    channel = context.airs.of(radio)
    modem = MockModem(channel, context.numbers[name]) if radio == MOCK else behind_line(RADIOS[radio])

    def kick() -> None:
        for line in lines:
            line.kick()

    def detach() -> None:
        channel.unwatch(kick)
        for line in lines:
            line.close()

    channel.watch(kick)
    kick()
    return Attached(body, modem, kick, detach)
