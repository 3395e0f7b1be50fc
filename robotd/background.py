"""Writing to disks off the event loop: a disk that is slow, full or read-only must never hold up a tick."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO

from robotd.model.plain import Json
from robotd.store import FileStore

FLUSH_S = 1.0  # a power cut loses at most this much of the log
ROOM = 20_000  # lines that wait for a slow disk, some ten minutes; more are dropped, and said
LEAVE_S = 1.5  # what closing may wait for a disk that hangs; the guardian gives two seconds


class Worker:
    """One thread that runs jobs in order. `trouble` is why the last one failed, '' after one that worked."""

    def __init__(self, name: str) -> None:
        self.trouble = ""
        self._jobs: queue.Queue[Callable[[], None] | None] = queue.Queue(ROOM)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def do(self, job: Callable[[], None]) -> bool:
        """Run `job` later; False if too much waits already."""
        try:
            self._jobs.put_nowait(job)
        except queue.Full:
            self.trouble = "the disk is too slow: lines were dropped"
            return False
        return True

    def close(self) -> None:
        """Finish what waits, within `LEAVE_S`."""
        self.do_last()
        self._thread.join(LEAVE_S)

    def do_last(self) -> None:
        """No more jobs come."""
        try:
            self._jobs.put_nowait(None)
        except queue.Full:
            return

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job()
            except OSError as error:
                self.trouble = error.strerror or str(error)
            else:
                self.trouble = ""


class BackgroundStore:
    """A `FileStore` whose `save` returns at once; `trouble` tells if saving fails."""

    def __init__(self, folder: Path) -> None:
        self._files = FileStore(folder)
        self._worker = Worker("store")

    @property
    def trouble(self) -> str:
        """Why documents cannot be saved now; '' if they can."""
        return self._worker.trouble

    def load(self, name: str) -> Json:
        """See `Store.load`; reads at once, for the start."""
        return self._files.load(name)

    def save_now(self, name: str, document: Json) -> None:
        """Save before returning, for the start; OSError."""
        self._files.save(name, document)

    def save(self, name: str, document: Json) -> None:
        """See `Store.save`, but later."""
        self._worker.do(lambda: self._files.save(name, document))

    def close(self) -> None:
        """Everything that waits is saved."""
        self._worker.close()


class LogFolder:
    """A run log's sink on a robot: one file per part, the oldest removed when all exceed `max_bytes`.

    Files are NAME-RUN-PART.jsonl with counted numbers, as no clock need be right. When the disk is full the
    log stops and `trouble` says so; once there is room again it goes on with the next part.
    """

    def __init__(self, folder: Path, robot: str, max_bytes: float) -> None:
        self._folder = folder
        self._robot = robot
        self._max_bytes = max_bytes
        self._worker = Worker("run-log")
        self._file: IO[str] | None = None
        self._part = -1
        self._lines: list[str] = []
        self._run = self._next_run()
        self.lost = False  # lines were lost: the log should begin a part as soon as it can write

    @property
    def trouble(self) -> str:
        """Why the log cannot be written now; '' if it can."""
        return self._worker.trouble

    def write(self, line: str) -> None:
        """See `Sink.write`; kept until the next `flush`."""
        self._lines.append(line)

    def flush(self) -> None:
        """Hand what came to the disk; call about every `FLUSH_S`."""
        lines, self._lines = self._lines, []
        if lines and not self._worker.do(lambda: self._put(lines)):
            self.lost = True

    def close(self) -> None:
        """Everything is on the disk, or will never be."""
        self.flush()
        self._worker.do(self._shut)
        self._worker.close()

    def _next_run(self) -> int:
        numbers = [path.stem.split("-")[-2] for path in self._folder.glob(f"{self._robot}-*-*.jsonl")]
        return 1 + max((int(number) for number in numbers if number.isdigit()), default=0)

    def _put(self, lines: list[str]) -> None:
        try:
            for line in lines:
                if line.startswith('{"part"'):
                    self._open()
                if self._file is not None:
                    self._file.write(line + "\n")
            if self._file is not None:
                self._file.flush()
        except OSError:
            self.lost = True
            self._shut()
            raise

    def _open(self) -> None:
        self._shut()
        self._folder.mkdir(parents=True, exist_ok=True)
        self._make_room()
        self._part += 1
        path = self._folder / f"{self._robot}-{self._run:06d}-{self._part:04d}.jsonl"
        self._file = path.open("w", encoding="utf-8")

    def _make_room(self) -> None:
        files = [(path, path.stat().st_size) for path in sorted(self._folder.glob(f"{self._robot}-*.jsonl"))]
        total = sum(size for _, size in files)
        for path, size in files:
            if total <= self._max_bytes:
                return
            path.unlink(missing_ok=True)
            total -= size

    def _shut(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError:  # what could not be written was told already
                return
