"""`robotd report LOG`: the whole run on one page, which opens without a network."""

import argparse
import json
from pathlib import Path

from robotd.commands.progress import reading
from robotd.files.options import add_json, add_log
from robotd.files.refusal import DONE, Refusal, refuse_on, refuse_unwritten


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_log(parser)
    parser.add_argument("--out", metavar="FILE", help="the page (default: beside the log, called after it)")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Exit status 0; Refusal for what is wrong with the log, or a page that cannot be written."""
    from robotd.report.page import page_of
    from robotd.report.read import read_run

    log: Path = options.log
    out = Path(options.out) if options.out else page_beside(log)
    if out.is_dir():
        raise Refusal(f"{out} is a folder; expected the name of a file, such as report.html")
    with refuse_on(ValueError), reading(log, "reading") as progress:
        found = read_run(log, progress)
    with refuse_unwritten(out, "file with --out FILE"):
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(page_of(found), encoding="utf-8", errors="backslashreplace")
    if options.json:
        print(json.dumps({"log": str(log), "page": str(out), "cut": found.series.cut}))
    else:
        print(out)
    return DONE


def page_beside(log: Path) -> Path:
    """Where the page of a log is written by default: beside it, of a folder in it."""
    return (log if log.is_dir() else log.parent) / f"{log.resolve().stem}-report.html"
