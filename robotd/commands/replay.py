"""`robotd replay LOG`: feed a run log's inputs to the code again and demand the same decisions."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import sys
from pathlib import Path

from robotd.commands.progress import reading
from robotd.files.output import keep_stdout
from robotd.record.replay import Replay

HELP = "feed a run log to the code again and demand the same decisions"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `run` reads."""
    parser.add_argument("log", metavar="LOG", help="a run log: a file, or a robot's folder of them")
    parser.add_argument(
        "--from-part", type=int, default=0, metavar="K", help="start at part K of the log, counted from 0"
    )
    parser.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="FILE",
        help="a Python file that the mission's plugins name",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Exit status: 0 no difference, 1 a difference, 2 with what is wrong with the log on standard error."""
    from robotd.files.plugins import load_files
    from robotd.record.replay import replay
    from robotd.robot.build import mind_of_part

    log = Path(options.log)
    if options.from_part < 0:
        return _refuse(f"--from-part {options.from_part}: parts are counted from 0")
    try:
        with keep_stdout(for_json=options.json), reading(log, "replaying") as progress:
            plugins = load_files(Path(name) for name in options.plugin)
            make = functools.partial(mind_of_part, plugins=plugins)
            found = replay(log, make, options.from_part, progress)
    except OSError as error:
        return _refuse(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except ValueError as error:
        return _refuse(str(error))
    if options.json:
        print(json.dumps(_as_json(found, log)))
    else:
        print("\n".join(_lines(found)))
    return 0 if found.difference is None else 1


def _as_json(found: Replay, log: Path) -> dict[str, object]:
    return {
        "log": str(log),
        "parts": found.parts,
        "ticks": found.ticks,
        "decisions": found.decisions,
        "robots": sorted(found.robots),
        "exact": found.exact,
        "difference": dataclasses.asdict(found.difference) if found.difference is not None else None,
        "cut": found.cut,
    }


def _lines(found: Replay) -> list[str]:
    robots = ", ".join(sorted(found.robots))
    what = f"{found.ticks} ticks, {found.decisions} decisions, {found.parts} parts of {robots}"
    bits = "real numbers bit for bit" if found.exact else "real numbers within 1e-9: other machine or libraries"
    lines = [f"{what} ({bits})"]
    if found.cut:
        lines.append(found.cut)
    lines.append("no difference" if found.difference is None else f"different: {found.difference}")
    return lines


def _refuse(message: str) -> int:
    print(message, file=sys.stderr)
    return 2
