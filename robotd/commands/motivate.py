"""`robotd motivate SCENARIO`: levels over time as CSV, JSON Lines or a figure."""

import argparse
import csv
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from robotd.figures.motivations import motivations
from robotd.figures.style import FORMATS, NoMatplotlib, save
from robotd.files.options import refuse_figure
from robotd.files.refusal import DONE, refuse_on, refuse_unwritten
from robotd.motivate.scenario import Row, parse
from robotd.motivate.scenario import run as rows_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Run one robot's motivations alone, on virtual time, from a scripted scenario (TOML)."
    parser.add_argument("scenario", metavar="SCENARIO", help="scenario file; see docs/motivate.md")
    parser.add_argument("--json", action="store_true", help="JSON Lines instead of CSV")
    parser.add_argument("--plot", metavar="FILE", help="also draw the levels over time (.png or .svg)")


def run(args: argparse.Namespace) -> int:
    """Exit status: 0; Refusal with every problem of the scenario."""
    figure = Path(args.plot) if args.plot else None
    if figure is not None:
        refuse_figure("--plot", figure, FORMATS)
    with refuse_on():
        scenario = parse(Path(args.scenario).read_bytes(), args.scenario)
    names = [spec.name for spec in scenario.sets]
    rows = list(rows_of(scenario)) if figure is not None else rows_of(scenario)
    if figure is not None:
        with refuse_unwritten(figure, "file with --plot FILE"), refuse_on(NoMatplotlib):
            save(motivations(scenario, list(rows), Path(args.scenario).name), figure)
    (_write_json if args.json else _write_csv)(names, rows)
    return DONE


def _seconds(value: float) -> str:
    """Twelve digits: enough for any run, few enough to hide the rounding of n * tick_s."""
    return f"{value:.12g}"


def _write_csv(names: Sequence[str], rows: Iterable[Row]) -> None:
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["time_s", *names, "active"])
    for row in rows:
        out.writerow([_seconds(row.time_s), *(f"{level:.12g}" for level in row.levels), row.active or ""])


def _write_json(names: Sequence[str], rows: Iterable[Row]) -> None:
    for row in rows:
        levels = dict(zip(names, row.levels, strict=True))
        print(json.dumps({"time_s": float(_seconds(row.time_s)), "levels": levels, "active": row.active}))
