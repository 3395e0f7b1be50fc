"""Why a robot did what it did, read from a run log: what happened to it, and how it stood at an instant."""

import datetime as dt
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any

from robotd.model.choice import Choice, Level, State
from robotd.model.command import EXPIRY_S
from robotd.model.inputs import Fault, Inputs, Order
from robotd.model.value import value
from robotd.record.dates import Dates, epoch_of, utc_text
from robotd.record.happened import OFF, SIMULATION, named, names_of, why_done
from robotd.record.reading import BROKEN, LogLines, read_rows
from robotd.record.rows import Row

Progress = Callable[[int], None]
"""Receives how many bytes of the log were read so far."""
NO_LAST_LINE = "it ended without a last line: its guardian or a person killed it, or the power failed"
RENEWS = ("assigned",)  # kinds of events that give what acts already another cause
ONE_RUN_S = 60.0  # robots that started within a minute of each other's ticks are in one run


@value
class Happened:
    """Something that happened at `at` (s from the start of the log), in words, with its cause.

    For programs: `kind` (of a coordinator's event its own; order, fault, cleared, state, lost, started, raised,
    or event, which was done to it), what it is about, and an event's numbers.
    """

    at: float
    what: str
    cause: str
    kind: str = ""
    set: str = ""
    task: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


def record_of(robot: str, one: Happened) -> dict[str, Any]:
    """What happened to a robot as a plain record, to which whoever keeps it adds the time."""
    words = {"what": one.what, "cause": one.cause}
    return {"robot": robot, "kind": one.kind, "set": one.set, "task": one.task, **words}


def done_to(event: Mapping[str, Any]) -> Happened:
    """An event of a simulation, as its note in the log has it."""
    verb, arg = event["verb"], event["arg"]
    return Happened(event["at_s"], f"{verb} {arg}".strip(), why_done(verb, arg), "event")


def raised_at(at: float, what: str) -> Happened:
    """A tick that raised `what` at `at` (s from the start of the log), of which there is a note and no row."""
    return Happened(at, "tick raised", what, "raised")


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

    `set` and `task`: what acted ('' nothing), `since` then; `cause`: why it was begun. `ended`: why its run, or
    its daemon, ended, where the log says so by then; `open`: it should, and does not. `off`: why it has had no
    tick since `at`, where something was done to its computer.
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
    ended: str = ""
    open: bool = False
    off: str = ""
    dates: Dates = field(default_factory=Dates)
    happened: list[Happened] = field(default_factory=list)
    driven_at: float = -math.inf  # by hand, by the last order
    names: dict[str, str] = field(default_factory=dict)  # of tasks that were introduced at run time

    @property
    def lost(self) -> list[tuple[str, str]]:
        """The parts that it has lost and why, not those that were never fitted."""
        return [(part, why) for part, why in self.missing if why != "absent"]

    @property
    def named(self) -> str:
        """The task that it is on as the mission has it, where it was introduced at run time too."""
        return self.names.get(self.task, self.task)

    @property
    def doing(self) -> str:
        """What acts, in words."""
        return f"{self.set} ({self.named})" if self.named not in ("", self.set) else self.set or "no behavior set"

    def take(self, i: Inputs, state: State, choice: Choice | None, at: float, *, anew: bool = False) -> None:
        """One tick more; `anew`: the first of another start of its process."""
        self.at, self.off = at, ""
        for order in i.orders:
            is_over = order.kind == "drive" and order.age(i.now) >= EXPIRY_S  # it drives nothing any more
            if order.by != SIMULATION and not is_over:
                self._take_order(order)
        if i.faults is not self.faults:
            self._compare_faults(i, anew=anew)
        if state.word != self.state.word:
            self.note(state.word, state.reason, "state")
        missing = i.capabilities.missing
        if missing is not self.missing:
            for part, why in missing:
                if (part, why) not in self.missing and why != "absent":
                    self.note(f"lost {part}", why, "lost")
        self.state, self.faults, self.missing = state, i.faults, missing
        if choice is not None:
            self._decide(choice)

    def _take_order(self, order: Order) -> None:
        """Of orders to drive by hand, which come several times a second, the first."""
        words, by = " ".join(("order", order.kind, *order.args)), f"by {order.by or 'a person'}"
        if order.kind == "drive":
            words, goes_on, self.driven_at = "driven by hand", self.at - self.driven_at < EXPIRY_S, self.at
            if goes_on:
                return
        self.note(words, by, "order")

    def _decide(self, choice: Choice) -> None:
        for event in choice.events:
            self.names |= names_of(event)
            self.note(named(event), event.cause, event.kind, event.set, event.task, event.data)
        leaf = choice.run[-1] if choice.run else None
        now = (leaf.set, leaf.task.id) if leaf is not None else ("", "")
        if now != (self.set, self.task):
            (self.set, self.task), self.since, self.cause = now, self.at, cause_of(choice)
        elif choice.events and (not self.cause or any(event.kind in RENEWS for event in choice.events)):
            self.cause = cause_of(choice) or self.cause
        self.levels = choice.levels

    def _compare_faults(self, i: Inputs, *, anew: bool) -> None:
        open_now = {fault.name: fault.detail for fault in i.faults}
        before = {fault.name: fault.since for fault in self.faults}
        people = [order.by or "a person" for order in i.orders if order.kind == "acknowledge"]
        for name, detail in open_now.items():
            if name not in before:
                self.note(f"fault {name}", detail, "fault")
        for name in sorted(before.keys() - open_now.keys()):
            lasted = f"after {max(0.0, i.now - before[name]):.1f} s"
            if anew:
                why = "its process has started anew"
            else:
                why = f"acknowledged by {people[0]} {lasted}" if people else f"its cause is over {lasted}"
            self.note(f"fault {name} cleared", why, "cleared")

    def note(self, what: str, cause: str, *about: Any) -> None:
        """Something happened to it just now; `about`: the further fields of `Happened`."""
        self.happened.append(Happened(self.at, what, cause, *about))


