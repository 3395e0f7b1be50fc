"""Files that are replaced as a whole, and tables as CSV (RFC 4180, but lines end with LF), written row by row."""

import contextlib
import csv
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any


def draft_of(path: Path) -> Path:
    """What this process writes until it is whole and takes the place of the file at `path`."""
    return path.with_name(f"{path.name}.{os.getpid()}")


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[str]]:
    """A text file that takes the place of the one at `path` when all is written, or not at all; OSError."""
    draft = draft_of(path)
    try:
        with draft.open("w+", encoding="utf-8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


class CsvTable:
    """A table in a file: the columns `first`, then the others, sorted; what a row lacks is an empty field.

    Rows are not kept. Where a later one brings a column, all are written once more when the table is finished.
    """

    def __init__(self, file: IO[str], first: Sequence[str]) -> None:
        self.count = 0
        self._file, self._first = file, first
        self._columns: list[str] = []
        self._head: list[str] = []  # as it is in the file
        self._known: set[str] = set()
        self._writer = csv.writer(file, lineterminator="\n")

    def append(self, row: Mapping[str, Any]) -> None:
        """Write a row more; true and false as in JSON, None as an empty field."""
        if not self._columns:
            self._begin(self._sorted(row))
        elif not self._known.issuperset(row):
            self._columns += sorted(row.keys() - self._known)
            self._known.update(row)
        self._writer.writerow([_field(row.get(name)) for name in self._columns])
        self.count += 1

    def finish(self) -> None:
        """Nothing is appended any more: put the columns in their order."""
        final = self._sorted(self._columns)
        if not self._columns:
            self._begin(final)
        elif self._head != final:
            self._write_again(final)

    def _sorted(self, names: Iterable[str]) -> list[str]:
        return [*self._first, *sorted(set(names) - set(self._first))]

    def _begin(self, columns: list[str]) -> None:
        self._columns, self._head, self._known = columns, list(columns), set(columns)
        self._writer.writerow(columns)

    def _write_again(self, final: list[str]) -> None:
        order = [self._columns.index(name) for name in final]
        with tempfile.TemporaryFile(
            "w+", encoding="utf-8", newline="", dir=Path(self._file.name).parent
        ) as earlier:
            self._file.seek(0)
            shutil.copyfileobj(self._file, earlier)
            earlier.seek(0)
            rows = csv.reader(earlier)
            next(rows)  # the columns that the first row had
            self._file.seek(0)
            self._file.truncate()
            self._writer.writerow(final)
            for row in rows:
                self._writer.writerow([row[k] if k < len(row) else "" for k in order])


@contextlib.contextmanager
def csv_table(path: Path, first: Sequence[str]) -> Iterator[CsvTable]:
    """A table that takes the place of the file at `path` when all of it is written, or not at all; OSError."""
    with replacing(path) as file:
        table = CsvTable(file, first)
        yield table
        table.finish()


def write_table(path: Path, rows: Iterable[Mapping[str, Any]], first: Sequence[str]) -> None:
    """Rows as a table in the file at `path`; OSError where it cannot be written."""
    with csv_table(path, first) as table:
        for row in rows:
            table.append(row)


def _field(value: object) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
