"""What a trial needs beside the robot's processes: a body, an emulated board on a pty, and the robot's files."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import tomli_w

from boards.mock.bodies import BodySpec
from boards.mock.settings import WorldSettings
from boards.mock.world import World
from robotd.experiments.stop.cutting import CuttingEnd
from robotd.sim.emulated import BOARDS
from robotd.timing.clock import monotonic

NAME = "amber"
COORDINATOR = "alliance"
STEPS_PER_S = 200  # of the world, whose clock tells when the wheels stand
TIMES = ("patience_s", "yield_time_s", "give_up_time_s")


class Stage:
    """A room with nothing in it but one robot; a `EmulationContext` for the emulator of its `board`."""

    def __init__(self, board: str, seed: int) -> None:
        now = monotonic()
        settings = WorldSettings(spills=(), steps_per_s=STEPS_PER_S)
        self.world = World(settings, [BodySpec(NAME, "r2", 1)], seed, now)
        self.airs: Any = None  # no board's emulator listens to any
        self.numbers: Mapping[str, int] = {NAME: 1}
        self.board = board
        self.emulated = BOARDS[board]
        self.emulator: Any = self.emulated.emulator(self, NAME, now)
        driver = self.emulated.driver(self, NAME)
        self.baud: int = driver.line.baud
        self.halt: bytes = driver.halt
        self.end = CuttingEnd()

    def speed(self, now: float) -> float:
        """The faster wheel's, m/s."""
        self.world.advance(now)
        return max(abs(speed) for speed in self.world.wheel_speeds(NAME))

    def told(self, now: float) -> float:
        """What the faster motor is told, m/s."""
        left, right = self.emulator.body.driven(now)
        return max(abs(float(left)), abs(float(right)))

    @contextlib.contextmanager
    def files(self, deed: str) -> Iterator[Path]:
        """A folder with the robot's files, its behavior doing a `deed` once there is a file `sign` in it.

        Its name is short, as a socket's path holds 107 bytes.
        """
        folder = Path(tempfile.mkdtemp(prefix="robotd-"))
        try:
            for name, data in (("mission", _mission(folder, deed)), ("robot", self._robot())):
                (folder / f"{name}.toml").write_text(tomli_w.dumps(data), encoding="utf-8")
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _robot(self) -> dict[str, Any]:
        parameters = self.emulated.parameters(self, NAME)
        return {
            "name": NAME,
            "mission": "mission.toml",
            "start": "at-boot",
            "board": {"name": self.board, "port": self.end.path, "parameters": parameters},
            "radio": {"name": "none"},
            "http": {"enabled": False},
            "log": {"folder": "none"},
        }


def _mission(folder: Path, deed: str) -> dict[str, Any]:
    """A task that the robot never gets to, and a layer that turns it on the spot."""
    motivation = {"slow_rate": 0.01, "fast_rate": 0.02, **dict.fromkeys(TIMES, 900.0)}
    return {
        "name": "stop",
        "coordinator": {"name": COORDINATOR},
        "plugins": [str(Path(__file__).with_name("saboteur.py"))],
        "team": {NAME: {"number": 1, "type": "r2"}},
        "tasks": {"rest": {"number": 1}},
        "layers": {"saboteur": {"parameters": {"deed": deed, "sign": str(folder / "sign")}}},
        "sets": {"patrol": {"task": "rest", "motivation": motivation}},
    }
