"""What a trial needs beside the robot's processes: a body, an emulated board on a pty, and the robot's files."""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import tomli_w

from boards.mock.settings import BodySpec, WorldSettings
from boards.mock.world import World
from robotd.model.serial import SetLine
from robotd.sim.emulated import emulations
from robotd.sim.ptys import FRAME_BYTES, READ_BYTES, PtyEnd
from robotd.timing.clock import monotonic

NAME = "amber"
COORDINATOR = "alliance"
STEPS_PER_S = 200  # of the world, on whose clock the wheels stop
TIMES = ("patience_s", "yield_time_s", "give_up_time_s")


@contextlib.contextmanager
def as_hardware() -> Iterator[None]:
    """While it lasts, no less urgent process delays this one, where that is permitted: as none delays a board."""
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, *before)


class CuttingEnd(PtyEnd):
    """A `PtyEnd` that, once, passes on only the first bytes of a command; until then it reads whole writes."""

    def __init__(self) -> None:
        super().__init__()
        self.offset = self.length = 0  # of the command that was cut, once it was
        self.after = b""  # what has come since
        self._share: float | None = None
        self._then: Callable[[], None] = lambda: None

    def cut(self, share: float, then: Callable[[], None]) -> None:
        """Pass on as many bytes of the next command as `share` (0 to below 1) says, and call `then`."""
        self._share, self._then, self.read_bytes = share, then, FRAME_BYTES

    def transmit(self, now: float) -> Sequence[bytes | SetLine]:
        came = super().transmit(now)
        whole = b"".join(part for part in came if isinstance(part, bytes))
        if self._share is None or not came:
            self.after += whole if self.length else b""
            return came
        self.length, self.offset = len(whole), int(self._share * (len(whole) + 1))
        self._share, self.read_bytes = None, READ_BYTES
        self._then()
        return [whole[: self.offset]] if self.offset else []


class Stage:
    """A room with nothing in it but one robot; an `EmulationContext` for the emulator of its `board`."""

    def __init__(self, board: str, seed: int) -> None:
        now = monotonic()
        settings = WorldSettings(spills=(), steps_per_s=STEPS_PER_S)
        self.world = World(settings, [BodySpec(NAME, "r2", 1)], seed, now)
        self.airs: Any = None  # no board's emulator listens to any
        self.numbers: Mapping[str, int] = {NAME: 1}
        self.board = board
        self.emulated = emulations().boards[board]
        self.emulator: Any = self.emulated.emulator(self, NAME, now)
        driver, self.end = self.emulated.driver(self, NAME), CuttingEnd()
        self.baud: int = driver.line.baud
        self.halt: bytes = driver.halt

    def speed(self, now: float) -> float:
        """The faster wheel's, m/s."""
        self.world.advance(now)
        return max(abs(speed) for speed in self.world.wheel_speeds(NAME))

    def commanded(self, now: float) -> float:
        """What the board commands the faster motor, m/s."""
        left, right = self.emulator.body.driven(now)
        return max(abs(float(left)), abs(float(right)))

    @contextlib.contextmanager
    def files(self, deed: str) -> Iterator[Path]:
        """A folder with the robot's files, its behavior doing a `deed` once there is a file `sign` in it.

        Its name is short, as a socket's path holds 107 bytes.
        """
        with tempfile.TemporaryDirectory(prefix="robotd-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            for file, data in (("mission", _mission(folder, deed)), ("robot", self._robot())):
                (folder / f"{file}.toml").write_text(tomli_w.dumps(data), encoding="utf-8")
            yield folder

    def _robot(self) -> dict[str, Any]:
        parameters = self.emulated.parameters(self, NAME)
        return {
            "name": NAME, "mission": "mission.toml", "start": "at-boot",
            "board": {"name": self.board, "port": self.end.path, "parameters": parameters},
            "radio": {"name": "none"}, "http": {"enabled": False}, "log": {"folder": "none"},
        }  # fmt: skip


def _mission(folder: Path, deed: str) -> dict[str, Any]:
    motivation = {"slow_rate": 0.01, "fast_rate": 0.02, **dict.fromkeys(TIMES, 900.0)}
    return {
        "name": "stop", "coordinator": {"name": COORDINATOR},
        "plugins": [str(Path(__file__).with_name("saboteur.py"))],
        "team": {NAME: {"number": 1, "type": "r2"}}, "tasks": {"rest": {"number": 1}},
        "layers": {"saboteur": {"parameters": {"deed": deed, "sign": str(folder / "sign")}}},
        "sets": {"patrol": {"task": "rest", "motivation": motivation}},
    }  # fmt: skip
