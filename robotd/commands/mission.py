"""`robotd mission start|stop|reset`: the next run of the mission, for the whole team."""

from __future__ import annotations

import argparse

from robotd.control import client

HELP = "start, stop or reset the mission for the whole team"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `run` reads."""
    choices = ("start", "stop", "reset")
    parser.add_argument("what", choices=choices, metavar="start|stop|reset", help="what becomes of the run")
    client.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Exit status: 0 once the robot has taken it (its radio tells the others), 1 if it cannot be asked.

    A run is the team's: it opens, with 0, also where this robot may not move, which is said.
    """
    return client.order(args, f"mission-{args.what}", tell=client.told_run)
