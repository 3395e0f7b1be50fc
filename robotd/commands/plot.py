"""`robotd plot LOG`: who did what and when, and the levels that led to it, as figures."""

import argparse
import json
import sys
from pathlib import Path

from robotd.commands.progress import reading
from robotd.figures.files import write_figures
from robotd.figures.read import read_series
from robotd.figures.style import FORMATS, NoMatplotlib, need_matplotlib
from robotd.files.options import add_json, add_log
from robotd.files.paths import folder_option
from robotd.files.refusal import DONE, refuse_on, refuse_unwritten


def add_arguments(parser: argparse.ArgumentParser) -> None:
    out = "folder for the figures (default: beside the log)"
    add_log(parser)
    parser.add_argument("--out", metavar="DIR", type=folder_option, help=out)
    parser.add_argument("--robot", metavar="NAME", help="one robot alone, each of its levels by itself")
    parser.add_argument("--format", choices=FORMATS, default="png", help="kind of file (default png)")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Exit status: 0; Refusal for what is wrong."""
    log: Path = options.log
    with refuse_on(ValueError, NoMatplotlib):
        need_matplotlib()
        with reading(log, "reading") as progress:
            series = read_series(log, progress)
    with refuse_on(ValueError), refuse_unwritten(options.out or log):
        files = write_figures(series, log, options.out, options.robot, options.format)
    if series.cut:
        print(series.cut, file=sys.stderr)
    if options.json:
        figures = [str(path) for path in files]
        print(json.dumps({"mission": series.mission, "seed": series.seed, "figures": figures, "cut": series.cut}))
    else:
        print("\n".join(map(str, files)))
    return DONE
