"""`robotd halt`: stop the motors behind ports, whatever was running."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from robotd.folders import folder
from robotd.halting import Target, halt_all, target, targets_of
from robotd.plugins import Plugins

HELP = "stop the motors on a port, whatever was running"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `run` reads."""
    parser.add_argument(
        "targets",
        metavar="PORT|ROBOT.toml",
        nargs="*",
        help="ports as in a robot file, or robot files for all of theirs (default: the installed robot file)",
    )
    parser.add_argument("--board", metavar="NAME", help="what is behind the ports that are named here")


def run(args: argparse.Namespace) -> int:
    """Exit status: 0 once every halt has left, 1 if one could not (it is told), 2 for bad usage."""
    try:
        targets = _targets(args)
    except OSError as error:
        return _refuse(f"{error.filename}: {error.strerror}")
    except ValueError as error:
        return _refuse(str(error))
    if not targets:
        print("no port to halt: these boards have none")
    outcomes = halt_all(targets)
    for address, trouble in outcomes.items():
        print(f"{address}: {trouble or 'halted'}", file=sys.stderr if trouble else sys.stdout)
    return 1 if any(outcomes.values()) else 0


def _targets(args: argparse.Namespace) -> list[Target]:
    found: list[Target] = []
    for name in args.targets or [str(folder("config") / "robot.toml")]:
        if name.endswith(".toml"):
            found += targets_of(Path(name))
            continue
        if args.board is None:
            names = ", ".join(Plugins().names("robotd.boards"))
            raise ValueError(f"what is behind {name}? Say --board NAME, one of {names}")
        one = target(name, args.board, {}, Plugins())
        if one is None:
            raise ValueError(f"{args.board} has no port, or no motors behind it")
        found.append(one)
    return found


def _refuse(message: str) -> int:
    sys.stderr.write(f"robotd: {message}\n")
    return 2
