"""The finished runs of an experiment in its folder: what a kill or a power cut leaves is enough to go on.

A journal is JSON Lines: first whose runs these are, then a line for each finished job, on the disk before the next
one is counted. A last line that was cut is dropped. Every share of the work has a journal of its own, so that
folders of several machines merge by copying.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robotd.experiments.contract import Row
from robotd.experiments.plan import Done, Job, Key, Shard

WRITES = ("runs.csv", "summary.csv", "report.html")
WORDS = {
    "experiment": "another experiment",
    "digest": "the same experiment with other files or parameters",
    "seed": "another seed",
    "code": "another version of the code",
    "libraries": "other versions of Python, libraries or processor",
}


class FolderError(ValueError):
    """A folder that cannot be used; the message says why, and what to do."""


class Journal:
    """The rows of the folder's journals, and the end of that of one share, to which rows are appended."""

    def __init__(self, folder: Path, identity: Mapping[str, Any], shard: Shard, limit_s: float) -> None:
        """`limit_s`: real time that a job may take, s: who was killed after less is not finished. FolderError."""
        self.rows: dict[Key, Row] = {}
        self._limit_s = limit_s
        self.timed_runs, self.cpu_s = 0, 0.0  # how many runs took how much processor time altogether, s
        found = sorted(folder.glob("journal*.jsonl"))
        strange = next((name for name in WRITES if (folder / name).exists()), "")
        if not found and strange:
            raise FolderError(
                f"{folder / strange}: no experiment has written this; choose another folder with --out"
            )
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"journal{f'-{shard.name}' if shard.name else ''}.jsonl"
        self._file = path.open("a+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise FolderError(f"{folder}: this experiment is running already, in the same folder") from None
        try:
            for other in found:
                self._read(other, identity)
            self._continue(path, identity)
        except BaseException:
            self._file.close()
            raise

    def append(self, job: Job, done: Done) -> None:
        """The rows of a finished job are safe when this returns; ValueError for what JSON does not keep."""
        if len(done.rows) != len(job.runs):
            raise ValueError(f"{job.cell.name}: {len(done.rows)} rows for {len(job.runs)} runs")
        entry = {"cell": job.cell.name, "runs": job.runs, "rows": [dict(row) for row in done.rows]}
        times = {"cpu_s": done.cpu_s, **({"late_s": done.late_s} if done.late_s else {})}
        line = json.dumps({**entry, **times}, allow_nan=False) + "\n"
        self._file.write(line.encode())
        self._sync()
        self._take(json.loads(line))

    def close(self) -> None:
        """Nothing more is appended."""
        self._file.close()

    def _read(self, path: Path, identity: Mapping[str, Any]) -> None:
        lines = _whole_lines(path.read_bytes())
        if not lines:
            return
        try:
            kept = json.loads(lines[0])["journal"]
            differs = [WORDS[key] for key in WORDS if kept[key] != identity[key]]
        except (ValueError, KeyError, TypeError):
            raise FolderError(
                f"{path}: no experiment has written this; choose another folder with --out"
            ) from None
        if differs:
            what = f"{differs[0]} ({kept['experiment']}, seed {kept['seed']})"
            raise FolderError(f"{path.parent}: holds the runs of {what}; choose another folder with --out")
        for number, line in enumerate(lines[1:], 2):
            try:
                self._take(json.loads(line))
            except (ValueError, KeyError, TypeError):
                raise FolderError(
                    f"{path}:{number}: no finished run stands there; delete the line, and its runs are done again"
                ) from None

    def _continue(self, path: Path, identity: Mapping[str, Any]) -> None:
        """Cut off what an interruption left of a line, and begin where there is nothing."""
        whole = b"".join(_whole_lines(path.read_bytes()))
        self._file.truncate(len(whole))
        if not whole:
            self._file.write((json.dumps({"journal": dict(identity)}) + "\n").encode())
        self._sync()
        folder = os.open(path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)

    def _take(self, entry: Mapping[str, Any]) -> None:
        for run, row in zip(entry["runs"], entry["rows"], strict=True):
            key = entry["cell"], run
            if "late_s" not in entry:
                self.rows[key] = row
            elif entry["late_s"] >= self._limit_s:
                self.rows.setdefault(key, row)
        cpu_s = entry["cpu_s"]
        if cpu_s > 0.0:
            self.timed_runs += len(entry["runs"])
            self.cpu_s += cpu_s

    def _sync(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())


def _whole_lines(data: bytes) -> list[bytes]:
    return [line for line in data.splitlines(keepends=True) if line.endswith(b"\n")]
