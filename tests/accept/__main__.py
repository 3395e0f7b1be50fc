"""`python -m tests.accept WHAT`: run every line that a piece of work is shown by, and print a table."""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from robotd.timing.clock import monotonic
from tests.accept.check import Check, Result, checks_of, chosen, measured, write
from tests.accept.desk import ROOT, Desk


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status 0 all passed, 1 one failed, 2 bad usage."""
    options = arguments().parse_args(argv)
    try:
        checks = chosen(checks_of(options.what), options.only)
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if options.list:
        sys.stdout.writelines(f"{check.id:5} {check.what}: {check.command}\n" for check in checks)
        return 0
    folder = Path(options.out).resolve() if options.out else ROOT / "build" / "accept" / options.what
    desk = Desk(folder, quick=options.quick, jobs=options.jobs, resume=options.resume)
    results: list[Result] = []
    interrupted = False
    try:
        with progress(len(checks)) as tell:
            run(checks, desk, results, tell)
    except KeyboardInterrupt:
        interrupted = True
    if options.json:
        rows = [result.as_json() for result in results]
        sys.stdout.write(json.dumps({"what": options.what, "quick": options.quick, "checks": rows}) + "\n")
    else:
        write(results)
    if interrupted:
        sys.stderr.write("interrupted; --resume takes up what was found\n")
        return 128 + signal.SIGINT
    if desk.changed:
        sys.stderr.write("the code was changed while this ran: the figures are of more than one program\n")
    return 0 if all(result.found.ok for result in results) else 1


def arguments() -> argparse.ArgumentParser:
    """What may be asked."""
    parser = argparse.ArgumentParser(prog="python -m tests.accept", description=__doc__)
    parser.add_argument("what", help="the piece of work, such as daemon")
    parser.add_argument("--only", default="", metavar="N,M", help="these lines (2) or parts of lines (2.1) alone")
    parser.add_argument("--jobs", type=int, default=2, metavar="J", help="simulations at once (default 2)")
    parser.add_argument("--quick", action="store_true", help="fewer seeds and examples: for a look, no proof")
    parser.add_argument("--out", metavar="DIR", help="folder for what is written (default build/accept/WHAT)")
    parser.add_argument("--resume", action="store_true", help="take up what the same code was found to do before")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--list", action="store_true", help="only say what would run")
    return parser


def _tell_part(tell: Tell, number: int, check: Check, text: str) -> None:
    tell(number, f"{check.id} {check.what}: {text}")


def run(checks: Sequence[Check], desk: Desk, results: list[Result], tell: Tell) -> None:
    """Measure one check after the other; what is found stands in the state file before the next begins."""
    for number, check in enumerate(checks):
        tell(number, f"{check.id} {check.what}")
        desk.tell = functools.partial(_tell_part, tell, number, check)
        start = monotonic()
        found = measured(check, desk)
        results.append(Result(check, found, monotonic() - start))
        tell(number + 1, f"{check.id} {'pass' if found.ok else 'FAIL'}: {found.figure}")


Tell = Callable[[int, str], None]
"""Told how many checks are done, and what goes on."""


@contextlib.contextmanager
def progress(total: int) -> Iterator[Tell]:
    """A bar on standard error where that is a terminal, else a line for each step."""
    if not sys.stderr.isatty():

        def line(done: int, text: str) -> None:
            sys.stderr.write(f"[{done}/{total}] {text}\n")

        yield line
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda done, text: bar.update(task, completed=done, description=text)


if __name__ == "__main__":
    sys.exit(main())
