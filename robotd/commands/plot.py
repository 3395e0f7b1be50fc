"""`robotd plot LOG`: who did what and when, and the levels that led to it, as figures."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from robotd.commands.progress import reading
from robotd.figures.files import write_figures
from robotd.figures.read import read_series
from robotd.figures.style import FORMATS, NoMatplotlib, need_matplotlib
from robotd.files.paths import folder_option

HELP = "draw who did what, and the motivations, from a run log"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `run` reads."""
    parser.add_argument("log", metavar="LOG", help="a run log: a file, or a robot's folder of them")
    parser.add_argument(
        "--out", metavar="DIR", type=folder_option, help="folder for the figures (default: beside the log)"
    )
    parser.add_argument("--robot", metavar="NAME", help="one robot alone, each of its levels by itself")
    parser.add_argument("--format", choices=FORMATS, default="png", help="kind of file (default png)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Exit status: 0, or 2 with what is wrong on standard error."""
    log, out = Path(options.log), Path(options.out) if options.out else None
    try:
        need_matplotlib()
        with reading(log, "reading") as progress:
            series = read_series(log, progress)
    except OSError as error:
        return _refuse(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except (ValueError, NoMatplotlib) as error:
        return _refuse(str(error))
    try:
        files = write_figures(series, log, out, options.robot, options.format)
    except OSError as error:
        where = error.filename or out or log
        return _refuse(
            f"{where}: cannot be written: {error.strerror or error}; choose another folder with --out DIR"
        )
    except ValueError as error:
        return _refuse(str(error))
    if series.cut:
        print(series.cut, file=sys.stderr)
    if options.json:
        figures = [str(path) for path in files]
        print(json.dumps({"mission": series.mission, "seed": series.seed, "figures": figures, "cut": series.cut}))
    else:
        for path in files:
            print(path)
    return 0


def _refuse(message: str) -> int:
    print(message, file=sys.stderr)
    return 2
