"""`robotd check FILE`: all that is wrong with a robot or mission file, and what follows from it, in words."""

from __future__ import annotations

import argparse
import json
import sys

from robotd.advice.check import Report, check
from robotd.commands import check_against
from robotd.commands.check_words import in_words
from robotd.control.client import running_robots
from robotd.files.options import add_json
from robotd.files.output import keep_stdout
from robotd.files.refusal import DONE, USAGE, Refusal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `run` reads."""
    file, elsewhere = (
        "a robot file, a mission file, or an installed mission's name",
        "look for no device and no key",
    )
    parser.add_argument("file", metavar="FILE", nargs="?", help=file)
    add_json(parser)
    parser.add_argument("--elsewhere", action="store_true", help=f"this is not the robot's computer: {elsewhere}")
    check_against.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Exit status: 0, or 2 with every problem of the file (and of the mission that it names).

    With `--against`: 0 where the board keeps the contract, 1 where it does not, 2 where that cannot be tried.
    """
    if args.against is not None:
        return check_against.run(args)
    if args.file is None or args.board is not None:
        raise Refusal("name what to check: FILE, or --board NAME --against PORT")
    with keep_stdout(for_json=args.json):
        report = check(args.file, here=not args.elsewhere, running=running_robots)
    if args.json:
        print(json.dumps(report.as_json()))
    else:
        _print(report)
    return USAGE if report.problems else DONE


def _print(report: Report) -> None:
    for problem in report.problems:
        print(problem)
    for line in in_words(report.advice, report.team):
        print(line)
    count = len(report.problems)
    if count:
        print(f"{report.file}: {count} problem{'s' if count > 1 else ''}", file=sys.stderr)
    else:
        print(f"{report.file}: no problems in this {report.kind} file")
