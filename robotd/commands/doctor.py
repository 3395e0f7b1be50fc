"""`robotd doctor`: what on this computer keeps a robot from working, and what to do about each finding."""

import argparse
import dataclasses
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from robotd.doctor import computer, conflicts, permissions, ports
from robotd.doctor.view import Finding, View, note, problem, read_robot
from robotd.files.options import add_json
from robotd.files.paths import folder
from robotd.files.refusal import DONE, FAILED, describe, refuse_on

CHECKS = (*ports.CHECKS, *permissions.CHECKS, *conflicts.CHECKS, *computer.CHECKS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    file = "the robot file whose ports and key are looked at; default: the installed one, if there is one"
    parser.add_argument("file", metavar="ROBOT.toml", nargs="?", type=Path, help=file)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Exit status: 0 where no problem was found (there may be notes), 1 for a problem, 2 for a file that cannot be
    read."""
    view, unread = _view_for(args.file)
    findings = [*unread, *examine(view)]
    problems = sum(finding.severity == "problem" for finding in findings)
    if args.json:
        print(json.dumps({"ok": not problems, "findings": [dataclasses.asdict(finding) for finding in findings]}))
    else:
        print("\n".join(_words(findings)))
    return FAILED if problems else DONE


def examine(view: View) -> list[Finding]:
    """All findings, problems first."""
    found = [finding for check in CHECKS for finding in check(view)]
    return sorted(found, key=lambda finding: finding.severity != "problem")


def _view_for(file: Path | None) -> tuple[View, Sequence[Finding]]:
    """The view of this computer with a robot file; a note if the installed one cannot be read."""
    if file is None:
        installed = folder("config", {}, 0) / "robot.toml"
        try:
            return View(robot=read_robot(installed), folder=installed.parent), ()
        except FileNotFoundError:
            return View(), ()
        except OSError as error:
            unread = note("robot-file-unread", f"its ports were not looked at: {describe(error)}", "use sudo")
        except ValueError as error:
            unread = problem("robot-file-broken", str(error), f"mend it; robotd check {installed} reports more")
        return View(), (unread,)
    with refuse_on(ValueError):
        return View(robot=read_robot(file), folder=file.parent), ()


def _words(findings: Iterable[Finding]) -> Iterator[str]:
    count = {"problem": 0, "note": 0}
    for finding in findings:
        count[finding.severity] += 1
        yield f"{finding.severity}: {finding.name}: {finding.what}"
        yield f"  do: {finding.do}"
    numbers = ", ".join(f"{number} {word}{'' if number == 1 else 's'}" for word, number in count.items())
    yield f"{len(CHECKS)} checks: {numbers}"
