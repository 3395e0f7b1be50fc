"""The board contract, tested on a port: each check, what was expected, what was seen."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from boards.conformance import CHECKS, Check, Let, NotObservableError, Robot, UnmetError
from robotd.bringup.bench import Bench, BoardError
from robotd.files.plugins import describe_error
from robotd.model.command import Command

ANSWERS_S = 4.0  # an Arduino starts for 2 s once its port is opened; the slowest handshake takes less than that
LAG_S = 0.4  # the greatest lag of measured speeds: a window of 0.2 s, a packet in 0.1 s, 200 ms of dead time
PASSED, FAILED, NOT_OBSERVED = "passed", "failed", "not observed"
QUICK_S, LONGEST_S = 0.010, 0.25  # for 99 of 100 calls: a fifth of a tick; for any: what the guardian waits


@dataclass(frozen=True, slots=True)
class Outcome:
    """One check: passed, failed or not observed. `seen` of one that passed is a note."""

    check: str
    what: str
    outcome: str
    expected: str = ""
    seen: str = ""


class _OnPort:
    """See `boards.conformance.Robot`: a board on its bench, whose wheels are measured by its own encoders."""

    lag_s, answers_s = LAG_S, ANSWERS_S

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self.board: Any = bench.board

    @property
    def now(self) -> float:
        return self._bench.now

    def wheels(self) -> tuple[float, float] | None:
        wheels = self.board.senses(self.now).wheels
        return None if wheels is None else (wheels.left, wheels.right)


async def conform(
    bench: Bench, report: Callable[[Outcome], None] = lambda _: None, checks: Sequence[Check] = CHECKS
) -> list[Outcome]:
    """Run every check on an open bench; the wheels turn. A BoardError ends the run, as a failed check."""
    robot = _OnPort(bench)
    outcomes: list[Outcome] = []

    def note(outcome: Outcome) -> None:
        outcomes.append(outcome)
        report(outcome)

    try:
        for check in checks:
            note(await _outcome(check, bench, robot))
            if not bench.board.ready and check is CHECKS[0]:
                break  # a board that has never answered cannot be tested further
    except BoardError as error:
        note(Outcome("raises", "its code raises nothing", FAILED, "no exception", str(error)))
    note(blocking(bench.calls))
    return outcomes


async def _outcome(check: Check, bench: Bench, robot: Robot) -> Outcome:
    """One check, begun with a connected board and stopped wheels, as far as possible."""
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
        return Outcome(check.name, check.what, NOT_OBSERVED, "", str(error))
    if error is not None:
        raise error if isinstance(error, BoardError) else BoardError(describe_error(error))
    return Outcome(check.name, check.what, PASSED, "", playing.result())


async def _play(check: Check, bench: Bench, robot: Robot) -> str:
    """Run the script of a check; its note."""
    script = check.script(robot)
    answer: Any = None
    awaited: str | None = None

    def has() -> bool:
        return awaited in robot.board.capabilities(bench.now).resources

    while True:
        try:
            step = script.send(answer)
        except StopIteration as end:
            return str(end.value or "")
        if isinstance(step, Let):
            bench.line.mute, bench.line.cut = step.mute, step.cut
            awaited = "mobile" if step.able else None
            answer = await bench.let(step.seconds, step.command, until=has)
        else:
            answer = await bench.reopen(mute=step.mute)


def blocking(calls: dict[str, list[float]]) -> Outcome:
    """Whether the board's code blocks: no call may wait for anything."""
    what = "no call blocks the program"
    for name, took in sorted(calls.items()):
        ordered = sorted(took)
        usual, longest = ordered[int(0.99 * (len(ordered) - 1))], ordered[-1]
        if usual > QUICK_S or longest > LONGEST_S:
            expected = f"99 of 100 calls within {QUICK_S * 1000:g} ms, all within {LONGEST_S * 1000:g} ms"
            seen = f"{name}: {usual * 1000:.1f}, {longest * 1000:.0f} ms"
            return Outcome("blocking", what, FAILED, expected, seen)
    return Outcome("blocking", what, PASSED)
