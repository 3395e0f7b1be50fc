"""`robotd check --against PORT` at work, as the child of a guardian: the board contract, played on a port."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boards.conformance import CHECKS
from robotd.bringup.bench import TICK_S, Bench, BoardError
from robotd.bringup.conform import FAILED, PASSED, UNTOLD, Outcome, conform
from robotd.bringup.identify import based
from robotd.bringup.robotfile import values_of
from robotd.config.explain import made
from robotd.config.load import ConfigError, read_robot
from robotd.files.plugins import load_files
from robotd.guardian.client import GuardianLink
from robotd.guardian.foreground import serve
from robotd.transport.port import Opener, open_wire

WORDS = {PASSED: "passed  ", FAILED: "FAILED  ", UNTOLD: "not told"}


@dataclass(frozen=True)
class Against:
    """What was asked for: the board by name, or as a robot file names it; `only` these checks, all where empty."""

    port: str
    board: str = ""
    file: str = ""
    settings: tuple[tuple[str, str], ...] = ()
    plugins: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    json: bool = False

    def device(self) -> tuple[str, Any]:
        """The board's name and the board. ConfigError; LookupError, OSError or ValueError with the reason."""
        name, own = self.board, values_of(dict(self.settings))
        if self.file:
            reading = read_robot(Path(self.file), here=False)
            if reading.robot is None or reading.problems:
                raise ConfigError(reading.problems)
            name, own = reading.robot.board.name, {**reading.robot.board.parameters, **own}
            plugin = reading.plugins.get("robotd.boards", name)
        else:
            plugin = load_files(map(Path, self.plugins)).get("robotd.boards", name)
        return based(name, plugin), plugin(made(plugin.Settings, own, "--set "))


async def against(
    asked: Against, write: Callable[[str], Any], link: GuardianLink | None = None, opener: Opener = open_wire
) -> int:
    """Exit status: 0 no check failed, 1 one did, 2 for a board or port that cannot be tried."""
    try:
        name, device = asked.device()
    except (ConfigError, LookupError, OSError, ValueError) as error:
        sys.stderr.write(f"robotd: {error}\n")
        return 2
    checks = [check for check in CHECKS if not asked.only or check.name in asked.only]
    tell = (lambda _: None) if asked.json else (lambda outcome: write(f"{line_of(outcome)}\n"))
    try:
        async with Bench(asked.port, device, opener, link) as bench:
            if link is not None:
                link.ready(TICK_S)
            await bench.opens()
            outcomes = await conform(bench, tell, checks)
    except BoardError as error:
        sys.stderr.write(f"robotd: {asked.port}: {error}\n")
        return 2
    write(json.dumps(document(asked, name, outcomes)) + "\n" if asked.json else f"{count(name, outcomes)}\n")
    return 1 if any(outcome.outcome == FAILED for outcome in outcomes) else 0


def line_of(outcome: Outcome) -> str:
    """One row of the table."""
    row = f"{WORDS[outcome.outcome]}  {outcome.check:<14}  {outcome.what}"
    if outcome.outcome == FAILED:
        return f"{row}\n{'':26}expected: {outcome.expected}\n{'':26}seen: {outcome.seen}"
    return f"{row}: {outcome.seen}" if outcome.seen else row


def count(name: str, outcomes: Sequence[Outcome]) -> str:
    """The last line."""
    failed = [outcome.check for outcome in outcomes if outcome.outcome == FAILED]
    untold = [outcome.check for outcome in outcomes if outcome.outcome == UNTOLD]
    rest = f"; not told: {', '.join(untold)}" if untold else ""
    if failed:
        return f"board {name} fails {len(failed)} of {len(outcomes)} checks: {', '.join(failed)}{rest}"
    return f"board {name} keeps the contract: {len(outcomes) - len(untold)} checks passed{rest}"


def document(asked: Against, name: str, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The object that `--json` prints."""
    failed = any(outcome.outcome == FAILED for outcome in outcomes)
    return {"port": asked.port, "board": name, "ok": not failed, "checks": [one.as_json() for one in outcomes]}


def main(argv: list[str]) -> int:
    """`python -m robotd.bringup.against ASKED`: ASKED is JSON."""
    given: dict[str, Any] = json.loads(argv[0])
    given["settings"] = tuple((key, text) for key, text in given["settings"])
    logging.getLogger("robotd").addHandler(logging.NullHandler())  # the person is told in other words

    def write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    return asyncio.run(serve(lambda link: against(Against(**given), write, link)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
