"""Why a robot did what it did, read from a run log: what happened to it, and how it stood at an instant."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from robotd.model.choice import Choice, Level, State
from robotd.model.inputs import Fault, Inputs
from robotd.record.log import LogLines, read_rows
from robotd.record.rows import Row

Progress = Callable[[int], None]
"""Receives how many bytes of the log were read so far."""


@dataclass(frozen=True, slots=True)
class Happened:
    """Something that happened at `at` (s from the start of the log), in words, with its cause.

    For programs: `kind` (of a coordinator's event its own; order, fault, cleared, state, lost), what it is about,
    and an event's numbers.
    """

    at: float
    what: str
    cause: str
    kind: str = ""
    set: str = ""
    task: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


def cause_of(choice: Choice) -> str:
    """Why what acts now was begun in this decision: the cause of the last event about it, '' without one."""
    leaf = choice.run[-1] if choice.run else None
    about = [
        event.cause for event in choice.events if leaf and (event.set == leaf.set or event.task == leaf.task.id)
    ]
    return about[-1] if about else ""


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

    def take(self, i: Inputs, state: State, choice: Choice | None, at: float) -> None:
        """One tick more."""
        self.at = at
        for order in i.orders:
            words = " ".join((order.kind, *order.args))
            self._note(f"order {words}", f"by {order.by or 'a person'}", "order")
        if i.faults is not self.faults:
            self._compare_faults(i.faults)
        if state.word != self.state.word:
            self._note(state.word, state.reason, "state")
        missing = i.capabilities.missing
        if missing is not self.missing:
            for part, why in missing:
                if (part, why) not in self.missing and why != "absent":
                    self._note(f"lost {part}", why, "lost")
        self.state, self.faults, self.missing = state, i.faults, missing
        if choice is not None:
            self._decide(choice)

    def _decide(self, choice: Choice) -> None:
        for event in choice.events:
            about = " ".join(word for word in (event.set, f"({event.task})" if event.task else "") if word)
            what = f"{event.kind} {about}".strip()
            self._note(what, event.cause, event.kind, event.set, event.task, event.data)
        leaf = choice.run[-1] if choice.run else None
        now = (leaf.set, leaf.task.id) if leaf is not None else ("", "")
        if now != (self.set, self.task):
            (self.set, self.task), self.since, self.cause = now, self.at, cause_of(choice)
        self.levels = choice.levels

    def _compare_faults(self, faults: Iterable[Fault]) -> None:
        open_now = {fault.name: fault.detail for fault in faults}
        before = {fault.name for fault in self.faults}
        for name, detail in open_now.items():
            if name not in before:
                self._note(f"fault {name}", detail, "fault")
        for name in sorted(before - open_now.keys()):
            self._note(f"fault {name} cleared", "its cause is over, or a person acknowledged it", "cleared")

    def _note(self, what: str, cause: str, *about: Any) -> None:
        self.happened.append(Happened(self.at, what, cause, *about))


class _Reading:
    """The accounts of all robots of a log, as its lines come."""

    def __init__(self, until: float) -> None:
        self.accounts: dict[str, Account] = {}
        self._until = until
        self._clocks: dict[
            str, tuple[float, float]
        ] = {}  # by robot: where the log begins on it, and its last tick
        self._is_simulated = False

    def note(self, line: Mapping[str, Any]) -> None:
        """A line that is no tick; whatever is wrong with it raises."""
        if "part" in line:
            self._is_simulated = line.get("seed") is not None
        elif "event" in line:
            event = line["event"]
            account = self.accounts.get(event["who"])
            if account is not None and event["at_s"] <= self._until:
                what = f"{event['verb']} {event['arg']}".strip()
                account.happened.append(Happened(event["at_s"], what, "done to it"))

    def tick(self, name: str, row: Row) -> None:
        """A robot's tick."""
        now = row.inputs.now
        account = self.accounts.setdefault(name, Account(name))
        begun, last = self._clocks.get(name, (0.0 if self._is_simulated else now, now))
        if now < last:  # its computer was started anew, and its clock with it
            at, begun = last - begun, begun + now - last
            if at <= self._until:
                account.happened.append(Happened(at, "started anew", "its clock began again"))
        self._clocks[name] = begun, now
        if now - begun <= self._until:
            account.take(row.inputs, row.state, row.choice, now - begun)


def accounts_of(log: str | Path, until: float | None = None, progress: Progress | None = None) -> list[Account]:
    """The account of each robot in a log, by name, at `until` (s from the start of the log; None: its end).

    OSError where there is no log; ValueError, with file and line, where a line is none of a run log.
    """
    reading, lines = _Reading(math.inf if until is None else until), LogLines(Path(log))
    for line in read_rows(lines):
        if progress is not None:
            progress(lines.read)
        if isinstance(line, tuple):
            reading.tick(*line)
            continue
        try:
            reading.note(line)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise ValueError(f"{lines.where}: not a line of a run log: {type(error).__name__}: {error}") from None
    return [reading.accounts[name] for name in sorted(reading.accounts)]


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
