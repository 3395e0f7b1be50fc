"""`robotd run ROBOT.toml`: the guardian, with the daemon as its child. Imports nothing of third parties."""

import argparse
import os
from pathlib import Path

from robotd.files.refusal import Refusal
from robotd.guardian.guardian import guard


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("robot", metavar="ROBOT.toml", type=Path, help="the robot file")
    parser.add_argument(
        "--report", type=_descriptor, metavar="FD", help="report what happens, as JSON lines, here"
    )


def _descriptor(text: str) -> int:
    """The type of an option that names an open descriptor."""
    try:
        os.fstat(int(text))
    except (ValueError, OverflowError, OSError):
        raise argparse.ArgumentTypeError(f"{text!r} is no open descriptor") from None
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Exit status 0 a clean stop, 1 the daemon had to be stopped, 2 the configuration cannot be used."""
    if not options.robot.is_file():
        raise Refusal(f"{options.robot}: no such robot file; see docs/configuration.md for what belongs in one")
    return guard(options.robot, options.report)
