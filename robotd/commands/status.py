"""`robotd status`: what a running robot does and why, over its local socket."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from robotd.control.client import (
    DONE,
    FAILED,
    CannotAskError,
    add_arguments,
    ask,
    find_socket,
    find_sockets,
    format_state,
    next_step,
)

__all__ = ["HELP", "add_arguments", "run"]

HELP = "show what a running robot does and why"
BAR = 20  # characters of a full level
Document = Mapping[str, Any]
Row = tuple[str, ...]


class Section(NamedTuple):
    """A table of the status for people; one without rows is left out."""

    title: str
    columns: Row
    rows: Sequence[Row]


def run(args: argparse.Namespace) -> int:
    """Exit status: 0; 1 where a robot cannot be asked or has not ticked yet; 2 where no robot has that name.

    Of several robots, where none is named, each has a line (with --json its whole document).
    """
    try:
        found = [find_socket(args.robot)] if args.robot else list(find_sockets().values())
    except CannotAskError as error:
        sys.stderr.write(f"robotd: {error}\n")
        return error.status
    return max(_report(path, args, alone=len(found) == 1) for path in found)


def _report(path: Path, args: argparse.Namespace, *, alone: bool) -> int:
    try:
        answer = ask(path, {"do": "status"})
    except CannotAskError as error:
        sys.stderr.write(f"robotd: {error}\n")
        return error.status
    document = answer.get("status")
    if not answer.get("ok"):
        sys.stderr.write(f"robotd: {path.stem}: {answer.get('error', 'refused')}\n")
        return FAILED
    if args.json:
        print(json.dumps(document or answer))
    elif document is None:
        print(format_state(answer, args.robot))
    elif alone:
        show(document, args.robot)
    else:
        print(printable(summary(document)))
    return DONE


def summary(document: Document) -> str:
    """One robot in one line: its state, what it does, where it is, its battery."""
    active = document["active"]
    doing = f"{active['set']} on {active['task']}" if active else "nothing active"
    state, body = document["state"], "; ".join(_where(document["body"]))
    line = f"{document['robot']['name']}: {state['word']} ({state['reason']}), {doing}"
    return line + (f", {body}" if body else "")


def _where(body: Document) -> Iterator[str]:
    """Pose and battery, as far as they are known."""
    if body["x_m"] is not None and body["y_m"] is not None:
        heading = (
            "" if body["heading_rad"] is None else f", heading {math.degrees(body['heading_rad']):.0f} degrees"
        )
        within = "" if body["accuracy_m"] is None else f" (within {body['accuracy_m']:.2g} m)"
        yield f"at x {body['x_m']:.2f} m, y {body['y_m']:.2f} m{heading}{within}"
    if body["battery"] is not None:
        yield f"battery {100 * body['battery']:.0f} %"


def show(document: Document, named: str | None = None) -> None:
    """Print a status for people: in colours on a terminal where rich is installed, else plainly.

    `named`: the robot that the person had to name, as several run here.
    """
    if sys.stdout.isatty():
        try:
            from rich.console import Console
        except ImportError:
            pass
        else:
            _show_rich(document, named, Console())
            return
    for line in plain(document, named):
        print(printable(line))


def plain(document: Document, named: str | None = None) -> Iterator[str]:
    """The lines of a status for people."""
    yield from head(document, named)
    for section in sections(document):
        widths = [max(map(len, column)) for column in zip(section.columns, *section.rows, strict=True)]
        yield ""
        yield section.title
        for row in (section.columns, *section.rows) if any(section.columns) else section.rows:
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
            yield ("  " + "  ".join(cells)).rstrip()


def head(document: Document, named: str | None = None) -> Iterator[str]:
    """The first lines: who it is, its state, what it does."""
    robot, state, mission, run_ = (document[key] for key in ("robot", "state", "mission", "run"))
    yield f"{robot['name']}: {state['word']} ({state['reason']})"
    if state["next_step"]:
        yield f"next: {next_step(state, named)}"
    running = "running" if run_["running"] else "not running"
    name = mission["name"] or f"with table {mission['digest']}"
    yield f"mission {name}, run {run_['number']} {running}, up {lasted(document['uptime_s'])}"
    active, held = document["active"], document["held"]
    on = f" on {active['task']}" if active and active["task"] else ""
    yield (f"active: {active['set']}{on}" if active else "active: nothing") + (f", holding {held}" if held else "")
    if document["condition"]:
        yield f"condition {document['condition']}"
    yield from _where(document["body"])
    for warning in document["warnings"]:
        yield f"warning: {warning}"


def sections(document: Document) -> Iterator[Section]:
    """The tables of a status for people, those that have rows."""
    for section in (
        _faults(document), _motivations(document), _jobs(document), _teammates(document), _facts(document),
        _machine(document),
    ):  # fmt: skip
        if section.rows:
            yield section


def _faults(document: Document) -> Section:
    rows = [
        (fault["name"], f"for {lasted(fault['age_s'])}", fault["detail"], fault["action"], fault["who"])
        for fault in document["faults"]
    ]
    return Section("faults", ("fault", "open", "detail", "what it does", "cleared by"), rows)


def _motivations(document: Document) -> Section:
    rows = []
    for level in document["motivations"]:
        top = level["threshold"]
        filled = round(BAR * min(1.0, max(0.0, level["motivation"] / top)))
        levels = (f"{level[key]:.1f}" for key in ("motivation", "impatience", "acquiescence"))
        rows.append((level["set"], "#" * filled + "." * (BAR - filled), *levels, f"{top:g}", level["why"]))
    return Section("motivations", ("set", "", "motivation", "impatience", "acquiescence", "of", "why"), rows)


def _jobs(document: Document) -> Section:
    rows = [(job["task"], job["kind"], job["state"], job["who"] or "-", job["why"]) for job in document["jobs"]]
    return Section("jobs", ("task", "kind", "state", "robot", "why"), rows)


def _teammates(document: Document) -> Section:
    rows = []
    links = {contact["number"]: _link(contact) for contact in document["radio"]["heard"]}
    for mate in document["teammates"]:
        heard = "never" if mate["age_beats"] is None else f"{mate['age_beats']:.1f} beats ago"
        rows.append(
            (mate["name"], heard, mate["task"] or "-", mate["held"] or "-", links.get(mate["number"], "-"))
        )
    return Section("teammates", ("robot", "heard", "on", "holds", "frames"), rows)


def _link(contact: Document) -> str:
    """How many of a sender's frames came, and how strong the last one was."""
    share = f"{contact['frames']} of {contact['frames'] + contact['missed']}"
    strength = contact["strength_dbm"]
    return share if strength is None else f"{share}, {strength:.0f} dBm"


