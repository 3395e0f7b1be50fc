"""`robotd export LOG`: a run log as tables for spreadsheets, R and pandas, or as a file for Foxglove."""

import argparse
import contextlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path

from robotd.commands.progress import reading
from robotd.files.options import add_json, add_log
from robotd.files.paths import folder_option
from robotd.files.progress_bar import bar
from robotd.files.refusal import DONE, Refusal, refuse_on, refuse_unwritten
from robotd.files.tables import Rows, write_csv
from robotd.record.reading import LogLines
from robotd.sim.records import Record, Recorder, record_log

TABLES = ("ticks", "poses", "levels", "frames", "activities", "events")
FIRST = ("time_s", "robot")  # columns
Writer = tuple[Path, str, Callable[[Path, Rows], None]]
"""A folder of tables, how their names end, and what writes one."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    names = ", ".join(TABLES)
    add_log(parser)
    parser.add_argument("--csv", metavar="DIR", type=folder_option, help=f"tables there, as CSV: {names}")
    parser.add_argument("--parquet", metavar="DIR", type=folder_option, help="the same tables as Parquet")
    mcap = "an MCAP file for Foxglove and Lichtblick, and beside it a layout, NAME-layout.json"
    parser.add_argument("--mcap", metavar="FILE", help=mcap)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Exit status 0; Refusal for what is wrong with the log, or a place that cannot be written."""
    log: Path = options.log
    if not (options.csv or options.parquet or options.mcap):
        raise Refusal("nothing to write: expected --csv DIR, --parquet DIR or --mcap FILE")
    written: dict[str, int] = {}
    if options.csv or options.parquet:
        written |= _write_tables(log, options)
    if options.mcap:
        written |= _write_mcap(log, Path(options.mcap))
    if options.json:
        print(json.dumps({"log": str(log), "written": written}))
    else:
        print("\n".join(f"{path}: {count} {_unit(path)}" for path, count in written.items()))
    return DONE


def _unit(path: str) -> str:
    return "rows" if path.endswith((".csv", ".parquet")) else "bytes"


class TableRecords(Recorder):
    """A recorder that keeps each record in its table."""

    def __init__(self, tables: Mapping[str, Rows]) -> None:
        super().__init__()
        self._tables = tables

    def put(self, table: str, record: Record) -> None:
        self._tables[table].append(record)


def _writers(options: argparse.Namespace) -> list[Writer]:
    """What is asked for; ImportError, which names the extra, where that needs pyarrow and it is not installed."""
    writers: list[Writer] = []
    if options.csv:
        writers.append((options.csv, "csv", write_csv))
    if options.parquet:
        from robotd.files.parquet import write_parquet

        writers.append((options.parquet, "parquet", write_parquet))
    return writers


def _write_tables(log: Path, options: argparse.Namespace) -> dict[str, int]:
    """By file how many rows it has; the log is read once."""
    writers = _writers(options)
    written = {}
    with contextlib.ExitStack() as stack:
        tables = {name: stack.enter_context(contextlib.closing(Rows(writers[0][0], FIRST))) for name in TABLES}
        with refuse_on(ValueError), reading(log, "reading") as progress:
            record_log(log, TableRecords(tables), progress)
        for folder, ending, write in writers:
            with refuse_on(ValueError), refuse_unwritten(folder, "folder"), bar("writing", None):
                folder.mkdir(parents=True, exist_ok=True)
                for name, rows in tables.items():
                    write(folder / f"{name}.{ending}", rows)
                    written[str(folder / f"{name}.{ending}")] = rows.count
    return written


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
