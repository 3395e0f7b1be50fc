"""Which board, add-ons and modem each robot of a simulation has, and how its mind is connected to them."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from boards.body import Body
from boards.contract import Board
from boards.mock.driver import MockR2
from radio.contract import Modem
from radio.mock.modem import MockModem
from robotd.config.load import Mission
from robotd.files.nearest import unknown
from robotd.files.options import by_robot
from robotd.files.plugins import INSTALLED, Plugins
from robotd.model.value import value
from robotd.sim.emulated import MOCK, NONE, Emulated, EmulationContext, Emulations, emulations
from robotd.sim.lines import Line


@value
class Parts:
    """Which board (with add-ons: `pioneer+positioning`) and modem each robot has; mock ones by default.

    With a `base_station` each kind of modem has an air of its own, and it bridges them. `plugins` has the drivers
    and modems that are not mock ones.
    """

    boards: Mapping[str, str] = field(default_factory=dict)
    radios: Mapping[str, str] = field(default_factory=dict)
    base_station: bool = False
    plugins: Plugins = INSTALLED

    @property
    def airs(self) -> Sequence[str]:
        """The kinds of modem with an air of their own; () where all share one."""
        return sorted(set(self.radios.values()) or {MOCK}) if self.base_station else ()


def parts_of(
    mission: Mission,
    boards: Sequence[str],
    radios: Sequence[str],
    all_bytes: bool,
    base_station: bool = False,
    *,
    installed: bool = False,
) -> Parts:
    """Parts from `[ROBOT=]NAME` options, of the mission's plug-in files too unless they must be `installed`.

    ValueError names what is wrong.
    """
    names, plugins = sorted(mission.content.team), INSTALLED if installed else mission.plugins
    known = emulations(plugins) if boards or radios else Emulations({}, {}, {})  # to name what is meant
    board = "r2" if all_bytes else MOCK
    chosen = _chosen("--board", names, boards, [MOCK, *known.boards], board, list(known.add_ons))
    fixed = [name for name in names if mission.content.body_of(name).get("fixed")]
    parts = Parts(
        {**chosen, **dict.fromkeys(fixed, NONE)},
        _chosen("--radio", names, radios, [MOCK, *known.radios], "transparent" if all_bytes else MOCK),
        base_station,
        plugins,
    )
    _check_bodies(mission, parts)
    return parts


NOT_CARRIED = ("tools", "camera", "laser", "battery_s")  # of a body; no emulator serves them


def _check_bodies(mission: Mission, parts: Parts) -> None:
    """ValueError for a robot whose body has what the protocol of its board does not carry."""
    for robot, board in sorted(parts.boards.items()):
        body = mission.content.body_of(robot)
        fitted = [key for key in NOT_CARRIED if body.get(key) not in (None, False, (), [])]
        if board not in (MOCK, NONE) and fitted:
            raise ValueError(
                f"--board {robot}={board}: {robot}'s body has {', '.join(fitted)}, and the emulated {board!r} "
                f"carries none of it; give it the board {MOCK!r} (--board {robot}={MOCK}), or leave out --bytes"
            )


def _chosen(
    option: str, robots: Sequence[str], texts: Sequence[str], valid: Sequence[str], default: str,
    add_ons: Sequence[str] = (),
) -> dict[str, str]:  # fmt: skip
    for text in texts:
        name = text.rpartition("=")[2]
        base, *others = name.split("+") if add_ons else [name]
        for what, one, known in (("simulated part", base, valid), *(("add-on", one, add_ons) for one in others)):
            if one not in known:
                raise ValueError(f"{option} {text}: {unknown(what, one, known)}")
        if len(set(others)) < len(others):
            raise ValueError(f"{option} {text}: an add-on is named twice")
    given = by_robot(option, robots, texts)
    return {robot: given.get(robot, (default, ""))[0] for robot in robots}


def _nothing() -> None:
    """Nothing to do."""


@value
class Attached:
    """A robot's board and modem; what to do after each tick; and how to take both away."""

    board: Board
    modem: Modem
    after_tick: Callable[[], None] = _nothing
    detach: Callable[[], None] = _nothing


Attach = Callable[[EmulationContext, str], Attached]


def attach(parts: Parts) -> Attach:
    """How to connect a robot's mind to the board and the modem that `parts` name."""

    def attach_one(context: EmulationContext, name: str) -> Attached:
        board, radio = parts.boards.get(name, MOCK), parts.radios.get(name, MOCK)
        if board == radio == MOCK:
            return Attached(MockR2(context.world, name), MockModem(context.airs.of(MOCK), context.numbers[name]))
        return _attach_emulated(context, name, board, radio, emulations(parts.plugins))

    return attach_one


def _attach_emulated(context: EmulationContext, name: str, board: str, radio: str, known: Emulations) -> Attached:
    """Board and modem of a robot, each direct (`mock`) or behind a line with its emulator at the other end."""
    now = asyncio.get_running_loop().time()
    lines: list[Line] = []

    def behind_line(emulated: Emulated) -> Any:
        driver, line = emulated.behind_line(context, name, now)
        lines.append(line)
        return driver

    base, *others = board.split("+")
    body = MockR2(context.world, name) if base in (MOCK, NONE) else behind_line(known.boards[base])
    if base not in (MOCK, NONE) or others:
        body = Body(body, [behind_line(known.add_ons[other]) for other in others])
    channel = context.airs.of(radio)
    modem = MockModem(channel, context.numbers[name]) if radio == MOCK else behind_line(known.radios[radio])

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
