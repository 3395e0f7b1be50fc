"""The files of an experiment: each is replaced as a whole, and the same rows give the same bytes."""

from __future__ import annotations

import csv
import glob
import io
import os
from collections.abc import Sequence
from pathlib import Path

from robotd.experiments.summary import COLUMNS as SUMMARY
from robotd.experiments.summary import RunRow, Value

HEAD = ("cell", "run", "seed")


def columns_of(rows: Sequence[RunRow], first: Sequence[str]) -> list[str]:
    """`first`, then the other columns of the rows, sorted."""
    known = set(first)
    return [*first, *sorted({name for row in rows for name in row if name not in known})]


def write_runs(path: Path, rows: Sequence[RunRow], columns: Sequence[str]) -> None:
    """runs.csv: a line for each run; OSError where it cannot be written."""
    write_text(path, csv_of(rows, columns_of(rows, (*HEAD, *columns))))


def write_summary(path: Path, rows: Sequence[RunRow]) -> None:
    """summary.csv; OSError where it cannot be written."""
    first = [name for name in SUMMARY if any(name in row for row in rows)]
    write_text(path, csv_of(rows, columns_of(rows, first)))


def csv_of(rows: Sequence[RunRow], columns: Sequence[str]) -> str:
    """The rows as CSV (RFC 4180, but lines end with LF); true and false as in JSON."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([format_field(row[name]) if name in row else "" for name in columns])
    return out.getvalue()


def format_field(value: Value) -> str:
    """A field's text."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def write_text(path: Path, text: str) -> None:
    """Put `text` in the place of the file at `path`, all of it or nothing; OSError."""
    draft = draft_of(path)
    try:
        with draft.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def draft_of(path: Path) -> Path:
    """What this process writes until it is whole and takes the place of the file at `path`."""
    return path.with_name(f"{path.name}.{os.getpid()}")


def remove_drafts(path: Path) -> None:
    """Remove what killed processes have left of drafts of the file at `path`; OSError."""
    for draft in path.parent.glob(f"{glob.escape(path.name)}.*"):
        draft.unlink(missing_ok=True)
