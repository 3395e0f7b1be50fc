"""Writing to disks off the event loop: a disk that is slow, full or read-only must never hold up a tick."""

import contextlib
import errno
import os
import queue
import re
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import IO

from robotd.model.plain import Json
from robotd.storage.store import FileStore, Store

FLUSH_S = 1.0  # a power cut loses at most this much of the log
ROOM = 20_000  # lines that wait for a slow disk, some ten minutes; more are dropped, which is `trouble`
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

    def close(self, leave_s: float = LEAVE_S) -> None:
        """Finish what waits, within `leave_s`."""
        self.do_last()
        self._thread.join(max(0.0, leave_s))

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
            except Exception as error:  # noqa: BLE001 - the thread lives on, whatever one job came to
                self.trouble = getattr(error, "strerror", None) or str(error) or type(error).__name__
            else:
                self.trouble = ""


class BackgroundStore(Store):
    """A `FileStore` whose `save` returns at once. Of each document only the newest waits for a slow disk."""

    def __init__(self, folder: Path) -> None:
        self._files = FileStore(folder)
        self.aside = self._files.aside
        self._worker = Worker("store")
        self._lock = threading.Lock()
        self._asked: Counter[str] = Counter()  # saves so far, by document
        self._done: Counter[str] = Counter()  # of these the newest that is on the disk
        self._waiting: dict[str, tuple[int, Json]] = {}
        self._failed: dict[str, str] = {}  # by document: why it could not be saved when that was last tried

    @property
    def trouble(self) -> str:
        """Why some document cannot be saved now; '' if all can."""
        with self._lock:
            return next(iter(self._failed.values()), self._worker.trouble)

    def is_pending(self, name: str) -> bool:
        """See `Store.is_pending`."""
        return self._asked[name] != self._done[name]

    def failure_of(self, name: str) -> str:
        """See `Store.failure_of`."""
        with self._lock:
            return self._failed.get(name, "")

    def load(self, name: str) -> Json:
        """See `Store.load`; reads at once, for the start."""
        return self._files.load(name)

    def set_aside(self, name: str, why: str) -> None:
        """See `Store.set_aside`; at once, for the start."""
        self._files.set_aside(name, why)

    def save_now(self, name: str, document: Json) -> None:
        """Save before returning, for the start; OSError, which is `trouble` too until a save works."""
        self._asked[name] += 1
        error = self._try(name, self._asked[name], document)
        if error is not None:
            raise error

    def save(self, name: str, document: Json) -> None:
        """See `Store.save`, but later; the caller looks at `is_pending`, and saves again after a failure."""
        self._asked[name] += 1
        with self._lock:
            self._waiting[name] = (self._asked[name], document)
        if not self._worker.do(lambda: self._write(name)):
            with self._lock:
                self._failed[name] = self._worker.trouble

    def _write(self, name: str) -> None:
        with self._lock:
            waiting = self._waiting.pop(name, None)
        if waiting is not None and self._try(name, *waiting) is not None:
            with self._lock:
                self._waiting.setdefault(name, waiting)  # there may be room at the end

    def _try(self, name: str, count: int, document: Json) -> OSError | None:
        """Save, and note the outcome; a failure of any kind is this document's own, and returned."""
        try:
            self._files.save(name, document)
        except Exception as error:  # noqa: BLE001 - as of a document that changes while it is written
            failure = error if isinstance(error, OSError) else OSError(errno.EINVAL, str(error))
            with self._lock:
                self._failed[name] = failure.strerror or str(failure)
            return failure
        with self._lock:
            self._failed.pop(name, None)
        self._done[name] = count
        return None

    def _write_rest(self) -> None:
        for name in tuple(self._waiting):
            self._write(name)

    def finish(self) -> None:
        """No more is saved: what waits, or could not be saved, goes to the disk while other things are closed."""
        self._worker.do(self._write_rest)
        self._worker.do_last()

    def close(self, leave_s: float = LEAVE_S) -> None:
        """Everything that waits is saved, or `leave_s` have passed."""
        self.finish()
        self._worker.close(leave_s)


