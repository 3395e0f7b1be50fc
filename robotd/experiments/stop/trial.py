"""One trial: a robot turns on the spot at full speed, its last command is cut, and its daemon fails."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from robotd.experiments.rows import Value
from robotd.experiments.stop.stage import NAME, Stage, as_hardware
from robotd.sim.process import RobotProcess
from robotd.sim.ptys import EmulatedPort
from robotd.sim.seen import AT_REST_M_S

SIGNALS = {"SIGKILL": signal.SIGKILL, "SIGSTOP": signal.SIGSTOP, "SIGSEGV": signal.SIGSEGV}
CAUSES = (*SIGNALS, "blocked loop", "memory", "exception")  # the later ones are deeds of the saboteur
WITHIN_S = 0.5
NICE = -5  # of a robot's service
FULL = 0.9  # of the commanded speed: a wheel at full speed turns so fast at least
ROLLS_M_S = 0.1  # what must be commanded at least
START_S = 15.0  # what a start may take on a loaded machine
UNDER_WAY_S = 0.2  # at full speed, before anything happens to it
WATCH_S = 3.0  # a robot that still rolls then never stops
QUIET_S = 0.4  # for so long after it has stopped it must not move again
SILENT_S = 0.15  # a line on which nothing has come for so long is empty: of a slow one 32 bytes come in 33 ms
STARTS = 5  # a computer that is too busy may stop a robot before anything was done to it, or be a slow board
LATE_S = 0.05  # a board never reads its line so late
WAIT_S, LOOK_S = 0.02, 0.002  # between two looks: before the cut, and after it


@dataclass(frozen=True)
class StopTrial:
    """What is done to which board; `share` (0 to below 1) of the command that is cut still arrives."""

    board: str
    cause: str
    share: float


@dataclass
class Seen:
    """What came of it; instants on the event loop's clock, s, those of the body on the world's, as fast a one."""

    cut_at: float = 0.0
    commanded_at: float | None = None  # from then on the board commanded its motors to stop
    zero_at: float | None = None  # from then on the wheels were at rest
    halted_at: float | None = None
    cause: str = ""  # the guardian's cause, or the robot's own reason
    bytes_after: int = 0

    @property
    def zero_s(self) -> float | None:
        """How long the wheels turned."""
        return None if self.zero_at is None else max(0.0, self.zero_at - self.cut_at)

    @property
    def fault(self) -> str:
        """What is wrong with how the robot stopped; '' for nothing."""
        if self.zero_s is None:
            return f"its wheels turned for {WATCH_S:g} s"
        if self.bytes_after:
            return f"{self.bytes_after} bytes were written after the halt"
        return f"its wheels stopped after {self.zero_s:.3f} s" if self.zero_s > WITHIN_S else ""


class VoidError(Exception):
    """The trial shows nothing of the robot; the message says why."""


def run(trial: StopTrial, seed: int) -> dict[str, Value]:
    """The row of a trial; VoidError where it was void, again and again."""
    for starts in range(1, STARTS):
        with contextlib.suppress(VoidError):
            return {**_try(trial, seed), "starts": starts}
    return {**_try(trial, seed), "starts": STARTS}


def _try(trial: StopTrial, seed: int) -> dict[str, Value]:
    stage = Stage(trial.board, seed)
    deed = "none" if trial.cause in SIGNALS else trial.cause
    with stage.files(deed) as folder, as_hardware():
        attempt = _Session(trial, stage, folder)
        asyncio.run(attempt.play())
    seen = attempt.seen
    row: dict[str, Value] = {
        "board": trial.board, "cause": trial.cause, "offset": stage.end.offset, "length": stage.end.length,
        "accomplished": not seen.fault, "reason": seen.fault, "bytes_after": seen.bytes_after,
        "reported": seen.cause,
    }  # fmt: skip
    instants = {"commanded_s": seen.commanded_at, "zero_s": seen.zero_at, "halted_s": seen.halted_at}
    return row | {key: round(max(0.0, at - seen.cut_at), 4) for key, at in instants.items() if at is not None}


def bytes_after(received: bytes, halt: bytes) -> int:
    """How many bytes came after the last halt; all where there was none."""
    at = received.rfind(halt)
    return len(received) if at < 0 else len(received) - at - len(halt)


class _Session:
    """A trial under way."""

    def __init__(self, trial: StopTrial, stage: Stage, folder: Path) -> None:
        self.seen = Seen()
        self._trial, self._stage, self._folder = trial, stage, folder
        self._robot = RobotProcess(NAME, folder, folder)

    async def play(self) -> None:
        """From the start to the end of all processes."""
        port = EmulatedPort(self._stage.emulator, self._stage.baud, self._stage.end)
        try:
            await self._start()
            await self._until("it did not get to full speed", self._at_full_speed)
            await asyncio.sleep(UNDER_WAY_S)
            self._stage.end.cut(self._trial.share, self._strike)
            await self._until("it wrote no command", self._cut)
            await self._watch_wheels()
            if self._robot.stop is None:
                await self._robot.look()
                self.seen.cause = self._robot.status.get("state", {}).get("reason", "")
            await self._robot.terminate()
            await self._be_silent()
        finally:
            await self._robot.terminate()
            port.close()

    async def _start(self) -> None:
        try:
            await self._robot.start()
        except TimeoutError as error:
            raise VoidError(str(error)) from None
        for process in (self._robot.guardian, self._robot.child):
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, process, NICE)
        await self._until("its mission did not start", self._begun)

    async def _until(self, complaint: str, condition: Callable[[], Awaitable[bool]]) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + START_S
        while not await condition():
            if loop.time() > end or self._robot.stop is not None:
                words = (self._folder / "stderr.txt").read_text(encoding="utf-8", errors="replace").strip()
                raise VoidError(f"{complaint}: {words or 'no message'}")
            await asyncio.sleep(WAIT_S)

    async def _begun(self) -> bool:
        return bool((await self._robot.ask({"do": "mission-start"})).get("ok"))

    async def _at_full_speed(self) -> bool:
        now = asyncio.get_running_loop().time()
        commanded = self._stage.commanded(now)
        return commanded > ROLLS_M_S and self._stage.speed(now) > FULL * commanded

    async def _cut(self) -> bool:
        return self._stage.end.length > 0

    def _strike(self) -> None:
        self.seen.cut_at = asyncio.get_running_loop().time()
        (self._folder / "sign").touch()
        if self._trial.cause in SIGNALS:
            self._robot.signal_child(SIGNALS[self._trial.cause])

    async def _watch_wheels(self) -> None:
        loop, seen = asyncio.get_running_loop(), self.seen
        looked = loop.time()
        while loop.time() < seen.cut_at + WATCH_S:
            if seen.zero_at is None and loop.time() > looked + LATE_S:
                raise VoidError("this computer was too busy to be the board")
            looked = loop.time()
            rolls = self._stage.speed(loop.time()) > AT_REST_M_S
            commanded = self._stage.commanded(loop.time()) > 0.0
            seen.commanded_at = None if commanded else seen.commanded_at or self._stage.world.now
            if rolls or commanded:
                seen.zero_at = None
            elif seen.zero_at is None:
                seen.zero_at = self._stage.world.now
            elif loop.time() > seen.zero_at + QUIET_S:
                return
            await asyncio.sleep(LOOK_S)

    async def _be_silent(self) -> None:
        """All processes have ended; what they wrote last of all, and it is received to its end, is a halt."""
        loop, seen, end, stop = asyncio.get_running_loop(), self.seen, self._stage.end, self._robot.stop
        if stop is not None:
            seen.halted_at, seen.cause = stop.halted_at, stop.cause or seen.cause
        received = -1
        while received != end.received:
            received = end.received
            await asyncio.sleep(SILENT_S)
        seen.bytes_after = bytes_after(end.after, self._stage.halt)
        if self._stage.speed(loop.time()) > AT_REST_M_S:
            seen.zero_at = None
