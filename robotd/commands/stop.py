"""`robotd stop`: take a robot's permission to move, or stop the whole team."""

from __future__ import annotations

import argparse

from robotd.control import client

HELP = "stop a robot, or with --team all of them"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `run` reads."""
    client.add_arguments(parser)
    parser.add_argument(
        "--team", action="store_true", help="stop every robot, by radio, until acknowledged on each"
    )


def run(args: argparse.Namespace) -> int:
    """Exit status: 0 once it has stopped, 1 if it cannot be asked."""
    return client.order(args, "stop-team" if args.team else "stop")
