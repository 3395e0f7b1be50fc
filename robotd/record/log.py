"""A run log: JSON Lines. Part lines (objects) hold all that replay needs; rows (lists) are ticks."""

import contextlib
import errno
import fcntl
import json
import math
import platform
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from pydantic_core import PydanticSerializationError, to_json

from robotd.model.choice import Decision
from robotd.model.command import Command
from robotd.model.inputs import Inputs
from robotd.model.plain import Json
from robotd.model.statements import Heard, Sent
from robotd.record.rows import COLUMNS, RowWriter

FORMAT = 4
LIKE_ROWS = 1, 2, 3, FORMAT  # formats whose rows can be read
PART_BYTES = 8_000_000  # what a reader that wants the middle has to skip at most
LOST_S = 60.0  # a behavior that raises at every other tick makes sixty files an hour, not 36,000


class Sink(Protocol):
    """Where the lines of a run log go."""

    def write(self, line: str) -> None:
        """Take one line, without its end. Never raises: a full disk costs the log, not the robot."""


class Freezes(Protocol):
    """Anything whose whole state a part line holds."""

    def freeze(self) -> Json: ...


def libraries() -> dict[str, str]:
    """The versions on which real numbers may depend in their last bit."""
    machine = f"{platform.machine()} {_processor()}".strip()
    versions = {"robotd": version("robotd"), "python": platform.python_version(), "numpy": version("numpy")}
    return {**versions, "machine": machine}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


_encoder = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, check_circular=False)


def dumps(data: Any) -> str:
    """One line of JSON, as short as it gets; TypeError where JSON has no such thing."""
    return _encoder.encode(data)


def row_line(row: list[Any]) -> str:
    """A tick's row in a fifth of the time of `dumps`; it reads the same, though numbers may be spelt otherwise.

    What a plug-in states that JSON has not is a TypeError here or in `RowWriter`, but for bytes, sets, complex
    numbers and causes, of which text or a list is written.
    """
    try:
        return to_json(row, inf_nan_mode="constants").decode()
    except PydanticSerializationError:  # a lone surrogate, which `dumps` can write, or what neither can
        return dumps(row)


class RunLog:
    """The log of the robots that are registered with it: one on a robot, the whole team in a simulation.

    Without a sink nothing is recorded, and no row is made.
    """

    def __init__(
        self, sink: Sink | None, about: Mapping[str, Any], part_bytes: int = PART_BYTES,
        utc: Callable[[], str] = str,
    ) -> None:  # fmt: skip
        """`utc` gives the date and time of each part, '' where it is not known, or is not to be there."""
        self._utc = utc
        self._sink, self._about, self._part_bytes = sink, dict(about), part_bytes
        self._robots: dict[str, tuple[Freezes, RowWriter]] = {}
        self._written = part_bytes  # so that the first row begins a part
        self._lost, self._lost_at, self._begun_at = False, -math.inf, 0.0  # a tick was; when that began a part
        self._skips, self._part = False, 0
        self._begun = ""  # a part line, written with what first follows it: a tick that raises leaves none
        self._early: list[str] = []  # what happened before the first part, which comes first in a log

    def register(self, robot: str, mind: Freezes) -> None:
        """Let `robot`'s ticks be recorded; a rebooted robot registers again, which begins a part."""
        self._robots[robot] = (mind, RowWriter(robot))
        self.begin_part()

    def begin_part(self) -> None:
        """Lines were lost: the next tick begins a part, so that a replay takes up the states as they then are."""
        self._written, self._begun = self._part_bytes, ""

    def restart(self, now: float) -> None:
        """A tick was lost at `now` (s): the next one begins a part.

        Where those of a single robot are lost again and again, parts begin `LOST_S` apart, and no rows are
        recorded between. Where the very first is lost, its part is there all the same, for what is noted of it.
        """
        if self._part == 0 and self._sink is not None:
            with contextlib.suppress(Exception):  # of the states of a plug-in that is broken
                self.begin_tick(now)
            self._put_begun()
        self.begin_part()
        self._lost = True

    def begin_tick(self, now: float) -> None:
        """Called before a tick thinks: begins a part where one is due, while all states are those before it."""
        if self._written < self._part_bytes or self._sink is None:
            return
        self._skips = self._lost and len(self._robots) == 1 and now < self._lost_at + LOST_S
        if self._skips:
            return
        self._begun_at = now
        for _, writer in self._robots.values():
            writer.restart()
        self._written = 0
        frozen = {robot: mind.freeze() for robot, (mind, _) in sorted(self._robots.items())}
        head = {"part": self._part, "format": FORMAT, "now": now, "columns": COLUMNS}
        utc = {"utc": now_utc} if (now_utc := self._utc()) else {}
        self._begun = dumps({**head, **utc, **self._about, "libraries": libraries(), "frozen": frozen})

    def tick(
        self, robot: str, i: Inputs, heard: tuple[Heard, ...], sent: tuple[Sent, ...], decision: Decision,
        driven: Command,
    ) -> None:  # fmt: skip
        """Record one finished tick."""
        if self._sink is not None and not self._skips:
            self._write(row_line(self._robots[robot][1].row(i, heard, sent, decision, driven)))

    def note(self, kind: str, **fields: Any) -> None:
        """Record something that is no tick: an event of a simulation, its end."""
        if self._sink is None:
            return
        line = dumps({kind: fields})
        if self._part == 0 and not self._begun:
            self._early.append(line)
        else:
            self._write(line)

    def _write(self, line: str) -> None:
        self._put_begun()
        self._put(line)

    def _put_begun(self) -> None:
        """The line of a part that has begun, if there is one, and what waits for the first."""
        if not self._begun:
            return
        self._put(self._begun)
        self._begun, self._part = "", self._part + 1
        if self._lost:
            self._lost, self._lost_at = False, self._begun_at
        for early in self._early:
            self._put(early)
        self._early = []

    def _put(self, line: str) -> None:
        assert self._sink is not None
        self._written += len(line) + 1
        self._sink.write(line)


class FileSink:
    """A file that is written as it comes, for simulations; OSError (EBUSY) while another run writes it."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        # A lone surrogate (a device's name that is no UTF-8, say) is written as JSON's own escape of it.
        self._file = path.open("a", encoding="utf-8", errors="backslashreplace", buffering=1 << 20)
        if not path.is_file():  # a pipe, or /dev/null
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise OSError(errno.EBUSY, "another run writes it", str(path)) from None
        self._file.truncate(0)

    def write(self, line: str) -> None:
        """See `Sink.write`; OSError where a simulation cannot write its log."""
        self._file.write(line + "\n")

    def close(self) -> None:
        """Everything is in the file."""
        self._file.close()


def about_run(
    mission: Mapping[str, Any], digest: int, seed: int | None, robots: Mapping[str, Any]
) -> dict[str, Any]:
    """What every part states of its run: the mission file's content, and each robot's own settings."""
    return {"mission": dict(mission), "digest": digest, "seed": seed, "robots": dict(robots)}
