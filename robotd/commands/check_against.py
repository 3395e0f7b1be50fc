"""`robotd check --against PORT`: does the board there do what every board must?"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict

from boards.conformance import CHECKS
from robotd.bringup.against import Against
from robotd.bringup.robotfile import settings_of
from robotd.files.nearest import unknown
from robotd.files.options import add_repeated
from robotd.files.refusal import Refusal, refuse_on
from robotd.guardian.foreground import run_in_foreground
from robotd.transport.address import line_address

BLOCKS = (
    "the wheels turn, at up to 0.1 m/s, for about a minute: put the robot on blocks, its wheels off the ground"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `run` reads."""
    group = parser.add_argument_group("a board on its port, which it drives")
    group.add_argument("--against", metavar="PORT", help="try whether the board on this port keeps the contract")
    group.add_argument("--board", metavar="NAME", help="which board that is; default: that of the robot file FILE")
    add_repeated(group, "--set", "KEY=VALUE", "a setting of --board")
    add_repeated(group, "--plugin", "FILE.py", "a file that brings it")
    add_repeated(group, "--only", "CHECK", "these checks alone")
    group.add_argument("--yes", action="store_true", help="its wheels are off the ground: do not ask")


def run(args: argparse.Namespace) -> int:
    """Exit status: 0 all that could be tried is as it must be, 1 something is not, 2 for what cannot be tried."""
    names = [check.name for check in CHECKS]
    with refuse_on(ValueError):
        line_address(args.against)
        settings = settings_of(args.set)
    if (args.board is None) == (args.file is None):
        raise Refusal("--against needs --board NAME, or a robot FILE that names its board")
    for wrong in (name for name in args.only if name not in names):
        raise Refusal(unknown("check", wrong, names))
    if not (args.yes or _agrees()):
        raise Refusal(f"{BLOCKS}, and give --yes")
    asked = Against(
        args.against, args.board or "", args.file or "", tuple(settings.items()), tuple(args.plugin),
        tuple(args.only), args.json,
    )  # fmt: skip
    return run_in_foreground("robotd.bringup.against", [json.dumps(asdict(asked))])


def _agrees() -> bool:
    """Whether a person at the terminal confirms that the robot is on blocks."""
    if not (os.isatty(0) and sys.stdout.isatty()):
        return False
    sys.stdout.write(f"{BLOCKS[0].upper()}{BLOCKS[1:]}.\nIs it on blocks? [y/n] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
