"""Robots whose boards and modems speak their real bytes to emulators, over lines in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boards.mock.emulator import R2Emulator
from boards.mock.r2 import MockR2
from boards.r2 import R2
from radio.mock.emulator import TransparentEmulator
from radio.mock.modem import MockModem
from radio.transparent import Transparent
from robotd.sim.attach import MOCK, Attached
from robotd.sim.lines import End, Line

if TYPE_CHECKING:
    from robotd.sim.team import Team


@dataclass(frozen=True)
class Emulated:
    """A device's driver with its default settings, and its emulator for a robot of a team at an instant."""

    driver: Callable[[], Any]
    emulator: Callable[[Team, str, float], End]


def _number(team: Team, name: str) -> int:
    return team.mission.content.team[name].number


BOARDS: Mapping[str, Emulated] = {
    "r2": Emulated(
        lambda: R2(R2.Settings()), lambda team, name, now: R2Emulator(MockR2(team.world, name), team.seed)
    ),
}
RADIOS: Mapping[str, Emulated] = {
    "transparent": Emulated(
        lambda: Transparent(Transparent.Settings()),
        lambda team, name, now: TransparentEmulator(team.channel, _number(team, name), now),
    ),
}


def attach_emulated(team: Team, name: str, board: str, radio: str) -> Attached:
    """Board and modem of a robot, each direct (`mock`) or behind a line with its emulator at the other end."""
    now = asyncio.get_running_loop().time()
    lines: list[Line] = []

    def behind_line(emulated: Emulated) -> Any:
        driver = emulated.driver()
        driver.connect(now)
        line = Line(driver, emulated.emulator(team, name, now), driver.line.baud)
        lines.append(line)
        return driver

    body = MockR2(team.world, name) if board == MOCK else behind_line(BOARDS[board])
    modem = MockModem(team.channel, _number(team, name)) if radio == MOCK else behind_line(RADIOS[radio])

    def kick() -> None:
        for line in lines:
            line.kick()

    def detach() -> None:
        team.channel.unwatch(kick)
        for line in lines:
            line.close()

    team.channel.watch(kick)
    kick()
    return Attached(body, modem, kick, detach)
