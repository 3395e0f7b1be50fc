"""The files of an experiment: each is replaced as a whole, and the same rows give the same bytes."""

from __future__ import annotations

import csv
import glob
import io
import os
from collections.abc import Sequence
from pathlib import Path

from robotd.experiments.summary import RunRow


def write_table(path: Path, rows: Sequence[RunRow], first: Sequence[str]) -> None:
    """The rows as CSV: the columns `first`, then the others, sorted; OSError where it cannot be written."""
    columns = [*first, *sorted({name for row in rows for name in row} - set(first))]
    write_text(path, csv_of(rows, columns))


def csv_of(rows: Sequence[RunRow], columns: Sequence[str]) -> str:
    """The rows as CSV (RFC 4180, but lines end with LF); true and false as in JSON."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        fields = (row.get(name, "") for name in columns)
        writer.writerow([str(field).lower() if isinstance(field, bool) else str(field) for field in fields])
    return out.getvalue()


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
