"""`robotd export LOG --csv DIR`: a run log as tables, for spreadsheets, R and pandas."""

import argparse
import json
from pathlib import Path

from robotd.commands.progress import reading
from robotd.experiments.report import write_table
from robotd.files.options import add_json
from robotd.files.paths import folder_option
from robotd.files.refusal import DONE, refuse_on, refuse_unwritten
from robotd.sim.records import read_records

TABLES = ("poses", "levels", "frames", "activities", "events")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("log", metavar="LOG", help="a run log: a file, or a robot's folder of them")
    where = f"write {', '.join(f'{name}.csv' for name in TABLES)} there"
    parser.add_argument("--csv", metavar="DIR", type=folder_option, required=True, help=where)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Exit status 0; Refusal for what is wrong with the log, or a folder that cannot be written."""
    log, folder = Path(options.log), Path(options.csv)
    with refuse_on(ValueError), reading(log, "reading") as progress:
        records = read_records(log, progress)
    tables = {name: getattr(records, name) for name in TABLES}
    with refuse_unwritten(folder, "folder with --csv DIR"):
        folder.mkdir(parents=True, exist_ok=True)
        for name, rows in tables.items():
            write_table(folder / f"{name}.csv", rows, ("time_s", "robot"))
    written = {str(folder / f"{name}.csv"): len(rows) for name, rows in tables.items()}
    if options.json:
        print(json.dumps({"log": str(log), "written": written}))
    else:
        print("\n".join(f"{path}: {rows} rows" for path, rows in written.items()))
    return DONE
