"""A check of the acceptance: a line of what the work is shown by, what a person would type, and what it gave."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tests.accept.desk import CommandError, Desk

FAILURES = (ArithmeticError, AssertionError, CommandError, LookupError, OSError, TypeError, ValueError)
"""What a check meets where the program does not do what it should: a failed check, not an end of the others."""


class Found(NamedTuple):
    """What a check found, what it is held against, and whether it holds."""

    figure: str
    bound: str
    ok: bool


@dataclass(frozen=True)
class Check:
    """`id` is LINE.PART: the line under "Shown by", counted from 1, and which part of it this is."""

    id: str
    what: str
    command: str
    measure: Callable[[Desk], Found]

    @property
    def line(self) -> str:
        """The line alone."""
        return self.id.partition(".")[0]


@dataclass(frozen=True)
class Result:
    """A check and what it found, in `seconds`."""

    check: Check
    found: Found
    seconds: float

    def as_json(self) -> dict[str, object]:
        """One row of the table."""
        return {
            "line": self.check.id,
            "what": self.check.what,
            "command": self.check.command,
            **self.found._asdict(),
            "seconds": round(self.seconds, 1),
        }


def measured(check: Check, desk: Desk) -> Found:
    """What the check finds; whatever goes wrong on the way is a failure with its reason as the figure.

    What passed is kept, so that only the rest is tried again.
    """
    key = f"check {check.id}{' quick' if desk.quick else ''}"
    kept = desk.found(key)
    if kept is not None:
        return Found(*kept)
    try:
        found = check.measure(desk)
    except FAILURES as error:
        return Found(f"{type(error).__name__}: {error}", "no error", ok=False)
    if found.ok:
        desk.keep(key, list(found))
    return found


def checks_of(what: str) -> Sequence[Check]:
    """The checks of an acceptance; ValueError with the names there are."""
    there = sorted(path.parent.name for path in Path(__file__).parent.glob("*/__init__.py"))
    if what not in there:
        raise ValueError(f"no acceptance {what!r}; there are: {', '.join(there)}")
    checks: Sequence[Check] = importlib.import_module(f"tests.accept.{what}").CHECKS
    return checks


def chosen(checks: Sequence[Check], only: str) -> list[Check]:
    """Those of `only`, lines or single parts ("2,3.1"), all where it is empty; ValueError for one not there."""
    wanted = [word.strip() for word in only.split(",") if word.strip()]
    for word in wanted:
        if not any(word in (check.id, check.line) for check in checks):
            raise ValueError(f"no line {word!r}; there are: {', '.join(check.id for check in checks)}")
    return [check for check in checks if not wanted or check.id in wanted or check.line in wanted]
