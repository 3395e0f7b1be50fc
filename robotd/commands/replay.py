"""`robotd replay LOG`: feed a run log's inputs to the code again and demand the same decisions."""

import argparse
import dataclasses
import functools
import json
from pathlib import Path

from robotd.commands.progress import reading
from robotd.files.options import add_json, add_log, add_repeated
from robotd.files.output import keep_stdout
from robotd.files.refusal import DONE, FAILED, Refusal, refuse_on
from robotd.record.replay import Replay


def add_arguments(parser: argparse.ArgumentParser) -> None:
    part = "start at part K of the log, counted from 0"
    add_log(parser)
    parser.add_argument("--from-part", type=int, default=0, metavar="K", help=part)
    add_repeated(parser, "--plugin", "FILE", "a Python file that the mission's plugins name")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Exit status: 0 no difference, 1 a difference; Refusal for what is wrong with the log."""
    from robotd.files.plugins import load_files
    from robotd.record.replay import replay
    from robotd.robot.build import mind_of_part

    log: Path = options.log
    if options.from_part < 0:
        raise Refusal(f"--from-part {options.from_part}: parts are counted from 0")
    with refuse_on(ValueError), keep_stdout(for_json=options.json), reading(log, "replaying") as progress:
        plugins = load_files(Path(name) for name in options.plugin)
        make = functools.partial(mind_of_part, plugins=plugins)
        found = replay(log, make, options.from_part, progress)
    print(json.dumps({"log": str(log), **_as_json(found)}) if options.json else "\n".join(_lines(found)))
    return DONE if found.difference is None else FAILED


def _as_json(found: Replay) -> dict[str, object]:
    difference = dataclasses.asdict(found.difference) if found.difference is not None else None
    plain = {key: getattr(found, key) for key in ("parts", "ticks", "decisions", "exact", "cut")}
    return {**plain, "robots": sorted(found.robots), "difference": difference}


def _lines(found: Replay) -> list[str]:
    robots = ", ".join(sorted(found.robots))
    what = f"{found.ticks} ticks, {found.decisions} decisions, {found.parts} parts of {robots}"
    bits = "real numbers bit for bit" if found.exact else "real numbers within 1e-9: other machine or libraries"
    cut = [found.cut] if found.cut else []
    return [f"{what} ({bits})", *cut, f"different: {found.difference}" if found.difference else "no difference"]
