"""`robotd export LOG`: a run log as tables for spreadsheets, R and pandas, or as a file for Foxglove."""

import argparse
import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from robotd.commands.progress import reading
from robotd.files.csv_table import CsvTable, csv_table
from robotd.files.options import add_json
from robotd.files.paths import folder_option
from robotd.files.refusal import DONE, Refusal, refuse_on, refuse_unwritten
from robotd.record.reading import LogLines
from robotd.sim.records import Record, Recorder, read_records, record_log

TABLES = ("ticks", "poses", "levels", "frames", "activities", "events")
FIRST = ("time_s", "robot")  # columns


def add_arguments(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(TABLES)
    parser.add_argument("log", metavar="LOG", help="a run log: a file, or a robot's folder of them")
    parser.add_argument("--csv", metavar="DIR", type=folder_option, help=f"tables there, as CSV: {names}")
    parser.add_argument("--parquet", metavar="DIR", type=folder_option, help="the same tables as Parquet")
    mcap = "an MCAP file for Foxglove and Lichtblick, and beside it a layout, NAME-layout.json"
    parser.add_argument("--mcap", metavar="FILE", help=mcap)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Exit status 0; Refusal for what is wrong with the log, or a place that cannot be written."""
    log = Path(options.log)
    if not (options.csv or options.parquet or options.mcap):
        raise Refusal("nothing to write: expected --csv DIR, --parquet DIR or --mcap FILE")
    written: dict[str, int] = {}
    if options.csv:
        written |= _write_csv(log, options.csv)
    if options.parquet:
        written |= _write_parquet(log, options.parquet)
    if options.mcap:
        written |= _write_mcap(log, Path(options.mcap))
    if options.json:
        print(json.dumps({"log": str(log), "written": written}))
    else:
        print("\n".join(f"{path}: {count} {_unit(path)}" for path, count in written.items()))
    return DONE


def _unit(path: str) -> str:
    return "rows" if path.endswith((".csv", ".parquet")) else "bytes"


class CsvRecords(Recorder):
    """A recorder that writes each record to its table: a log of days takes no more memory than one of hours."""

    def __init__(self, tables: Mapping[str, CsvTable]) -> None:
        super().__init__()
        self._tables = tables

    def put(self, table: str, record: Record) -> None:
        self._tables[table].append(record)


def _write_csv(log: Path, folder: Path) -> dict[str, int]:
    """By file how many rows it has."""
    paths = {name: folder / f"{name}.csv" for name in TABLES}
    with (
        refuse_on(ValueError),
        reading(log, "reading") as progress,
        _made(log, folder),
        contextlib.ExitStack() as stack,
    ):
        tables = {name: stack.enter_context(csv_table(path, FIRST)) for name, path in paths.items()}
        record_log(log, CsvRecords(tables), progress)
    return {str(path): tables[name].count for name, path in paths.items()}


def _write_parquet(log: Path, folder: Path) -> dict[str, int]:
    """By file how many rows it has; ImportError, which names the extra, where pyarrow is not installed."""
    import pyarrow as pa
    from pyarrow import parquet

    with refuse_on(ValueError), reading(log, "reading") as progress:
        records = read_records(log, progress)
    written = {}
    with _made(log, folder):
        for table in TABLES:
            path, rows = folder / f"{table}.parquet", getattr(records, table)
            names = dict.fromkeys([*FIRST, *(name for row in rows for name in row)])
            parquet.write_table(pa.table({name: [row.get(name) for row in rows] for name in names}), str(path))
            written[str(path)] = len(rows)
    return written


@contextlib.contextmanager
def _made(log: Path, folder: Path) -> Iterator[None]:
    """The folder for tables of a log that can be read; an OSError inside is one of writing them."""
    next(iter(LogLines(log)), None)
    with refuse_unwritten(folder, "folder"):
        folder.mkdir(parents=True, exist_ok=True)
        yield


def _write_mcap(log: Path, path: Path) -> dict[str, int]:
    """By file how many bytes it has."""
    from robotd.foxglove.layout import layout_of
    from robotd.foxglove.recording import write_mcap

    layout = path.with_name(f"{path.stem}-layout.json")
    with refuse_on(ValueError), reading(log, "reading") as progress:
        LogLines(log).size()  # that it is not there is no fault of the file to be written
        if path.is_dir():
            raise ValueError(f"{path} is a folder; expected the name of a file, such as run.mcap")
        with refuse_unwritten(path, "file with --mcap FILE"):
            path.parent.mkdir(parents=True, exist_ok=True)
            mission = write_mcap(log, path, progress)
            layout.write_text(json.dumps(layout_of(mission), indent=1) + "\n", encoding="utf-8")
    return {str(file): file.stat().st_size for file in (path, layout)}
