"""`robotd radio forget NAME`: this robot no longer insists that NAME's frames be newer than those it has taken."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Mapping
from typing import Any

from radio.link import BASE_STATION
from robotd.control import client
from robotd.control.client import USAGE, CannotAskError, ask, find_socket

HELP = "make a robot's radio forget what it has taken of another"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `run` reads."""
    parser.add_argument("what", choices=("forget",), help="take whatever authentic frame of NAME comes next")
    parser.add_argument("name", metavar="NAME", help=f"a teammate, or {BASE_STATION}")
    client.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Exit status: 0; 1 where no robot can be asked; 2 where NAME is no other sender of its team."""
    try:
        path = find_socket(args.robot)
        status = ask(path, {"do": "status"}).get("status")
    except CannotAskError as error:
        sys.stderr.write(f"robotd: {error}\n")
        return error.status
    names = [BASE_STATION, *(mate["name"] for mate in status["teammates"])] if status else [args.name]
    if args.name not in names:
        near = difflib.get_close_matches(args.name, names, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        sys.stderr.write(
            f"robotd: {path.stem} has no teammate {args.name!r}{hint} (there are: {', '.join(names)})\n"
        )
        return USAGE
    return client.order(args, "radio-forget", [args.name], describe=lambda answer: _describe(answer, args.name))


def _describe(answer: Mapping[str, Any], name: str) -> list[str]:
    return [
        f"{answer['robot']} takes the next authentic frame of {name}, whatever its epoch; "
        f"a recording of {name} would be taken too, until {name} itself is received"
    ]
