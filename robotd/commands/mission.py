"""`robotd mission start|stop|reset`: the next run of the mission, for the whole team."""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Mapping
from typing import Any

from robotd.control import client

HELP = "start, stop or reset the mission for the whole team"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `run` reads."""
    choices = ("start", "stop", "reset")
    parser.add_argument("what", choices=choices, metavar="start|stop|reset", help="what becomes of the run")
    parser.add_argument("--yes", action="store_true", help="start anew without a question while a run is running")
    client.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Exit status: 0 once the robot has taken it (its radio informs the others), 1 if it cannot be asked or the
    question is answered no, 2 where a run is running and there is neither a terminal nor --yes.

    A run is the team's: it opens, with 0, also where this robot may not move, which is reported.
    """
    try:
        before = client.ask(client.find_socket(args.robot), {"do": "status"})
    except client.CannotAskError as error:
        sys.stderr.write(f"robotd: {error}\n")
        return error.status
    if args.what == "start" and not args.yes:
        refused = _confirm(before)
        if refused:
            return refused
    return client.order(args, f"mission-{args.what}", tell=functools.partial(format_run, before))


def _confirm(before: Mapping[str, Any]) -> int:
    """0 where nothing is lost by a start, or a person agrees to it; else the exit status."""
    run, status = before.get("run", {}), before.get("status") or {}
    if not run.get("running") or status.get("state", {}).get("reason") == "all tasks done":
        return client.DONE
    what = f"run {run['number']} is running: a start drops its facts and claims ({_facts(before)}) on all robots"
    if not sys.stdin.isatty():
        sys.stderr.write(f"robotd: {what}; to do so: robotd mission start --yes\n")
        return client.USAGE
    sys.stdout.write(f"{what}. Start anew? [y/N] ")
    sys.stdout.flush()
    return client.DONE if sys.stdin.readline().strip().lower() in ("y", "yes") else client.FAILED


def _facts(before: Mapping[str, Any]) -> str:
    count = len((before.get("status") or {}).get("facts", ()))
    return f"{count} fact{'' if count == 1 else 's'}"


def format_run(before: Mapping[str, Any], answer: Mapping[str, Any]) -> str:
    """An answer for people: the run that is open, what was dropped, the state, and whether this robot may move."""
    run, state, robot, old = answer["run"], answer["state"], answer["robot"], before.get("run", {})
    if run.get("asked"):
        what = run["asked"].replace("-", " ")
        wait = f"{robot}: {what} waits until the team has been heard, so that the run's number is new"
        return f"{wait}\n{client.told(answer)}"
    word = "running" if run["running"] else "stopped"
    lines = [f"{robot}: run {run['number']} is {word}, for the whole team"]
    if old.get("number") and old["number"] != run["number"]:
        lines.append(f"{robot}: run {old['number']} ended; its facts and claims were dropped ({_facts(before)})")
    if run["running"] and not state["may_move"]:
        lines.append(f"{robot} itself will not move:")
    return "\n".join([*lines, client.told(answer)])
