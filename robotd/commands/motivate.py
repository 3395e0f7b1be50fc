"""`robotd motivate SCENARIO`: levels over time as CSV, JSON Lines or a figure."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from robotd.config.source import ConfigError
from robotd.figures.motivations import motivations
from robotd.figures.style import FORMATS, NoMatplotlib, save
from robotd.motivate.scenario import Row, Scenario, parse
from robotd.motivate.scenario import run as rows_of

FIGURES = tuple(f".{kind}" for kind in FORMATS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `run` reads."""
    parser.description = "Run one robot's motivations alone, on virtual time, from a scripted scenario (TOML)."
    parser.add_argument("scenario", metavar="SCENARIO", help="scenario file; see docs/motivate.md")
    parser.add_argument("--json", action="store_true", help="JSON Lines instead of CSV")
    parser.add_argument("--plot", metavar="FILE", help="also draw the levels over time (.png or .svg)")


def run(args: argparse.Namespace) -> int:
    """Exit status: 0, or 2 with every problem of the scenario on standard error."""
    if args.plot and Path(args.plot).suffix.lower() not in FIGURES:
        return _refuse(f"--plot {args.plot}: the name must end in {' or '.join(FIGURES)}")
    try:
        scenario = parse(Path(args.scenario).read_bytes(), args.scenario)
    except OSError as error:
        return _refuse(f"{args.scenario}: {error.strerror or error}")
    except ConfigError as error:
        return _refuse(str(error))
    kept: list[Row] = []
    rows = _keeping(rows_of(scenario), kept) if args.plot else rows_of(scenario)
    names = [spec.name for spec in scenario.sets]
    if args.json:
        _write_json(names, rows)
    else:
        _write_csv(names, rows)
    return _draw(scenario, kept, Path(args.scenario).name, args.plot) if args.plot else 0


def _refuse(message: str) -> int:
    print(message, file=sys.stderr)
    return 2


def _keeping(rows: Iterable[Row], kept: list[Row]) -> Iterator[Row]:
    for row in rows:
        kept.append(row)
        yield row


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


def _draw(scenario: Scenario, rows: Sequence[Row], name: str, to: str) -> int:
    try:
        if not Path(to).parent.is_dir():
            return _refuse(f"--plot {to}: there is no folder {Path(to).parent}")
        save(motivations(scenario, rows, name), Path(to))
    except NoMatplotlib as error:
        return _refuse(f"--plot: {error}")
    except OSError as error:
        return _refuse(f"--plot {to}: {error.strerror or error}")
    return 0
