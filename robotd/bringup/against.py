"""`robotd check --against PORT`: the board contract, tested on a port."""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from boards.conformance import CHECKS
from robotd.bringup.bench import Bench, BoardError
from robotd.bringup.child import make_board, refuse, run_child, write
from robotd.bringup.conform import FAILED, NOT_OBSERVED, PASSED, Outcome, conform
from robotd.bringup.identify import check_base
from robotd.bringup.robotfile import values_of
from robotd.config.load import ConfigError, read_robot
from robotd.files.plugins import load_files
from robotd.guardian.client import GuardianLink
from robotd.transport.port import Opener, open_wire

WORDS = {PASSED: "passed", FAILED: "FAILED", NOT_OBSERVED: NOT_OBSERVED}
WIDTH = 2 + len(NOT_OBSERVED)


@dataclass(frozen=True)
class ConformRequest:
    """The request: the board by name, or of a robot file; `only` these checks, all where empty."""

    port: str
    board: str = ""
    file: str = ""
    settings: Sequence[tuple[str, str]] = ()
    plugins: Sequence[str] = ()
    only: Sequence[str] = ()
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
        check_base(name, plugin)
        return name, make_board(plugin, own)


async def against(
    request: ConformRequest,
    write: Callable[[str], Any],
    link: GuardianLink | None = None,
    opener: Opener = open_wire,
) -> int:
    """Exit status: 0 no check failed, 1 one did, 2 for a board or port that cannot be tried."""
    try:
        name, device = request.device()
    except (ConfigError, LookupError, OSError, ValueError) as error:
        return refuse(error)
    checks = [check for check in CHECKS if not request.only or check.name in request.only]
    report = (lambda _: None) if request.json else (lambda outcome: write(f"{format_outcome(outcome)}\n"))
    try:
        async with Bench(request.port, device, opener, link) as bench:
            await bench.opens()
            outcomes = await conform(bench, report, checks)
    except BoardError as error:
        return refuse(f"{request.port}: {error}")
    failed = any(outcome.outcome == FAILED for outcome in outcomes)
    if request.json:
        rows = [asdict(one) for one in outcomes]
        write(json.dumps({"port": request.port, "board": name, "ok": not failed, "checks": rows}) + "\n")
    else:
        write(f"{summarize(name, outcomes)}\n")
    return 1 if failed else 0


def format_outcome(outcome: Outcome) -> str:
    """One row of the table."""
    row = f"{WORDS[outcome.outcome]:<{WIDTH}}{outcome.check:<14}  {outcome.what}"
    if outcome.outcome == FAILED:
        indent = " " * (WIDTH + 16)
        return f"{row}\n{indent}expected: {outcome.expected}\n{indent}seen: {outcome.seen}"
    return f"{row}: {outcome.seen}" if outcome.seen else row


def summarize(name: str, outcomes: Sequence[Outcome]) -> str:
    """The last line."""
    failed, unseen = ([one.check for one in outcomes if one.outcome == kind] for kind in (FAILED, NOT_OBSERVED))
    rest = f"; {NOT_OBSERVED}: {', '.join(unseen)}" if unseen else ""
    if failed:
        return f"board {name} fails {len(failed)} of {len(outcomes)} checks: {', '.join(failed)}{rest}"
    return f"board {name} keeps the contract: {len(outcomes) - len(unseen)} checks passed{rest}"


if __name__ == "__main__":
    sys.exit(run_child(ConformRequest, lambda request, link: against(request, write, link)))
