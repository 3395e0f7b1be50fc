"""`robotd export LOG`: a run log as tables for spreadsheets, R and pandas, or as a file for Foxglove."""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from robotd.commands.progress import reading
from robotd.experiments.report import write_table
from robotd.files.options import add_json
from robotd.files.paths import folder_option
from robotd.files.refusal import DONE, Refusal, refuse_on, refuse_unwritten
from robotd.record.log import LogLines
from robotd.sim.records import read_records

TABLES = ("ticks", "poses", "levels", "frames", "activities", "events")
FIRST = ("time_s", "robot")  # columns
Rows = Sequence[Mapping[str, Any]]


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
    if options.csv or options.parquet:
        write_parquet = _parquet_writer() if options.parquet else _write_csv
        with refuse_on(ValueError), reading(log, "reading") as progress:
            records = read_records(log, progress)
        tables = {name: getattr(records, name) for name in TABLES}
        for folder, ending, write in (
            (options.csv, "csv", _write_csv),
            (options.parquet, "parquet", write_parquet),
        ):
            if folder is not None:
                written |= _write_tables(folder, ending, write, tables)
    if options.mcap:
        written |= _write_mcap(log, Path(options.mcap))
    if options.json:
        print(json.dumps({"log": str(log), "written": written}))
    else:
        print("\n".join(f"{path}: {count} {_unit(path)}" for path, count in written.items()))
    return DONE


def _unit(path: str) -> str:
    return "rows" if path.endswith((".csv", ".parquet")) else "bytes"


def _write_tables(
    folder: Path, ending: str, write: Callable[[Path, Rows], None], tables: Mapping[str, Rows]
) -> dict[str, int]:
    """By file how many rows it has."""
    with refuse_unwritten(folder, "folder"):
        folder.mkdir(parents=True, exist_ok=True)
        for name, rows in tables.items():
            write(folder / f"{name}.{ending}", rows)
    return {str(folder / f"{name}.{ending}"): len(rows) for name, rows in tables.items()}


def _write_csv(path: Path, rows: Rows) -> None:
    write_table(path, rows, FIRST)


def _parquet_writer() -> Callable[[Path, Rows], None]:
    """ImportError, which names the extra, where pyarrow is not installed."""
    import pyarrow as pa
    from pyarrow import parquet

    def write(path: Path, rows: Rows) -> None:
        names = dict.fromkeys([*FIRST, *(name for row in rows for name in row)])
        table = pa.table({name: [row.get(name) for row in rows] for name in names})
        parquet.write_table(table, str(path))

    return write


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
