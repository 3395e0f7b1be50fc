"""Orders to a running robot: `robotd start`, `stop`, `ack`, `mission`, `task add`, `radio forget`."""

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from radio.link import BASE_STATION
from robotd.control import client
from robotd.files.nearest import unknown
from robotd.files.output import agrees
from robotd.files.refusal import FAILED, Refusal
from robotd.robot.permission import OVER

Answer = Mapping[str, Any]
ALONE = "no radio works here: only this robot is reached"


class Command(NamedTuple):
    """A command of the command line, as `robotd.__main__` uses a module of this folder."""

    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


def _add_stop(parser: argparse.ArgumentParser) -> None:
    client.add_arguments(parser)
    parser.add_argument("--team", action="store_true", help="stop all robots by radio; each waits for robotd ack")


def _start(args: argparse.Namespace) -> int:
    """Exit status: 0 once it may move, 1 if it may not (the reason is printed) or cannot be asked."""
    return client.order(args, "start", failed=("waiting for start", "stopped", "faulted"))


def _stop(args: argparse.Namespace) -> int:
    """Exit status: 0 once it has stopped, 1 if it cannot be asked."""

    def describe(answer: Answer) -> list[str]:
        robot, sent = answer["robot"], "the stop is sent; each robot that receives it is stopped by"
        return [f"{robot}: {ALONE}" if answer["alone"] else f"{robot}: {sent} {robot}"]

    return client.order(args, "stop-team", describe=describe) if args.team else client.order(args, "stop")


def _ack(args: argparse.Namespace) -> int:
    """Exit status: 0 if no fault holds it any more, 1 if one lasts (it is printed) or it cannot be asked."""
    return client.order(args, "ack", failed=("faulted",))


def _add_task(parser: argparse.ArgumentParser) -> None:
    name = "a task of the mission; the new one is another instance of it"
    pairs = "its arguments, and terms of the mission's coordinator, if any"
    parser.add_argument("what", choices=("add",), metavar="add", help="add a task to the run that is open")
    parser.add_argument("name", metavar="NAME", help=name)
    parser.add_argument("arguments", nargs="*", metavar="KEY=VALUE", help=pairs)
    client.add_arguments(parser)


def _task(args: argparse.Namespace) -> int:
    """Exit status: 0 once the coordinator has introduced the task, 1 if it refuses it or cannot be asked."""

    def describe(answer: Answer) -> list[str]:
        return [f"{answer['robot']}: introduced {answer['task']}: {answer['reason']}"]

    return client.order(args, "task-add", [args.name, *args.arguments], describe=describe)


def _add_mission(parser: argparse.ArgumentParser) -> None:
    what = "open the next run, open a stopped one, or open one as this one is: running or stopped"
    parser.add_argument("what", choices=("start", "stop", "reset"), metavar="start|stop|reset", help=what)
    parser.add_argument("--yes", action="store_true", help="do not ask while a run is running, which would end")
    client.add_arguments(parser)


def _mission(args: argparse.Namespace) -> int:
    """Exit status: 0 once the robot has taken it (its radio informs the others); 1 if it cannot be asked, the
    question is answered no, or a run is running and there is neither a terminal nor --yes.

    A run is the team's: it opens, with 0, also where this robot may not move, which is reported.
    """
    before = client.ask(client.find_socket(args.robot), {"do": "status"})
    if not args.yes:
        _confirm(before, args.what, args.robot)
    return client.order(args, f"mission-{args.what}", describe=lambda answer: describe_run(before, answer))


def _confirm(before: Answer, what: str, named: str | None) -> None:
    """Refusal where a running run would end and no person agrees to it."""
    run, status = before.get("run", {}), before.get("status") or {}
    if not run.get("running") or status.get("state", {}).get("reason") == OVER.reason:
        return
    loss = f"run {run['number']} is running: a {what} drops its facts and claims ({_facts(before)}) on all robots"
    if not agrees(f"{loss}. Do it?"):
        again = client.next_step(f"robotd mission {what} --yes", named)
        raise Refusal("nothing was done" if sys.stdin.isatty() else f"{loss}; to do so: {again}", FAILED)


def _facts(before: Answer) -> str:
    count = len((before.get("status") or {}).get("facts", ()))
    return f"{count} fact{'' if count == 1 else 's'}"


def describe_run(before: Answer, answer: Answer) -> list[str]:
    """The run that is open, what was dropped, and whether this robot may move, in words."""
    run, state, robot, old = answer["run"], answer["state"], answer["robot"], before.get("run", {})
    if run.get("asked"):
        what = run["asked"].replace("-", " ")
        return [f"{robot}: {what} waits until frames of the team were received, so that the run's number is new"]
    whole = "for this robot" if answer["alone"] else "for the whole team"
    lines = [f"{robot}: run {run['number']} is {'running' if run['running'] else 'stopped'}, {whole}"]
    if answer["alone"]:
        lines.append(f"{robot}: {ALONE}")
    if old.get("number") and old["number"] != run["number"]:
        lines.append(f"{robot}: run {old['number']} ended; its facts and claims were dropped ({_facts(before)})")
    if run["running"] and not state["may_move"]:
        lines.append(f"{robot} itself will not move:")
    return lines


def _add_radio(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("forget",), help="accept whatever authentic frame of NAME comes next")
    parser.add_argument("name", metavar="NAME", help=f"a teammate, or {BASE_STATION}")
    client.add_arguments(parser)


def _radio(args: argparse.Namespace) -> int:
    """Exit status: 0; 1 where no robot can be asked; 2 where NAME is no other sender of its team."""
    path, name = client.find_socket(args.robot), args.name
    status = client.ask(path, {"do": "status"}).get("status")
    names = [BASE_STATION, *(teammate["name"] for teammate in status["teammates"])] if status else [name]
    if name not in names:
        raise Refusal(f"{path.stem}: {unknown('teammate', name, names)}")

    def describe(answer: Answer) -> list[str]:
        warning = f"a recording of {name} would be accepted too, until {name} itself is received"
        return [f"{answer['robot']} accepts the next authentic frame of {name}, whatever its epoch; {warning}"]

    return client.order(args, "radio-forget", [name], describe=describe)


COMMANDS = {
    "start": Command(client.add_arguments, _start),
    "stop": Command(_add_stop, _stop),
    "ack": Command(client.add_arguments, _ack),
    "mission": Command(_add_mission, _mission),
    "task": Command(_add_task, _task),
    "radio": Command(_add_radio, _radio),
}
