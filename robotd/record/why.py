"""Why a robot did what it did, read from a run log: what happened to it, and how it stood at an instant."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from robotd.model.choice import Choice, Level, State
from robotd.model.inputs import Fault
from robotd.record.log import LogLines
from robotd.record.rows import Row, RowReader

Progress = Callable[[int], None]
"""Receives how many bytes of the log were read so far."""


@dataclass(frozen=True, slots=True)
class Happened:
    """Something that happened at `at` (s from the start of the log), in words, with its cause."""

    at: float
    what: str
    cause: str


@dataclass
class Account:
    """How one robot stood at `at` (s), and what had happened to it by then, the oldest first.

    `set` and `task`: what acted ('' nothing), `since` then; `cause`: why it was begun.
    """

    robot: str
    at: float = 0.0
    state: State = field(default_factory=lambda: State("", "", "", may_move=False))
    set: str = ""
    task: str = ""
    since: float = 0.0
    cause: str = ""
    levels: tuple[Level, ...] = ()
    faults: tuple[Fault, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()
    happened: list[Happened] = field(default_factory=list)

    def take(self, row: Row, at: float) -> None:
        """One tick more."""
        self.at = at
        for order in row.inputs.orders:
            words = " ".join((order.kind, *order.args))
            self._note(f"order {words}", f"by {order.by or 'a person'}")
        self._compare_faults(row.inputs.faults)
        if row.state.word != self.state.word:
            self._note(row.state.word, row.state.reason)
        missing = row.inputs.capabilities.missing
        for part, why in missing:
            if (part, why) not in self.missing and why != "absent":
                self._note(f"lost {part}", why)
        self.state, self.faults, self.missing = row.state, row.inputs.faults, missing
        if row.choice is not None:
            self._decide(row.choice)

    def _decide(self, choice: Choice) -> None:
        for event in choice.events:
            about = " ".join(word for word in (event.set, f"({event.task})" if event.task else "") if word)
            self._note(f"{event.kind} {about}".strip(), event.cause)
        leaf = choice.run[-1] if choice.run else None
        now = (leaf.set, leaf.task.id) if leaf is not None else ("", "")
        if now != (self.set, self.task):
            (self.set, self.task), self.since = now, self.at
            causes = [event.cause for event in choice.events if event.set == self.set or event.task == self.task]
            self.cause = causes[-1] if causes else ""
        self.levels = choice.levels

    def _compare_faults(self, faults: Iterable[Fault]) -> None:
        open_now = {fault.name: fault.detail for fault in faults}
        before = {fault.name for fault in self.faults}
        for name, detail in open_now.items():
            if name not in before:
                self._note(f"fault {name}", detail)
        for name in sorted(before - open_now.keys()):
            self._note(f"fault {name} cleared", "its cause is over, or a person acknowledged it")

    def _note(self, what: str, cause: str) -> None:
        self.happened.append(Happened(self.at, what, cause))


def accounts_of(log: str | Path, until: float | None = None, progress: Progress | None = None) -> list[Account]:
    """The account of each robot in a log, by name, at `until` (s from the start of the log; None: its end).

    OSError where there is no log; ValueError, with file and line, where a line is none of a run log.
    """
    accounts: dict[str, Account] = {}
    readers: dict[str, RowReader] = {}
    clocks: dict[str, tuple[float, float]] = {}  # by robot: when its clock began, s of the log, and the last tick
    lines, origin = LogLines(Path(log)), None
    for line in lines:
        if progress is not None:
            progress(lines.read)
        if isinstance(line, dict):
            if "part" in line:
                readers = {}
                origin = 0.0 if line.get("seed") is not None else None
            event = line.get("event")
            if event and event["who"] in accounts and (until is None or event["at_s"] <= until):
                what = f"{event['verb']} {event['arg']}".strip()
                accounts[event["who"]].happened.append(Happened(event["at_s"], what, "done to it"))
            continue
        name = str(line[0])
        try:
            row = readers.setdefault(name, RowReader()).read(line)
        except (ValueError, TypeError, IndexError) as error:
            raise ValueError(f"{lines.where}: {error}") from None
        account = accounts.setdefault(name, Account(name))
        begun, last = clocks.get(name, (row.inputs.now if origin is None else origin, row.inputs.now))
        if row.inputs.now < last:  # its computer was started anew, and its clock with it
            begun += row.inputs.now - last
            account.happened.append(Happened(last - clocks[name][0], "started anew", "its clock began again"))
        clocks[name] = (begun, row.inputs.now)
        at = row.inputs.now - begun
        if until is not None and at > until:
            continue
        account.take(row, at)
    return [accounts[name] for name in sorted(accounts)]


def as_json(account: Account) -> dict[str, Any]:
    """The object that `robotd why --json` prints of a robot."""
    return {
        "robot": account.robot, "at_s": round(account.at, 3), "state": account.state.word,
        "reason": account.state.reason, "next_step": account.state.next_step,
        "set": account.set, "task": account.task, "since_s": round(account.since, 3), "cause": account.cause,
        "faults": [{"name": one.name, "detail": one.detail} for one in account.faults],
        "missing": [{"part": part, "why": why} for part, why in account.missing if why != "absent"],
        "levels": [{"set": one.set, "scores": dict(one.scores), "limit": one.limit, "why": one.why}
                   for one in account.levels],
        "happened": [{"at_s": round(one.at, 3), "what": one.what, "cause": one.cause} for one in account.happened],
    }  # fmt: skip
