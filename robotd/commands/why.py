"""`robotd why LOG`: what each robot of a run log did at an instant, and why."""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from robotd.commands.progress import reading
from robotd.files.nearest import unknown
from robotd.files.options import add_json, add_log
from robotd.files.refusal import DONE, Refusal, refuse_on
from robotd.files.text import printable
from robotd.guardian.stop_reason import causes_of
from robotd.record.dates import instant
from robotd.record.why import Account, Happened, read_accounts
from robotd.robot.faults import describe_fault

LAST = 8  # things that happened, of each robot
OPEN = "the log has no last line: the robot still runs, was killed by its guardian or a person, or lost its power"
STOPPED = "the guardian of this computer's robot of that name has stopped it: {}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_log(parser)
    at = 'seconds from the start of the log, or "2026-11-28 14:05" (UTC) of a robot\'s log (default: its end)'
    parser.add_argument("--at", metavar="S", help=at)
    parser.add_argument("--robot", metavar="NAME", help="this robot alone")
    parser.add_argument("--last", type=int, default=LAST, metavar="N", help=f"so many events (default {LAST})")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Exit status 0; Refusal for what is wrong with the log, or a robot that is not in it."""
    log: Path = options.log
    if options.last < 0:
        raise Refusal(f"--last {options.last}: expected a number of events, 0 or more")
    try:
        at = instant(options.at) if options.at is not None else None
    except ValueError as error:
        raise Refusal(f"--at {error}") from None
    with refuse_on(ValueError), reading(log, "reading") as progress:
        found = read_accounts(log, at, progress)
    accounts = found.robots
    if not accounts:
        raise Refusal(f"{log}: no tick of a robot is in this log{f' ({found.cut})' if found.cut else ''}")
    if options.robot is not None:
        names = [account.robot for account in accounts]
        if options.robot not in names:
            raise Refusal(f"{log}: {unknown('robot', options.robot, names)}")
        accounts = [account for account in accounts if account.robot == options.robot]
    if options.json:
        print(json.dumps({"log": str(log), "robots": [as_json(one) for one in accounts], "cut": found.cut}))
        return DONE
    print("\n\n".join("\n".join(map(printable, lines_of(account, options.last))) for account in accounts))
    if found.cut:
        print(found.cut, file=sys.stderr)
    return DONE


def end_of(account: Account) -> str:
    """How its log ended, in words; '' where it continues after the instant asked for."""
    if not account.open:
        return account.ended
    stop = causes_of(account.robot).read()
    return STOPPED.format(stop) if stop is not None else OPEN


def as_json(account: Account) -> dict[str, Any]:
    """The object that `robotd why --json` prints of a robot."""
    return {
        "robot": account.robot, "at_s": round(account.at, 3), "state": account.state.word,
        "reason": account.state.reason, "next_step": account.state.next_step,
        "set": account.set, "task": account.task, "since_s": round(account.since, 3), "cause": account.cause,
        "faults": [describe_fault(one) for one in account.faults],
        "missing": [{"part": part, "why": why} for part, why in account.lost],
        "levels": [{"set": one.set, "scores": dict(one.scores), "limit": one.limit, "why": one.why}
                   for one in account.levels],
        "happened": [
            {"at_s": round(one.at, 3), "utc": account.dates.of(one.at), "what": one.what, "cause": one.cause}
            for one in account.happened
        ],
        "end": end_of(account), "off": account.off, "utc": account.dates.of(account.at),
    }  # fmt: skip


def lines_of(account: Account, last: int) -> Iterator[str]:
    """The account in words."""
    doing = f"{account.state.word}, {account.doing} since {account.since:.1f} s"
    date = account.dates.of(account.at)
    at = f"{account.at:.1f} s" + (f" ({date})" if date else "")
    if account.off:
        yield f"{account.robot}: no tick since {at}: {account.off}"
        yield f"  before     {doing}"
    else:
        yield f"{account.robot} at {at}: {doing}"
    if account.cause:
        yield f"  because    {account.cause}"
    yield f"  state      {account.state.reason}"
    if account.state.next_step:
        yield f"  next       {account.state.next_step}"
    for fault in map(describe_fault, account.faults):
        yield f"  fault      {_because(fault['name'], fault['detail'])}"
        if "action" in fault:
            yield f"             {fault['action']}; it ends when: {fault['clears']} ({fault['who']})"
    for part, why in account.lost:
        yield f"  missing    {_because(part, why)}"
    for level in account.levels:
        scores = ", ".join(f"{name} {score:.3g}" for name, score in level.scores.items())
        yield f"  {level.set:26} {scores} of {level.limit:.3g}: {level.why or 'no reason is given'}"
    yield from _before(account, account.happened[-last:] if last else [])
    if end := end_of(account):
        yield f"  end        {end}"


def _because(what: str, why: str) -> str:
    return f"{what}: {why}" if why else what


def _before(account: Account, shown: list[Happened]) -> Iterator[str]:
    if shown:
        yield "  before that"
    for one in shown:
        date = account.dates.of(one.at)
        yield f"    {one.at:8.1f} s  {f'{date}  ' if date else ''}{_because(one.what, one.cause)}"
