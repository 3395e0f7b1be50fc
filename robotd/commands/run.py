"""`robotd run ROBOT.toml`: the guardian, with the daemon as its child. Imports nothing of third parties."""

import argparse
from pathlib import Path

from robotd.files.refusal import Refusal
from robotd.guardian.guardian import guard


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("robot", metavar="ROBOT.toml", type=Path, help="the robot file")
    parser.add_argument(
        "--report", type=int, metavar="FD", help="a file descriptor to which events go as JSON lines"
    )


def run(options: argparse.Namespace) -> int:
    """Exit status 0 a clean stop, 1 the daemon had to be stopped, 2 the configuration cannot be used."""
    if not options.robot.is_file():
        raise Refusal(f"{options.robot}: no such robot file; see docs/configuration.md for what belongs in one")
    return guard(options.robot, options.report)
