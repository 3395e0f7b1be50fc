"""`robotd board` at work: identify what is on a port and, where a person sits at the terminal, bring it up."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robotd.advice.body import unwired
from robotd.advice.check import Report, check
from robotd.bringup import robotfile
from robotd.bringup.bench import TICK_S, Bench, BoardError
from robotd.bringup.identify import TRY_S, Identification, Try, identify, kinds
from robotd.bringup.look import format_senses
from robotd.bringup.terminal import Terminal
from robotd.bringup.wizard import run_wizard
from robotd.config.explain import made
from robotd.control.client import running_robots
from robotd.files.plugins import Plugins, load_files
from robotd.guardian.client import GuardianLink
from robotd.guardian.foreground import serve
from robotd.transport.port import Opener, open_wire

DONE, FAILED, USAGE = 0, 1, 2

InBackground = Callable[[Callable[[], list[str]]], Awaitable[list[str]]]


@dataclass(frozen=True)
class Asked:
    """What `robotd board` was asked for; `settings` are TOML texts by key of the board's own table."""

    port: str
    type: str = "auto"
    name: str = "amber"
    mission: str = "patrol"
    out: str = "robot.toml"
    settings: tuple[tuple[str, str], ...] = ()
    plugins: tuple[str, ...] = ()
    json: bool = False

    def loaded(self) -> Plugins:
        """The plug-ins that may be tried; OSError, ValueError."""
        return load_files(map(Path, self.plugins))

    def device(self, plugin: Any) -> Any:
        """A board with the settings asked for; ValueError."""
        return plugin(made(plugin.Settings, robotfile.values_of(dict(self.settings)), "--set "))


@dataclass(frozen=True)
class Surroundings:
    """What a course reaches the world through: lines, a terminal's descriptor, where text goes."""

    fd: int | None = None  # of a terminal with a person at it; None for none
    write: Callable[[str], Any] = sys.stdout.write
    opener: Opener = open_wire
    in_background: InBackground = asyncio.to_thread


async def bring_up(asked: Asked, around: Surroundings, link: GuardianLink | None = None) -> int:
    """Exit status: 0 it answers and no problem was found, 1 otherwise, 2 for what cannot be tried."""
    try:
        plugins = asked.loaded()
        names = kinds(plugins, asked.type)
        devices = {name: _maker(asked, plugins.get("robotd.boards", name)) for name in names}
        if asked.type != "auto":
            devices[asked.type]()  # settings that are wrong are told before a port is opened
    except (LookupError, OSError, ValueError) as error:
        return _refuse(str(error))
    try:
        found = await identify(asked.port, devices, opener=around.opener, tell=_teller(asked, around))
    except BoardError as error:  # the port cannot be opened
        return _refuse(f"{asked.port}: {error}")
    try:
        if asked.json:
            around.write(json.dumps(found.as_json()) + "\n")
        elif not found.board:
            around.write(f"{NO_ANSWER.format(port=asked.port)}\n")
        if not found.board or asked.json:
            return DONE if found.board else FAILED
        around.write(f"\n{asked.port} is a board of the kind {found.board}.\n")
        return await _meet(asked, around, found, devices[found.board], link)
    except BoardError as error:
        return _refuse(f"{asked.port}: {error}", FAILED)


NO_ANSWER = """\
Nobody answers on {port}. Is the robot on, and awake? Is it the right port and cable, with the lines not crossed? A
board set to another baud rate is tried at that with serial:///dev/NAME?BAUD as the port."""


UNATTENDED = "Its parts were not tried, and no robot file was written: that is for a person at a terminal."


def _maker(asked: Asked, plugin: Any) -> Callable[[], Any]:
    """What makes a board to be tried: with the settings asked for where one kind was, else with its defaults."""
    if asked.type != "auto":
        return lambda: asked.device(plugin)
    return lambda: plugin(made(plugin.Settings, {}))


def _teller(asked: Asked, around: Surroundings) -> Callable[[Try], None]:
    return (lambda _: None) if asked.json else (lambda tried: around.write(f"{tried}\n"))


async def _meet(
    asked: Asked, around: Surroundings, found: Identification, make: Callable[[], Any], link: GuardianLink | None
) -> int:
    """Open it again, show what it feels and, with a person there, go through all steps."""
    async with Bench(asked.port, make(), around.opener, link) as bench:
        if link is not None:
            link.ready(TICK_S)
        if not await bench.answers(TRY_S):
            raise BoardError("it has stopped answering")
        await bench.settle()
        if around.fd is None:
            lines = format_senses(bench.board.senses(bench.now), bench.board.capabilities(bench.now))
            around.write("\n".join(lines) + f"\n\n{UNATTENDED}\n")
            return DONE
        async with Terminal(around.fd, around.write) as terminal:
            findings = await run_wizard(
                terminal, bench, found, lambda: around.in_background(lambda: _written(asked, found.board))
            )
    return FAILED if findings.problems or findings.left else DONE


def _written(asked: Asked, board: str) -> list[str]:
    """Write the robot file, check it, and tell of both; an existing file stays as it is."""
    port, remark = robotfile.stable(asked.port)
    path = Path(asked.out)
    settings = dict(asked.settings)
    parts = unwired(asked.loaded().get("robotd.boards", board).Settings, robotfile.values_of(settings))
    text = robotfile.text_of(asked.name, asked.mission, board, port, settings, list(asked.plugins), parts)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        return [f"{path} exists and stays as it is: say --out FILE for another. It would have been:", "", text]
    except OSError as error:
        return [f"{path} cannot be written: {error.strerror}"]
    report = check(str(path), running=running_robots)
    told = [f"note: {remark}"] if remark else []
    if report.problems:
        return [f"{path} is written; mend in it:", *map(str, report.problems), *told]
    return [*told, *_next(path, report)]


def _next(path: Path, report: Report) -> list[str]:
    """What a file that has no fault still lacks for its mission, and what to do next."""
    run = f"robotd run {path}, then robotd start and robotd mission start in another terminal"
    short, parts = report.advice.shortcomings, report.advice.unwired
    if not short:
        return [f"{path} is written and checked. Next: {run}"]
    able = [task for task, of in report.advice.tasks.items() if report.name in of.able]
    some = f"; it can do {', '.join(able)}" if able else "; it would stand still"
    lines = [f"{path} is written, but not enough for its mission{some}:", *(f"  {line}" for line in short)]
    if parts:
        lines += ["Of these lines under [board.parameters] fill in, and uncomment, what is wired:"]
        lines += [f"  {line}    # {what}" for line, what in parts.items()]
    return [*lines, f"Next: robotd check {path}, until it says that {report.name} can do its tasks. Then: {run}"]


def _refuse(words: str, code: int = USAGE) -> int:
    sys.stderr.write(f"robotd: {words}\n")
    return code


def main(argv: list[str]) -> int:
    """`python -m robotd.bringup.procedure ASKED`: as the child of a guardian; ASKED is JSON."""
    given: dict[str, Any] = json.loads(argv[0])
    given["settings"] = tuple((key, text) for key, text in given["settings"])
    asked = Asked(**given)
    logging.getLogger("robotd").addHandler(logging.NullHandler())  # the person is told in other words

    def write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    return asyncio.run(serve(lambda link: bring_up(asked, Surroundings(sys.stdin.fileno(), write), link)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
