"""`python -m tests.accept WHAT`: run every line that a piece of work is shown by, and print a table."""

import argparse
import functools
import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from robotd.timing.clock import monotonic
from tests.accept.check import Check, Result, checks_of, chosen, measured, write
from tests.accept.desk import ROOT, Desk


def main(argv: Sequence[str] | None = None) -> int:
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
        run(checks, desk, results)
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
    parser = argparse.ArgumentParser(prog="python -m tests.accept", description=__doc__)
    parser.add_argument("what", help="the piece of work, such as daemon")
    parser.add_argument("--only", default="", metavar="N,M", help="these lines (2) or parts of lines (2.1) alone")
    parser.add_argument("--jobs", type=int, default=2, metavar="J", help="simulations at once (default 2)")
    parser.add_argument("--quick", action="store_true", help="fewer seeds and examples: for a look, no proof")
    parser.add_argument("--out", metavar="DIR", help="folder for what is written (default build/accept/WHAT)")
    parser.add_argument("--resume", action="store_true", help="take up what the same code was found to do before")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--list", action="store_true", help="only list what would run")
    return parser


def run(checks: Sequence[Check], desk: Desk, results: list[Result]) -> None:
    """Measure one check after the other; what is found is written to the state file before the next begins."""

    def report(number: int, check: Check, text: str) -> None:
        sys.stderr.write(f"[{number}/{len(checks)}] {check.id} {text}\n")

    for number, check in enumerate(checks):
        report(number, check, check.what)
        desk.report = functools.partial(report, number, check)
        start = monotonic()
        found = measured(check, desk)
        results.append(Result(check, found, monotonic() - start))
        report(number + 1, check, f"{'pass' if found.ok else 'FAIL'}: {found.figure}")


if __name__ == "__main__":
    sys.exit(main())
