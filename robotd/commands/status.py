"""`robotd status`: what a running robot does and why, over its local socket."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robotd.control.client import add_arguments, ask, find_socket, find_sockets, format_state
from robotd.files.refusal import DONE, FAILED, Refusal
from robotd.files.text import printable

if TYPE_CHECKING:
    from robotd.status.model import Status

__all__ = ["add_arguments", "run"]


def run(args: argparse.Namespace) -> int:
    """Exit status: 0; 1 where a robot cannot be asked or has not ticked yet; 2 where no robot has that name.

    Of several robots, where none is named, each has a line (with --json its whole document).
    """
    found = [find_socket(args.robot)] if args.robot else list(find_sockets().values())
    if len(found) == 1:
        _report(found[0], args, alone=True)
        return DONE
    worst = DONE
    for path in found:
        try:
            _report(path, args, alone=False)
        except Refusal as error:
            worst = max(worst, error.report(as_json=args.json))
    return worst


def _report(path: Path, args: argparse.Namespace, *, alone: bool) -> None:
    """Print the status of the robot at `path`; Refusal where it cannot be asked, or has none yet."""
    answer = ask(path, {"do": "status"})
    document = answer.get("status")
    if not answer.get("ok"):
        raise Refusal(f"{path.stem}: {answer.get('error', 'refused')}", FAILED)
    if args.json:
        print(json.dumps(document or answer))
    elif document is None:
        print(format_state(answer, args.robot))
    else:
        _print(path, document, args.robot, alone=alone)


def _print(path: Path, document: Any, named: str | None, *, alone: bool) -> None:
    from robotd.status.model import read_status
    from robotd.status.words import summary

    try:
        status = read_status(document)
    except ValueError:
        advice = "restart it, or print its document with --json"
        raise Refusal(f"{path.stem} runs another version of robotd: {advice}", FAILED) from None
    if alone:
        show(status, named)
    else:
        print(printable(summary(status)))


def show(status: Status, named: str | None = None) -> None:
    """Print a status for people: in colours on a terminal where rich is installed, else plainly.

    `named`: the robot that the person had to name, as several run here.
    """
    from robotd.status.words import lines_of

    if sys.stdout.isatty():
        try:
            from rich.console import Console
        except ImportError:
            pass
        else:
            _show_rich(status, named, Console())
            return
    print("\n".join(map(printable, lines_of(status, named))))


def _show_rich(status: Status, named: str | None, console: Any) -> None:
    from rich.table import Table
    from rich.text import Text

    from robotd.status.words import head, sections

    colour = "green" if status.state.may_move else "red" if status.faults else "yellow"
    for number, line in enumerate(head(status, named)):
        style = f"bold {colour}" if number == 0 else "yellow" if line.startswith("warning") else ""
        console.print(Text(printable(line), style=style))
    for section in sections(status):
        style = "bold red" if section.title == "faults" else "bold"
        table = Table(*section.columns, title=section.title, title_justify="left", box=None,
                      show_header=any(section.columns), title_style=style)  # fmt: skip
        for row in section.rows:
            table.add_row(*(Text(printable(cell)) for cell in row))
        console.print()
        console.print(table)
