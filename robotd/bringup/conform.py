"""The board contract played on a port: each check, what was expected, what was seen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from boards.conformance import CHECKS, Check, Let, NotObservableError, Robot, UnmetError
from robotd.bringup.bench import Bench, BoardError, describe_error
from robotd.model.command import Command

ANSWERS_S = 4.0  # an Arduino whose port is opened starts for 2 s; the slowest handshake takes less than that
LAG_S = 0.4  # what measured speeds may be late: a window of 0.2 s, a packet in 0.1 s, 200 ms of dead time of some
PASSED, FAILED, UNTOLD = "passed", "failed", "not told"
QUICK_S, LONGEST_S = 0.010, 0.25  # for 99 of 100 calls: a fifth of a tick; for any: what the guardian waits


@dataclass(frozen=True, slots=True)
class Outcome:
    """One check: passed, failed, or not told (nothing tells it). What is `seen` of one that passed is a note."""

    check: str
    what: str
    outcome: str
    expected: str = ""
    seen: str = ""

    def as_json(self) -> dict[str, str]:
        """One row of `--json`."""
        return asdict(self)


class _OnPort:
    """See `boards.conformance.Robot`: a board on its bench, whose wheels are seen by its own encoders."""

    def __init__(self, bench: Bench, lag_s: float, answers_s: float) -> None:
        self._rig = bench
        self.board: Any = bench.board
        self.lag_s, self.answers_s = lag_s, answers_s

    @property
    def now(self) -> float:
        return self._rig.now

    def wheels(self) -> tuple[float, float] | None:
        wheels = self.board.senses(self.now).wheels
        return None if wheels is None else (wheels.left, wheels.right)


async def conform(
    bench: Bench,
    tell: Callable[[Outcome], None] = lambda _: None,
    checks: Sequence[Check] = CHECKS,
    *,
    lag_s: float = LAG_S,
    answers_s: float = ANSWERS_S,
) -> list[Outcome]:
    """Play every check on a bench that is open; the wheels turn. BoardError ends all, and is a failed check."""
    robot = _OnPort(bench, lag_s, answers_s)
    outcomes: list[Outcome] = []

    def note(outcome: Outcome) -> None:
        outcomes.append(outcome)
        tell(outcome)

    try:
        for check in checks:
            note(await _outcome(check, bench, robot))
            if not bench.board.ready and check is CHECKS[0]:
                break  # of one that has never answered nothing else can be told
    except BoardError as error:
        note(Outcome("raises", "its code raises nothing", FAILED, "no exception", str(error)))
    note(blocking(bench.calls))
    return outcomes


async def _outcome(check: Check, bench: Bench, robot: Robot) -> Outcome:
    """One check, begun with a board that is connected and stands, as far as it can be brought to that."""
    bench.line.mute = bench.line.cut = False
    if check is not CHECKS[0]:
        await bench.let(robot.answers_s, until=lambda: not robot.board.capabilities(bench.now).missing)
        await bench.let(robot.lag_s + 0.2, Command())
    playing = asyncio.create_task(_play(check, bench, robot))
    try:
        await asyncio.wait([playing])
    finally:
        playing.cancel()
        bench.line.mute = bench.line.cut = False
    error = playing.exception()
    if isinstance(error, UnmetError):
        return Outcome(check.name, check.what, FAILED, error.expected, error.seen)
    if isinstance(error, NotObservableError):
        return Outcome(check.name, check.what, UNTOLD, "", str(error))
    if error is not None:
        raise error if isinstance(error, BoardError) else BoardError(describe_error(error))
    return Outcome(check.name, check.what, PASSED, "", playing.result())


def _never() -> bool:
    return False


async def _play(check: Check, bench: Bench, robot: Robot) -> str:
    """What the script notes."""
    script = check.script(robot)
    answer: Any = None

    def able() -> bool:
        return "mobile" in robot.board.capabilities(bench.now).resources

    while True:
        try:
            step = script.send(answer)
        except StopIteration as end:
            return str(end.value or "")
        if isinstance(step, Let):
            bench.line.mute, bench.line.cut = step.mute, step.cut
            answer = await bench.let(step.seconds, step.command, until=able if step.able else _never)
        else:
            answer = await bench.reopen(mute=step.mute)


def blocking(calls: dict[str, list[float]]) -> Outcome:
    """Whether the board's code has held the program up: no call may wait for anything."""
    what = "no call holds the program up"
    for name, took in sorted(calls.items()):
        ordered = sorted(took)
        usual, longest = ordered[int(0.99 * (len(ordered) - 1))], ordered[-1]
        if usual > QUICK_S or longest > LONGEST_S:
            expected = f"99 of 100 calls within {QUICK_S * 1000:g} ms, all within {LONGEST_S * 1000:g} ms"
            return Outcome(
                "blocking", what, FAILED, expected, f"{name}: {usual * 1000:.1f}, {longest * 1000:.0f} ms"
            )
    return Outcome("blocking", what, PASSED)
