"""A check of an acceptance: what it shows, the command that a person would type, and what came of it."""

import importlib
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TextIO

from tests.accept.desk import Desk


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
        return self.id.partition(".")[0]


class Result(NamedTuple):
    """A check and what it found, in `seconds`."""

    check: Check
    found: Found
    seconds: float

    def as_json(self) -> dict[str, object]:
        check = {"line": self.check.id, "what": self.check.what, "command": self.check.command}
        return {**check, **self.found._asdict(), "seconds": round(self.seconds, 1)}


def measured(check: Check, desk: Desk) -> Found:
    """What the check finds; any exception on the way is a failure with its reason as the figure.

    What passed is kept, so that only the rest is tried again.
    """
    key = f"check {check.id}{' quick' if desk.quick else ''}"
    kept = desk.found(key)
    if kept is not None:
        return Found(*kept)
    try:
        found = check.measure(desk)
    except Exception as error:  # noqa: BLE001 - a failed check, and the others go on
        return Found(f"{type(error).__name__}: {error}", "no error", ok=False)
    if found.ok:
        desk.keep(key, list(found))
    return found


def checks_of(what: str) -> Sequence[Check]:
    """The checks of all modules of an acceptance, in order of their ids; ValueError with the names there are."""
    here = Path(__file__).parent
    there = sorted(path.parent.name for path in here.glob("*/__init__.py"))
    if what not in there:
        raise ValueError(f"no acceptance {what!r}; there are: {', '.join(there)}")
    modules = [importlib.import_module(f"tests.accept.{what}.{path.stem}") for path in (here / what).glob("*.py")]
    checks = [check for module in modules for check in getattr(module, "CHECKS", ())]
    return sorted(checks, key=lambda check: [int(part) for part in check.id.split(".")])


def chosen(checks: Sequence[Check], only: str) -> list[Check]:
    """Those of `only`, lines or single parts ("2,3.1"), all where it is empty; ValueError for one not there."""
    wanted = [word.strip() for word in only.split(",") if word.strip()]
    for word in wanted:
        if not any(word in (check.id, check.line) for check in checks):
            raise ValueError(f"no line {word!r}; there are: {', '.join(check.id for check in checks)}")
    return [check for check in checks if not wanted or check.id in wanted or check.line in wanted]


def passed(desk: Desk, *tests: str, env: Mapping[str, str] | None = None) -> Found:
    """Whether all `tests`, as pytest names them, pass, and none is skipped."""
    ran = desk.run(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *tests, env=env)
    last = ran.out.strip().splitlines()[-1:] or [ran.err.strip()[-200:]]
    return Found(f"exit {ran.code}; {last[0]}", "exit 0, none skipped", ran.code == 0 and "skipped" not in last[0])


def pytest_check(id: str, what: str, *words: str) -> Check:
    """The check that pytest, given `words`, passes and skips nothing."""
    return Check(id, what, f"pytest {shlex.join(words)}", lambda desk: passed(desk, *words))


def bench_check(id: str, what: str, name: str) -> Check:
    """The check of one benchmark: its figures, each measured, and against its bound where it has one."""

    def measure(desk: Desk) -> Found:
        ran = desk.run(sys.executable, "-m", "tests.bench", name, "--json")
        figures = ran.document()["figures"]
        shown = [f"{each['name']}: {each['value']:.3g} {each['unit']} ({each['detail']})" for each in figures]
        bounds = [f"{each['bound']} {each['unit']}" for each in figures if each["bound"]]
        met = all(each["met"] is not False and not each["detail"].startswith("not measured") for each in figures)
        return Found("; ".join(shown), ", ".join(bounds), ran.code == 0 and bool(bounds) and met)

    return Check(id, what, f"python -m tests.bench {name} --json", measure)


def besides(figure: str, bad: Sequence[str], word: str = "not") -> str:
    return figure + (f"; {word}: {', '.join(bad)}" if bad else "")


def write(results: Sequence[Result], out: TextIO | None = None) -> None:
    """Line, verdict, what is shown and by which command, the figure it gave, its bound; and the count."""
    lines = []
    for check, found, _ in results:
        lines += [f"{check.id:5} {'pass' if found.ok else 'FAIL'}  {check.what}", f"      $ {check.command}"]
        lines.append(f"      {found.figure}  [{found.bound}]")
    failed = [result.check.id for result in results if not result.found.ok]
    count = f"{len(failed)} of {len(results)} checks failed: {', '.join(failed)}"
    lines.append(count if failed else f"all {len(results)} checks passed")
    (out or sys.stdout).write("\n".join(lines) + "\n")
