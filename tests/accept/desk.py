"""What checks work with: a folder, commands, simulations side by side, and what an earlier try found already."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from robotd.timing.clock import monotonic

ROOT = Path(__file__).parents[2]
ROOMS = ("robotd", "boards", "radio", "behaviors", "motivation", "tests")
SOURCES = (*ROOMS, "packaging", "pyproject.toml", "Makefile")
LONG_S = 1800.0  # no command of an acceptance takes longer, however loaded the machine
KEPT = 400  # characters of a failed command's messages
T = TypeVar("T")


class CommandError(Exception):
    """A command ended as it should not; the text has which, how, and its last messages."""


@dataclass(frozen=True)
class Ran:
    """A command that has ended."""

    words: Sequence[str]
    code: int
    out: str
    err: str
    seconds: float

    def document(self) -> Any:
        try:
            return json.loads(self.out)
        except ValueError:
            raise self.failed("no JSON on standard output") from None

    def failed(self, why: str = "") -> CommandError:
        last = (self.err.strip() or self.out.strip())[-KEPT:]
        return CommandError(f"{why or 'failed'}: {' '.join(self.words)!s:.200} ended with {self.code}: {last}")

    def checked(self, *codes: int) -> Ran:
        """Itself; CommandError where it ended with another status than these, by default 0."""
        if self.code not in (codes or (0,)):
            raise self.failed()
        return self


class Desk:
    """`folder` holds what is written; `quick` asks for fewer cases; at most `jobs` simulations run at once."""

    def __init__(self, folder: Path, *, quick: bool = False, jobs: int = 2, resume: bool = False) -> None:
        self.folder, self.quick, self.jobs = folder, quick, jobs
        self.report: Callable[[str], None] = lambda text: None
        self._code = digest()
        self._state = folder / "state.jsonl"
        self._lock = threading.Lock()
        self._kept: dict[str, Any] = self._read() if resume else {}
        folder.mkdir(parents=True, exist_ok=True)

    def _read(self) -> dict[str, Any]:
        """What was found by the very same code; a last line that an interruption cut is left out."""
        text = self._state.read_text(encoding="utf-8") if self._state.exists() else ""
        entries = [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
        return {entry["key"]: entry["value"] for entry in entries if entry["code"] == self._code}

    @property
    def changed(self) -> bool:
        return digest() != self._code

    def fewer(self, full: int, quick: int) -> int:
        return quick if self.quick else full

    def seeds(self, full: int, quick: int) -> range:
        return range(1, self.fewer(full, quick) + 1)

    def kept(self, key: str, make: Callable[[], T]) -> T:
        """The value (plain JSON) of `key`, made only where an earlier try with the same code has not made it."""
        with self._lock:
            if key in self._kept:
                kept: T = self._kept[key]
                return kept
        value = make()
        self.keep(key, value)
        return value

    def found(self, key: str) -> Any:
        return self._kept.get(key)

    def keep(self, key: str, value: Any) -> None:
        """Keep plain JSON under `key`, for this try and for one that takes up where it ended."""
        with self._lock, self._state.open("a", encoding="utf-8") as file:
            self._kept[key] = value
            file.write(json.dumps({"key": key, "code": self._code, "value": value}) + "\n")

    def each(self, items: Sequence[Any], work: Callable[[Any], T]) -> list[T]:
        """`work` done on each item, `jobs` at once, in the order of the items."""
        values: list[T] = []
        with ThreadPoolExecutor(self.jobs) as pool:
            for value in pool.map(work, items):
                values.append(value)
                self.report(f"{len(values)} of {len(items)}")
        return values

    def run(
        self, *words: str | Path, cwd: Path = ROOT, env: Mapping[str, str] | None = None, timeout_s: float = LONG_S
    ) -> Ran:
        """Run a command to its end; `env` replaces the environment. CommandError if it takes too long."""
        texts, start = [str(word) for word in words], monotonic()
        try:
            done = subprocess.run(
                texts, cwd=cwd, env=env, timeout=timeout_s, stdin=subprocess.DEVNULL, capture_output=True,
                text=True,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise CommandError(f"{' '.join(texts):.200} took more than {timeout_s:g} s") from None
        return Ran(texts, done.returncode, done.stdout, done.stderr, monotonic() - start)

    def robotd(self, *words: str | Path, env: Mapping[str, str] | None = None, timeout_s: float = LONG_S) -> Ran:
        command = (sys.executable, "-m", "robotd", *words)
        return self.run(*command, env={**os.environ, **(env or {})}, timeout_s=timeout_s)

    def sim(self, *words: str | Path) -> dict[str, Any]:
        """The object that `robotd sim ... --json` prints; CommandError where it prints none."""
        outcome: dict[str, Any] = self.robotd("sim", *words, "--json").checked(0, 1).document()
        return outcome


def undisturb(pid: int) -> None:
    """Let no less urgent process delay this one and those that it starts, where that is permitted.

    It is for programs that stand for a computer, or a device, of their own.
    """
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(pid, os.SCHED_RR, os.sched_param(1))


def digest() -> str:
    found = hashlib.blake2s(digest_size=8)
    for source in SOURCES:
        path = ROOT / source
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            if file.suffix in (".py", ".toml", ".service", "") and file.is_file():
                found.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes())
    return found.hexdigest()
