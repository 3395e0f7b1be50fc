"""`robotd task add`: add a task to the run of a mission, at one robot."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from robotd.control import client

HELP = "add a task to a running mission"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `run` reads."""
    parser.add_argument("what", choices=("add",), metavar="add", help="add a task to the run that is open")
    parser.add_argument(
        "name", metavar="NAME", help="a task of the mission: the new one is another instance of it"
    )
    parser.add_argument(
        "arguments", nargs="*", metavar="KEY=VALUE", help="its arguments, and terms of the mission's coordinator"
    )
    client.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Exit status: 0 once the coordinator has introduced the task, 1 if it refuses it or cannot be asked."""
    return client.order(args, "task-add", [args.name, *args.arguments], tell=_format)


def _format(answer: Mapping[str, Any]) -> str:
    return f"{answer['robot']}: introduced {answer['task']}: {answer['reason']}\n{client.told(answer)}"
