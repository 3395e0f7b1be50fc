"""What checks work with: a folder, commands, simulations side by side, and what an earlier try found already."""

from __future__ import annotations

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
SAID = 400  # characters of what a failed command said that are kept
T = TypeVar("T")


class CommandError(Exception):
    """A command ended as it should not; the text says which, how, and the last that it said."""


@dataclass(frozen=True)
class Ran:
    """A command that has ended."""

    words: Sequence[str]
    code: int
    out: str
    err: str
    seconds: float

    def document(self) -> Any:
        """What it printed as JSON."""
        try:
            return json.loads(self.out)
        except ValueError:
            raise self.failed("no JSON on standard output") from None

    def failed(self, why: str = "") -> CommandError:
        """What to raise about it."""
        said = (self.err.strip() or self.out.strip())[-SAID:]
        return CommandError(f"{why or 'failed'}: {' '.join(self.words)!s:.200} ended with {self.code}: {said}")


class Desk:
    """`folder` holds what is written; `quick` asks for fewer cases; at most `jobs` simulations run at once."""

    def __init__(self, folder: Path, *, quick: bool = False, jobs: int = 2, resume: bool = False) -> None:
        self.folder = folder
        self.quick = quick
        self.tell: Callable[[str], None] = lambda text: None
        self.jobs = jobs
        self._code = digest()
        self._state = folder / "state.jsonl"
        self._kept: dict[str, Any] = {}
        self._lock = threading.Lock()
        if resume:
            self._kept = self._read()
        folder.mkdir(parents=True, exist_ok=True)

    def _read(self) -> dict[str, Any]:
        """What was found by the very same code; a last line that an interruption cut is left out."""
        if not self._state.exists():
            return {}
        lines = self._state.read_text(encoding="utf-8").splitlines(keepends=True)
        entries = [json.loads(line) for line in lines if line.endswith("\n")]
        return {entry["key"]: entry["value"] for entry in entries if entry["code"] == self._code}

    @property
    def changed(self) -> bool:
        """True if the code is no longer what it was at the start."""
        return digest() != self._code

    def fewer(self, full: int, quick: int) -> int:
        """How many cases to try."""
        return quick if self.quick else full

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
        """What is kept under `key`, None where nothing is."""
        with self._lock:
            return self._kept.get(key)

    def keep(self, key: str, value: Any) -> None:
        """Keep plain JSON under `key`, for this try and for one that takes up where it ended."""
        with self._lock, self._state.open("a", encoding="utf-8") as file:
            self._kept[key] = value
            file.write(json.dumps({"key": key, "code": self._code, "value": value}) + "\n")

    def each(self, items: Sequence[Any], work: Callable[[Any], T]) -> list[T]:
        """`work` done on each item, `jobs` at once, in the order of the items."""
        done = 0

        def one(item: Any) -> T:
            nonlocal done
            value = work(item)
            with self._lock:
                done += 1
                self.tell(f"{done} of {len(items)}")
            return value

        with ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(one, items))

    def run(
        self,
        *words: str | Path,
        cwd: Path = ROOT,
        env: Mapping[str, str] | None = None,
        timeout_s: float = LONG_S,
    ) -> Ran:
        """Run a command to its end; `env` replaces the environment. CommandError if it takes too long."""
        texts = [str(word) for word in words]
        start = monotonic()
        try:
            done = subprocess.run(
                texts,
                cwd=cwd,
                env=env,
                timeout=timeout_s,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
            )
        except subprocess.TimeoutExpired:
            raise CommandError(f"{' '.join(texts):.200} took more than {timeout_s:g} s") from None
        return Ran(texts, done.returncode, done.stdout, done.stderr, monotonic() - start)

    def robotd(self, *words: str | Path, env: Mapping[str, str] | None = None, timeout_s: float = LONG_S) -> Ran:
        """Run `robotd` of this tree; `env` is laid over the environment."""
        command = (sys.executable, "-m", "robotd", *words)
        return self.run(*command, env={**os.environ, **(env or {})}, timeout_s=timeout_s)

    def sim(self, *words: str | Path, env: Mapping[str, str] | None = None) -> dict[str, Any]:
        """The object that `robotd sim ... --json` prints; CommandError where it prints none."""
        ran = self.robotd("sim", *words, "--json", env=env)
        if ran.code not in (0, 1):
            raise ran.failed()
        outcome: dict[str, Any] = ran.document()
        return outcome


def digest() -> str:
    """A short name of the code as it is now."""
    found = hashlib.blake2s(digest_size=8)
    for source in SOURCES:
        path = ROOT / source
        files = [path] if path.is_file() else sorted(path.rglob("*"))
        for file in files:
            if file.suffix in (".py", ".toml", ".service", "") and file.is_file():
                found.update(str(file.relative_to(ROOT)).encode() + b"\0" + file.read_bytes())
    return found.hexdigest()
