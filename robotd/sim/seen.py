"""What the world sees of robots that are processes: when wheels stopped, and by their logs what each did."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from boards.mock.world import World
from robotd.record.reading import LogLines, read_rows
from robotd.record.rows import Row
from robotd.sim.activity_trace import ActivityTrace
from robotd.sim.process import RobotProcess

Received = Callable[[], int]
"""How many bytes the board's device has received."""

AT_REST_M_S = 0.005  # slower than this is the noise of a wheel at rest
WATCH_S = 5.0  # a robot that still rolls then never stopped
STEP_S = 0.01
LAST_WORDS_S = 0.05  # what was on the line at the guardian's last halt has arrived by then


@dataclass
class StopWatch:
    """From a robot's end at `ended_at` (loop clock, s): when its wheels stopped, and what was written afterwards.

    `halts_s`: what the guardian's halts, before and after it reaps, take on the line.
    """

    ended_at: float
    halts_s: float = 0.0
    wheels_zero_at: float | None = None
    written_by_then: int | None = None

    async def watch(self, world: World, robot: RobotProcess, received: Received) -> None:
        """Watch the wheels on the world's clock, then the line."""
        loop = asyncio.get_running_loop()
        while loop.time() < self.ended_at + WATCH_S:
            world.advance(loop.time())
            rolls = max(abs(speed) for speed in world.wheel_speeds(robot.name)) > AT_REST_M_S
            if not rolls and self.wheels_zero_at is None:
                self.wheels_zero_at = world.now
            elif rolls:
                self.wheels_zero_at = None
            over = robot.stop is not None and loop.time() > robot.stop.reaped_at + self.halts_s + LAST_WORDS_S
            if over and self.written_by_then is None:
                self.written_by_then = received()
            await asyncio.sleep(STEP_S)

    def as_json(self, robot: RobotProcess, received: Received, start: float) -> dict[str, object]:
        """`cause`, `at_s`, `wheels_zero_after_s`, `bytes_after`; None for what was never seen."""
        zero = None if self.wheels_zero_at is None else max(0.0, self.wheels_zero_at - self.ended_at)
        after = None if self.written_by_then is None else received() - self.written_by_then
        return {
            "cause": robot.stop.cause if robot.stop is not None else None,
            "at_s": round(self.ended_at - start, 3),
            "wheels_zero_after_s": None if zero is None else round(zero, 3),
            "bytes_after": after,
        }


def story_of(logs: dict[str, Path], start: float, end: float) -> tuple[ActivityTrace, dict[str, int]]:
    """The action trace and the count of ticks from the robots' own run logs; instants are from `start`."""
    story, ticks = ActivityTrace(), {"count": 0, "skipped": 0}
    for robot, folder in sorted(logs.items()):
        if not any(folder.glob("*.jsonl")):
            continue
        last = None
        for row in _rows(folder, ticks):
            last = row.inputs.now
            if row.choice is not None:
                story.decided(robot, last - start, row.choice)
        if last is not None and last < end - 1.0:
            story.gone(robot, last - start)
    story.close(end - start)
    return story, ticks


def _rows(folder: Path, ticks: dict[str, int]) -> Iterator[Row]:
    """The rows of a robot's log, counted in `ticks`."""
    n = -1
    for line in read_rows(LogLines(folder)):
        if isinstance(line, tuple):
            _, row = line
            ticks["count"] += 1
            ticks["skipped"] += row.inputs.n - n - 1 if n >= 0 else 0
            n = row.inputs.n
            yield row
        elif "part" in line:
            n = -1
