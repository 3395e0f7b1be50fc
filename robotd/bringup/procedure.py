"""`robotd board`: identify the board on a port and, with a person at the terminal, bring it up."""

import asyncio
import functools
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any

from robotd.advice.body import unwired
from robotd.advice.check import Report, check
from robotd.bringup import robotfile
from robotd.bringup.bench import Bench, BoardError
from robotd.bringup.child import make_board, refuse, run_child, write
from robotd.bringup.identify import TRY_S, Identification, Try, identify, kinds
from robotd.bringup.terminal import Terminal
from robotd.bringup.wizard import format_senses, run_wizard
from robotd.control.client import running_robots
from robotd.files.plugins import Plugins, load_files
from robotd.files.refusal import DONE, FAILED
from robotd.guardian.client import GuardianLink
from robotd.transport.port import Opener, open_wire

NO_ANSWER = """\
No board answers on {port}. Is the robot on, and awake? Is it the right port and cable, with the lines not crossed?
For a board at another baud rate give serial:///dev/NAME?BAUD as the port."""
UNATTENDED = "Its parts were not tried, and no robot file was written: that needs a person at a terminal."


@dataclass(frozen=True)
class BringUpRequest:
    """The request of `robotd board`; `settings` are TOML texts by key of the board's own table."""

    port: str
    type: str = "auto"
    name: str = "amber"
    mission: str = "patrol"
    out: str = "robot.toml"
    settings: Sequence[tuple[str, str]] = ()
    plugins: Sequence[str] = ()
    json: bool = False

    def loaded(self) -> Plugins:
        """The plug-ins that may be tried; OSError, ValueError."""
        return load_files(map(Path, self.plugins))


@dataclass(frozen=True)
class Surroundings:
    """The lines, the descriptor of a terminal with a person (None: no person), where text goes, a thread."""

    fd: int | None = None
    write: Callable[[str], Any] = sys.stdout.write
    opener: Opener = open_wire
    in_background: Callable[[Callable[[], list[str]]], Awaitable[list[str]]] = asyncio.to_thread


async def bring_up(request: BringUpRequest, around: Surroundings, link: GuardianLink | None = None) -> int:
    """Exit status: 0 it answers and no problem was found, 1 otherwise, 2 for what cannot be tried."""

    def report(tried: Try) -> None:
        if not request.json:
            around.write(f"{tried}\n")

    try:
        plugins, values = request.loaded(), robotfile.values_of(dict(request.settings))
        own = values if request.type != "auto" else {}
        devices = {name: functools.partial(make_board, plugins.get("robotd.boards", name), own)
                   for name in kinds(plugins, request.type)}  # fmt: skip
        if request.type != "auto":
            devices[request.type]()  # wrong settings are reported before a port is opened
    except (LookupError, OSError, ValueError) as error:
        return refuse(error)
    try:
        found = await identify(request.port, devices, opener=around.opener, report=report)
    except BoardError as error:  # the port cannot be opened
        return refuse(f"{request.port}: {error}")
    if request.json:
        around.write(json.dumps(found.as_json()) + "\n")
        return DONE if found.board else FAILED
    if not found.board:
        around.write(f"{NO_ANSWER.format(port=request.port)}\n")
        return FAILED
    around.write(f"\n{request.port} is a board of the kind {found.board}.\n")
    try:
        return await _meet(request, around, found, devices[found.board], link)
    except BoardError as error:
        return refuse(f"{request.port}: {error}", FAILED)


async def _meet(
    request: BringUpRequest,
    around: Surroundings,
    found: Identification,
    make: Callable[[], Any],
    link: GuardianLink | None,
) -> int:
    """Open it again, show its senses and, with a person there, go through all steps."""
    async with Bench(request.port, make(), around.opener, link) as bench:
        if not await bench.answers(TRY_S):
            raise BoardError("it has stopped answering")
        await bench.settle()
        if around.fd is None:
            lines = format_senses(bench.board.senses(bench.now), bench.board.capabilities(bench.now))
            around.write("\n".join(lines) + f"\n\n{UNATTENDED}\n")
            return DONE
        save = functools.partial(_write_file, request, found.board)
        async with Terminal(around.fd, around.write) as terminal:
            findings = await run_wizard(terminal, bench, found, lambda: around.in_background(save))
    return FAILED if findings.problems or findings.left else DONE


def _write_file(request: BringUpRequest, board: str) -> list[str]:
    """Write the robot file and check it; lines that report both. An existing file stays as it is."""
    port, remark = robotfile.stable(request.port)
    path, settings = Path(request.out), dict(request.settings)
    parts = unwired(request.loaded().get("robotd.boards", board).Settings, robotfile.values_of(settings))
    text = robotfile.text_of(request.name, request.mission, board, port, settings, list(request.plugins), parts)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        return [f"{path} exists and stays as it is; give --out FILE for another. It would have been:", "", text]
    except OSError as error:
        return [f"{path} cannot be written: {error.strerror}"]
    report = check(str(path), running=running_robots)
    notes = [f"note: {remark}"] if remark else []
    if report.problems:
        return [f"{path} is written; correct in it:", *map(str, report.problems), *notes]
    return [*notes, *_next(path, report)]


def _next(path: Path, report: Report) -> list[str]:
    """What a file without faults still lacks for its mission, and what to do next."""
    file = quote(str(path))
    run = f"robotd run {file}, then robotd start and robotd mission start in another terminal"
    short, parts = report.advice.shortcomings, report.advice.unwired
    if not short:
        return [f"{path} is written and checked. Next: {run}"]
    able = [task for task, of in report.advice.tasks.items() if report.name in of.able]
    some = f"; it can do {', '.join(able)}" if able else "; it would not move"
    lines = [f"{path} is written, but not enough for its mission{some}:", *(f"  {line}" for line in short)]
    if parts:
        lines += ["Of these lines under [board.parameters] fill in, and uncomment, what is wired:"]
        lines += [f"  {line}    # {what}" for line, what in parts.items()]
    return [
        *lines,
        f"Next: robotd check {file}, until it reports that {report.name} can do its tasks. Then: {run}",
    ]


if __name__ == "__main__":
    sys.exit(
        run_child(
            BringUpRequest, lambda request, link: bring_up(request, Surroundings(sys.stdin.fileno(), write), link)
        )
    )