class LogFolder:
    """A run log's sink on a robot: one file per part, the oldest removed before all exceed `max_bytes`.

    `part_bytes`: what the part that begins may become, which counts from its beginning.

    Files are NAME-RUN-PART.jsonl with counted numbers, as no clock need be right. When the disk is full the
    log stops and `trouble` says so; once there is room again it continues with the next part.
    """

    def __init__(self, folder: Path, robot: str, max_bytes: float, part_bytes: float = 0.0) -> None:
        self._folder = folder
        self._robot = robot
        self._max_bytes = max_bytes
        self._part_bytes = part_bytes
        self._worker = Worker("run-log")
        self._file: IO[str] | None = None
        self._path: Path | None = None  # of the last file opened
        self._why = OSError(0, "no part of the log has begun")  # while there is no file: why
        self._names = re.compile(rf"{re.escape(robot)}-(\d+)-\d+\.jsonl")  # of this robot's files, not blue-2's
        self._part = -1
        self._lines: list[str] = []
        self._run = self._next_run()
        self.lost = False  # lines were lost: the log should begin a part as soon as it can write

    @property
    def trouble(self) -> str:
        """Why the log cannot be written now; '' if it can."""
        return self._worker.trouble

    def write(self, line: str) -> None:
        """See `Sink.write`; kept until the next `flush`, which comes by itself where it is not asked for."""
        self._lines.append(line)
        if len(self._lines) >= ROOM:
            self.flush()

    def flush(self) -> None:
        """Hand what came to the disk; call about every `FLUSH_S`."""
        lines, self._lines = self._lines, []
        if lines and not self._worker.do(lambda: self._put(lines)):
            self.lost = True

    def finish(self) -> None:
        """No more is written: what came goes to the disk while other things are closed."""
        self.flush()
        self._worker.do(self._shut)
        self._worker.do_last()

    def close(self, leave_s: float = LEAVE_S) -> None:
        """Everything is on the disk, or will never be."""
        self.finish()
        self._worker.close(leave_s)

    def _own_files(self) -> list[tuple[int, Path]]:
        """This robot's logs as (run, file), the oldest first."""
        found = [(self._names.fullmatch(path.name), path) for path in sorted(self._folder.glob("*.jsonl"))]
        return sorted((int(name[1]), path) for name, path in found if name is not None)

    def _next_run(self) -> int:
        return 1 + max((run for run, _ in self._own_files()), default=0)

    def _put(self, lines: list[str]) -> None:
        try:
            for line in lines:
                if line.startswith('{"part"'):
                    self._open()
                if self._file is not None:
                    self._file.write(line + "\n")
            if self._file is None:
                raise self._why
            self._file.flush()
            os.fsync(self._file.fileno())  # else the kernel keeps it for half a minute
        except OSError as error:
            self.lost, self._why = True, error
            self._shut()
            self._forget_empty()
            raise

    def _open(self) -> None:
        self._shut()
        self._folder.mkdir(parents=True, exist_ok=True)
        self._make_room()
        path = self._folder / f"{self._robot}-{self._run:06d}-{self._part + 1:04d}.jsonl"
        # A lone surrogate (a device's name that is no UTF-8, say) is written as JSON's own escape of it.
        self._file = path.open("w", encoding="utf-8", errors="backslashreplace")
        self._path, self._part = path, self._part + 1

    def _forget_empty(self) -> None:
        """A full disk takes names and no bytes: such a file goes, lest every try leave one."""
        with contextlib.suppress(OSError):
            if self._path is not None and self._path.stat().st_size == 0:
                self._path.unlink()
                self._part -= 1

    def _make_room(self) -> None:
        files = [(path, path.stat().st_size) for _, path in self._own_files()]
        total = sum(size for _, size in files)
        for path, size in files:
            if total <= self._max_bytes - self._part_bytes:
                return
            path.unlink(missing_ok=True)
            total -= size

    def _shut(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError:  # what could not be written was reported already
                return
