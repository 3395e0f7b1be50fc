"""`robotd why LOG`: what each robot of a run log did at an instant, and why."""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from robotd.commands.progress import reading
from robotd.files.nearest import unknown
from robotd.files.options import add_json
from robotd.files.refusal import DONE, Refusal, refuse_on
from robotd.record.why import Account, accounts_of, as_json

LAST = 8  # things that happened, of each robot


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("log", metavar="LOG", help="a run log: a file, or a robot's folder of them")
    parser.add_argument(
        "--at", type=float, metavar="S", help="seconds from the start of the log (default: its end)"
    )
    parser.add_argument("--robot", metavar="NAME", help="this robot alone")
    parser.add_argument("--last", type=int, default=LAST, metavar="N", help=f"so many events (default {LAST})")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Exit status 0; Refusal for what is wrong with the log, or a robot that is not in it."""
    log = Path(options.log)
    if options.at is not None and not options.at >= 0:
        raise Refusal(f"--at {options.at:g}: expected seconds from the start, 0 or more")
    if options.last < 0:
        raise Refusal(f"--last {options.last}: expected a number of events, 0 or more")
    with refuse_on(ValueError), reading(log, "reading") as progress:
        accounts = accounts_of(log, options.at, progress)
    if options.robot is not None:
        names = [account.robot for account in accounts]
        if options.robot not in names:
            raise Refusal(f"{log}: {unknown('robot', options.robot, names)}")
        accounts = [account for account in accounts if account.robot == options.robot]
    if options.json:
        print(json.dumps({"log": str(log), "robots": [as_json(account) for account in accounts]}))
    else:
        print("\n\n".join("\n".join(lines_of(account, options.last)) for account in accounts))
    return DONE


def lines_of(account: Account, last: int) -> Iterator[str]:
    """The account in words."""
    doing = f"{account.set} ({account.task})" if account.task else account.set or "no behavior set"
    yield f"{account.robot} at {account.at:.1f} s: {account.state.word}, {doing} since {account.since:.1f} s"
    if account.cause:
        yield f"  because    {account.cause}"
    yield f"  state      {account.state.reason}"
    if account.state.next_step:
        yield f"  next       {account.state.next_step}"
    for fault in account.faults:
        yield f"  fault      {fault.name}: {fault.detail}"
    for part, why in account.missing:
        if why != "absent":
            yield f"  missing    {part}: {why}"
    for level in account.levels:
        scores = ", ".join(f"{name} {score:.3g}" for name, score in level.scores.items())
        yield f"  {level.set:26} {scores} of {level.limit:.3g}: {level.why}"
    shown = account.happened[-last:] if last else []
    if shown:
        yield "  before that"
    for one in shown:
        yield f"    {one.at:8.1f} s  {one.what}: {one.cause}"