@dataclass
class Accounts:
    """The accounts of all robots of a log, by name; `cut`: which last lines of it a power cut left half."""

    robots: list[Account]
    cut: str = ""


class LogClock:
    """From the robots' own clocks to seconds from the start of a log."""

    def __init__(self) -> None:
        self.is_simulated = False
        self._of: dict[str, tuple[float, float]] = {}  # by robot: where the log begins on it, and its last tick

    def at(self, robot: str, now: float) -> float:
        """When a tick at `now` on its robot's clock was; a clock that began again goes on where it was."""
        known = self._of.get(robot)
        begun, last = known or (0.0 if self.is_simulated else self._start(now), now)
        begun += min(0.0, now - last)
        self._of[robot] = begun, now
        return now - begun

    def _start(self, now: float) -> float:
        """Where the log begins for a robot first met at `now`: robots of one computer have one clock."""
        for begun, last in self._of.values():
            if begun - ONE_RUN_S <= now <= last + ONE_RUN_S:
                return begun
        return now


def read_happenings(
    lines: LogLines, progress: Progress | None = None
) -> Iterator[tuple[str, float, Row | Happened]]:
    """Each tick of a log and all that was done to a robot: its name, when it was (s from the start), and what.

    ValueError, with file and line, where a line is none of a run log.
    """
    clock = LogClock()
    for line in read_rows(lines):
        if progress is not None:
            progress(lines.read)
        if isinstance(line, tuple):
            robot, row = line
            yield robot, clock.at(robot, row.inputs.now), row
            continue
        try:
            done = _done_in(line, clock)
        except BROKEN as error:
            raise lines.fault(error) from None
        if done is not None:
            yield done


def _done_in(line: Mapping[str, Any], clock: LogClock) -> tuple[str, float, Happened] | None:
    """What a line that is no tick holds of what happened to a robot."""
    if "part" in line:
        clock.is_simulated = line.get("seed") is not None
    elif "event" in line:
        done = done_to(line["event"])
        return line["event"]["who"], done.at, done
    elif "raised" in line:
        robot, now, what = itemgetter("robot", "now", "what")(line["raised"])
        at = clock.at(robot, now)
        return robot, at, raised_at(at, what)
    return None