def _facts(document: Document) -> Section:
    rows = [
        (fact["name"], _value(fact["value"]), f"for {lasted(fact['age_s'])}", fact["by"] or "")
        for fact in document["facts"]
    ]
    return Section("facts", ("fact", "value", "known", "by"), rows)


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    if isinstance(value, float):
        return f"{value:.4g}"
    return "?" if value is None else "yes" if value is True else str(value)


def _machine(document: Document) -> Section:
    ticks, radio, body = document["ticks"], document["radio"], document["body"]
    rows: list[Row] = [(part["channel"], part["behavior"]) for part in document["channels"]]
    rows += [
        (f"port {port['name']}", f"{port['word']} for {lasted(port['age_s'])}: {port['detail']}")
        for port in document["ports"]
    ]
    refused = sum(radio["refused"].values())
    link = (
        f"{radio['pacing']}, {radio['sent']} frames sent, {sum(mate['frames'] for mate in radio['heard'])} heard"
    )
    rows.append(("radio", f"{'' if radio['alive'] else 'not alive, '}{link}, {refused} refused"))
    if radio["band"] is not None:
        rows.append(("airtime", _airtime(radio)))
    late = ticks["lateness"]
    spread = f"late by {late['p50_s'] * 1e3:.1f} ms in the median, {late['max_s'] * 1e3:.1f} ms at most"
    rows.append(("ticks", f"{ticks['count']}, {ticks['skipped']} skipped, {spread}"))
    rows.append(("resources", ", ".join(body["resources"]) or "none"))
    rows += [(f"no {part['resource']}", part["reason"]) for part in body["missing"]]
    return Section("machine", ("", ""), rows)


def _airtime(radio: Document) -> str:
    budget, period = radio["hour_budget_s"], radio["period_s"]
    used = f"{radio['hour_used_s']:.1f} s" + (f" of {budget:.1f} s" if budget is not None else "")
    rate = f"a frame every {period:.1f} s at most" if period is not None else "no frame is permitted"
    return f"{radio['band']}; {used} used in the last hour, {rate}"


def lasted(seconds: float) -> str:
    """A duration for people: 4.2 s, 12 min, 3.5 h."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def printable(text: str) -> str:
    """`text` without what could steer a terminal: details of faults hold whatever raised them."""
    return "".join(char if char.isprintable() else "?" for char in text)


def _show_rich(document: Document, named: str | None, console: Any) -> None:
    from rich.table import Table
    from rich.text import Text

    colour = "green" if document["state"]["may_move"] else "red" if document["faults"] else "yellow"
    for number, line in enumerate(head(document, named)):
        style = f"bold {colour}" if number == 0 else "yellow" if line.startswith("warning") else ""
        console.print(Text(printable(line), style=style))
    for section in sections(document):
        table = Table(
            *section.columns,
            title=section.title,
            title_justify="left",
            box=None,
            show_header=any(section.columns),
            title_style="bold red" if section.title == "faults" else "bold",
        )
        for row in section.rows:
            table.add_row(*(Text(printable(cell)) for cell in row))
        console.print()
        console.print(table)
