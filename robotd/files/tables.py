"""Files that are replaced as a whole, and tables in them as CSV (RFC 4180, but lines end with LF)."""

import contextlib
import csv
import os
import pickle
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any

from robotd.files.refusal import refuse_unwritten

BATCH = 2_000  # rows of a table that are in memory at once


def draft_of(path: Path) -> Path:
    """What this process writes until it is whole and takes the place of the file at `path`."""
    return path.with_name(f"{path.name}.{os.getpid()}")


@contextlib.contextmanager
def drafted(path: Path) -> Iterator[Path]:
    """A file to write, which takes the place of the one at `path` in the end, or not at all; OSError."""
    draft = draft_of(path)
    try:
        yield draft
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[str]]:
    """A text file that takes the place of the one at `path` when all is written, or not at all; OSError."""
    with drafted(path) as draft, draft.open("w", encoding="utf-8", newline="") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


class Rows:
    """The rows of a table whose columns are known in the end: `first`, then in the order in which rows bring them.

    But for the last ones they are kept in a file in `folder`, without a name. That is made, and the folder, when
    there are more than `BATCH`; Refusal where it cannot be written.
    """

    def __init__(self, folder: Path, first: Sequence[str]) -> None:
        self.count, self.first, self.columns = 0, first, dict.fromkeys(first)
        self._folder = folder
        self._last: list[Mapping[str, Any]] = []
        self._file: IO[bytes] | None = None

    def append(self, row: Mapping[str, Any]) -> None:
        """Take a row more, which is not changed afterwards."""
        if len(self._last) == BATCH:
            self._put_aside()
        if not self.columns.keys() >= row.keys():
            self.columns |= dict.fromkeys(row)
        self._last.append(row)
        self.count += 1

    def batches(self) -> Iterator[Sequence[Mapping[str, Any]]]:
        """All rows, at most `BATCH` at a time; when all are appended, and as often as it takes."""
        if self._file is not None:
            self._file.seek(0)
            for _ in range((self.count - 1) // BATCH):
                yield pickle.load(self._file)  # noqa: S301 - this process wrote it
        yield self._last

    def close(self) -> None:
        """Nothing is read any more."""
        if self._file is not None:
            self._file.close()

    def _put_aside(self) -> None:
        with refuse_unwritten(self._folder, "folder"):
            if self._file is None:
                self._folder.mkdir(parents=True, exist_ok=True)
                self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - until `close`
            pickle.dump(self._last, self._file)
        self._last = []


def write_csv(path: Path, rows: Rows) -> None:
    """A table as CSV: columns `first`, then the others, sorted; what a row lacks is an empty field. OSError."""
    _write(path, chain.from_iterable(rows.batches()), rows.first, rows.columns)


def write_table(path: Path, rows: Sequence[Mapping[str, Any]], first: Sequence[str]) -> None:
    """The same of rows in memory."""
    _write(path, rows, first, {name for row in rows for name in row})


def _write(path: Path, rows: Iterable[Mapping[str, Any]], first: Sequence[str], names: Iterable[str]) -> None:
    columns = [*first, *sorted(set(names) - set(first))]
    with replacing(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_field(row.get(name)) for name in columns] for row in rows)


def _field(value: object) -> str:
    """True and false as in JSON, None as an empty field."""
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