class _Reading:
    """The accounts of all robots of a log, as its lines come."""

    def __init__(self, until: float | dt.datetime) -> None:
        self.accounts: dict[str, Account] = {}
        self._until = until if isinstance(until, float | int) else math.inf
        self._until_utc = until.timestamp() if isinstance(until, dt.datetime) else math.inf
        self._utc: float | None = None  # what is to be added to a robot's clock, s since 1970; None: not known
        self._first_utc = math.inf
        self._later: set[str] = set()  # robots of which there is more after that instant
        self._clock = LogClock()
        self._last: dict[str, tuple[float, float]] = {}  # by robot its last tick, on its clock and from the start
        self._anew: set[str] = set()
        self._ends: dict[str, str] = {}

    def note(self, line: Mapping[str, Any]) -> None:
        """A line that is no tick; whatever is wrong with it raises."""
        if "part" in line:
            self._clock.is_simulated = line.get("seed") is not None
            self._utc = epoch_of(line["utc"]) - line["now"] if line.get("utc") else None
            if line["part"] == 0:
                self._anew |= self.accounts.keys() & line["frozen"].keys()
        elif "event" in line:
            event = line["event"]
            account = self.accounts.get(event["who"])
            if account is not None and event["at_s"] <= self._until:
                account.happened.append(done_to(event))
                if event["verb"] in OFF:
                    account.off = OFF[event["verb"]]
        elif "raised" in line:
            self._raised(**line["raised"])
        elif "end" in line:
            end = line["end"]
            self._ends |= dict.fromkeys([end["robot"]] if "robot" in end else self.accounts, str(end["reason"]))

    def _raised(self, robot: str, now: float, what: str, **_: Any) -> None:
        """A robot's tick that left no row; it may be the first."""
        account, at = self.accounts.setdefault(robot, Account(robot)), self._clock.at(robot, now)
        self._last.setdefault(robot, (now, at))
        if not self._is_later(robot, at, now):
            account.at, account.state = at, State("faulted", f"tick-raised: {what}", "", may_move=False)
            account.happened.append(raised_at(at, what))

    def tick(self, name: str, row: Row) -> None:
        """A robot's tick."""
        now, account = row.inputs.now, self.accounts.setdefault(name, Account(name))
        at = self._clock.at(name, now)
        if name in self._last and now < self._last[name][0]:  # its computer, and its clock, were started anew
            self._anew.add(name)
        is_anew, self._last[name] = name in self._anew, (now, at)
        self._anew.discard(name)
        how = self._ends.pop(name, "") if is_anew else ""
        if self._is_later(name, at, now):
            return
        if self._utc is not None:
            account.dates.note(at, now + self._utc)
        if is_anew:
            account.at = at
            account.note("started anew", how or account.off or NO_LAST_LINE, "started")
        account.take(row.inputs, row.state, row.choice, at, anew=is_anew)

    def _is_later(self, robot: str, at: float, now: float) -> bool:
        """Whether a tick of a robot comes after the instant that was asked for."""
        if self._utc is not None:
            self._first_utc = min(self._first_utc, now + self._utc)
        is_later = at > self._until or (self._utc is not None and now + self._utc > self._until_utc)
        if is_later:
            self._later.add(robot)
        return is_later

    def finish(self) -> list[Account]:
        """All accounts, with how each ended; ValueError where a date was asked for that the log cannot know."""
        if self._until_utc < self._first_utc:
            begun = f"begins at {utc_text(self._first_utc)}" if self._first_utc < math.inf else "holds no date"
            raise ValueError(f"this log {begun}: nothing is known of {utc_text(self._until_utc)}")
        for name, account in self.accounts.items():
            if name not in self._later:
                account.ended = self._ends.get(name, "")
                account.open = not account.ended and not self._clock.is_simulated
        return [self.accounts[name] for name in sorted(self.accounts)]


def read_accounts(
    log: str | Path,
    until: float | dt.datetime | None = None,
    progress: Progress | None = None,
    see: Callable[[str, Row], None] | None = None,
) -> Accounts:
    """The account of each robot in a log at `until` (s from its start, or a date and time; None: its end).

    `see` receives each tick, by its robot's name.
    OSError where there is no log; ValueError, with file and line, where a line is none of a run log, and where a
    date is not in it.
    """
    reading, lines = _Reading(math.inf if until is None else until), LogLines(Path(log))
    for line in read_rows(lines):
        if progress is not None:
            progress(lines.read)
        if isinstance(line, tuple):
            reading.tick(*line)
            if see is not None:
                see(*line)
            continue
        try:
            reading.note(line)
        except BROKEN as error:
            raise lines.fault(error) from None
    return Accounts(reading.finish(), lines.cut)
