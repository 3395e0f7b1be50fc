"""One robot's motivations, run alone on virtual time from a scripted scenario (`robotd motivate`)."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from motivation.alliance.equations import SAME, Bools, Parameters, State, complete, hear, step
from robotd.files.toml import Path, line_of, read

DEFAULT = "default"
SCENARIO_KEYS = (
    "tick_s", "duration_s", "threshold", "silence_timeout_s", "beat_s", "rank", "ranks", "set", "event",
)  # fmt: skip
SET_KEYS = (
    "name", "task", "fast_rate", "slow_rate", "patience_s", "yield_time_s", "give_up_time_s", "applicable",
    "preempts",
)  # fmt: skip
CHANGES = ("applicable", "heard", "done")
KINDS = {str: "a string", bool: "true or false", dict: "a table", list: "an array of tables"}


class Problem(NamedTuple):
    """What is wrong with a scenario, and on which line (from 1)."""

    line: int
    reason: str


class ScenarioError(Exception):
    """Everything that is wrong with a scenario, by line."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(f"line {line}: {reason}" for line, reason in problems))
        self.problems = tuple(problems)


@dataclass(frozen=True)
class SetSpec:
    """One `[[set]]`: rates in motivation per second, times in seconds, per teammate with a `default`."""

    name: str
    task: str
    fast_rate: float
    slow_rate: dict[str, float]
    patience_s: dict[str, float]
    yield_time_s: float
    give_up_time_s: float
    applicable: bool
    preempts: bool


@dataclass(frozen=True)
class Applies:
    """Sensory feedback of the named sets changes."""

    at_s: float
    sets: dict[str, bool]


@dataclass(frozen=True)
class Heard:
    """An activity statement arrives; `elapsed_s`: how long its sender has claimed the task, if it said."""

    at_s: float
    by: str
    task: str
    elapsed_s: float | None


@dataclass(frozen=True)
class Done:
    """A task was completed, by a teammate or by this robot (None)."""

    at_s: float
    task: str
    by: str | None


Change = Applies | Heard | Done


@dataclass(frozen=True)
class Scenario:
    """A valid scenario; `events` in the order in which they happen; `ranks` of teammates, absent: last."""

    tick_s: float
    duration_s: float
    threshold: float
    silence_timeout_s: float
    beat_s: float
    rank: float
    ranks: dict[str, float]
    sets: tuple[SetSpec, ...]
    events: tuple[Change, ...]

    @property
    def ticks(self) -> int:
        """How many ticks the duration holds; the last may fall on its end."""
        return math.floor(self.duration_s / self.tick_s + SAME)

    @property
    def mates(self) -> list[str]:
        """The teammates that are ever heard, sorted."""
        return sorted({event.by for event in self.events if isinstance(event, Heard)})


class Row(NamedTuple):
    """The state after one tick: `levels` in declared order, the active set's name or None."""

    time_s: float
    levels: tuple[float, ...]
    active: str | None


def parse(data: bytes) -> Scenario:
    """Raises ScenarioError with every problem at once, or TomlSyntaxError."""
    text, values = read(data)
    reader = _Reader(values)
    scenario = reader.scenario()
    if reader.problems:
        lines = sorted({Problem(line_of(text, path), reason) for path, reason in reader.problems})
        raise ScenarioError(lines)
    return scenario


def run(scenario: Scenario, *, by_the_letter: bool = False) -> Iterator[Row]:
    """One row per tick, computed as it is asked for; `by_the_letter` as in `Parameters`."""
    mates = scenario.mates
    params = replace(parameters(scenario, mates), by_the_letter=by_the_letter)
    state = State.start((len(scenario.sets), len(mates)))
    names = [spec.name for spec in scenario.sets]
    tasks = {spec.task: np.array([other.task == spec.task for other in scenario.sets]) for spec in scenario.sets}
    applicable = np.array([spec.applicable for spec in scenario.sets])
    coming = iter([*scenario.events, None])
    event = next(coming)
    for n in range(1, scenario.ticks + 1):
        now = n * scenario.tick_s
        while event is not None and event.at_s <= now + SAME:
            match event:
                case Applies():
                    for name, feedback in event.sets.items():
                        applicable[names.index(name)] = feedback
                case Heard() if event.task in tasks:
                    who = tasks[event.task][:, None] & np.array([mate == event.by for mate in mates])
                    hear(state, params, who, event.at_s, event.elapsed_s)
                case Done() if event.task in tasks:
                    complete(state, tasks[event.task], event.at_s)
            event = next(coming)
        step(state, params, now, scenario.tick_s, applicable)
        yield Row(now, tuple(state.level.tolist()), _active_name(names, state.active))


def _active_name(names: Sequence[str], active: Bools) -> str | None:
    return names[int(active.argmax())] if active.any() else None


def parameters(scenario: Scenario, mates: Sequence[str]) -> Parameters:
    """The parameters as arrays over the declared sets and these teammates."""

    def per_mate(table: dict[str, float]) -> list[float]:
        return [table.get(mate, table[DEFAULT]) for mate in mates]

    sets = scenario.sets
    return Parameters.of(
        (len(sets), len(mates)),
        threshold=scenario.threshold,
        silence_timeout=scenario.silence_timeout_s,
        beat_s=scenario.beat_s,
        fast_rate=[spec.fast_rate for spec in sets],
        slow_rate=[per_mate(spec.slow_rate) for spec in sets],
        patience=[per_mate(spec.patience_s) for spec in sets],
        yield_time=[spec.yield_time_s for spec in sets],
        give_up_time=[spec.give_up_time_s for spec in sets],
        outranks=[scenario.ranks.get(mate, math.inf) < scenario.rank for mate in mates],
        preempts=[spec.preempts for spec in sets],
    )


class _Reader:
    """Turns parsed TOML into a Scenario, noting every problem with its key path; nan stands for a bad number."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values
        self.problems: list[tuple[Path, str]] = []

    def scenario(self) -> Scenario:
        top = self.values
        self._known(top, (), SCENARIO_KEYS)
        numbers = {key: self._number(top, (), key) for key in ("tick_s", "duration_s", "threshold")}
        if math.isinf(numbers["duration_s"] / numbers["tick_s"]):
            self._problem(("duration_s",), "too many ticks to count")
        ranks = self._get(top, (), "ranks", dict, default={})
        sets = [self._set(table, ("set", i)) for i, table in self._tables(top, "set")]
        if top.get("set", []) == []:
            self._problem(("set",), "set is missing: a scenario has at least one [[set]]")
        self._distinct(sets)
        names = [spec.name for spec in sets]
        found = [self._event(table, ("event", i), names) for i, table in self._tables(top, "event")]
        events = [event for event in found if event is not None]
        return Scenario(
            **numbers,
            silence_timeout_s=self._number(top, (), "silence_timeout_s"),
            beat_s=self._number(top, (), "beat_s", default=3.0),
            rank=self._number(top, (), "rank", default=1.0),
            ranks={mate: self._number(ranks, ("ranks",), mate) for mate in ranks},
            sets=tuple(sets),
            events=tuple(sorted(events, key=lambda event: event.at_s)),
        )

    def _set(self, table: dict[str, Any], path: Path) -> SetSpec:
        self._known(table, path, SET_KEYS)
        name = self._get(table, path, "name", str)
        fast = self._number(table, path, "fast_rate")
        slow = self._per_mate(table, path, "slow_rate")
        for mate, rate in slow.items():
            if rate >= fast:
                within = (*path, "slow_rate", *([mate] if isinstance(table["slow_rate"], dict) else []))
                self._problem(within, f"{_key(within)}: {rate:g} is not below fast_rate, {fast:g}")
        return SetSpec(
            name=name,
            task=self._get(table, path, "task", str, default=name),
            fast_rate=fast,
            slow_rate=slow,
            patience_s=self._per_mate(table, path, "patience_s", may_be_inf=True),
            yield_time_s=self._number(table, path, "yield_time_s", may_be_inf=True),
            give_up_time_s=self._number(table, path, "give_up_time_s", may_be_inf=True),
            applicable=self._get(table, path, "applicable", bool, default=False),
            preempts=self._get(table, path, "preempts", bool, default=False),
        )

    def _distinct(self, sets: Sequence[SetSpec]) -> None:
        seen: set[str] = set()
        for i, spec in enumerate(sets):
            if spec.name and spec.name in seen:
                self._problem(("set", i, "name"), f"name: a set {spec.name!r} is declared already")
            seen.add(spec.name)

    def _event(self, table: dict[str, Any], path: Path, names: Sequence[str]) -> Change | None:
        self._known(table, path, ("at_s", *CHANGES))
        at_s = self._number(table, path, "at_s", least=-math.inf)
        changes = [key for key in CHANGES if key in table]
        if len(changes) != 1:
            has = " and ".join(changes) or "none"
            self._problem(path, f"an event needs exactly one of {', '.join(CHANGES)}; this one has {has}")
        found: Change | None = None
        for key in changes:
            if isinstance(table[key], dict):
                found = self._change(key, table[key], (*path, key), at_s, names)
            else:
                self._wrong((*path, key), KINDS[dict], table[key])
        return found

    def _change(self, key: str, table: dict[str, Any], path: Path, at_s: float, names: Sequence[str]) -> Change:
        if key == "heard":
            self._known(table, path, ("from", "task", "elapsed_s"))
            elapsed = self._number(table, path, "elapsed_s", least=0.0) if "elapsed_s" in table else None
            sender = self._get(table, path, "from", str)
            return Heard(at_s, sender, self._get(table, path, "task", str), elapsed)
        if key == "done":
            self._known(table, path, ("task", "by"))
            return Done(
                at_s, self._get(table, path, "task", str), self._get(table, path, "by", str, default="") or None
            )
        if table == {}:
            self._problem(path, "applicable: names no set, so this event changes nothing")
        for name in table.keys() - set(names):
            self._problem((*path, name), f"applicable: no set is called {name!r}{_nearest(name, names)}")
        return Applies(at_s, {name: self._get(table, path, name, bool, default=False) for name in table})

    def _tables(self, table: dict[str, Any], key: str) -> Iterator[tuple[int, dict[str, Any]]]:
        for i, item in enumerate(self._get(table, (), key, list, default=[])):
            if isinstance(item, dict):
                yield i, item
            else:
                self._wrong((key, i), KINDS[dict], item)

    def _per_mate(
        self, table: dict[str, Any], path: Path, key: str, *, may_be_inf: bool = False
    ) -> dict[str, float]:
        """One number for all teammates, or a table of them with a `default`."""
        value = table.get(key)
        if not isinstance(value, dict):
            return {DEFAULT: self._number(table, path, key, may_be_inf=may_be_inf)}
        keys = dict.fromkeys((DEFAULT, *value))
        return {mate: self._number(value, (*path, key), mate, may_be_inf=may_be_inf) for mate in keys}

    def _number(
        self,
        table: dict[str, Any],
        path: Path,
        key: str,
        *,
        default: float | None = None,
        least: float | None = None,
        may_be_inf: bool = False,
    ) -> float:
        """A number > 0, or >= `least` where that is given; else a problem, and nan."""
        if key not in table:
            if default is None:
                self._problem((*path, key), f"{_key((*path, key))} is missing")
            return math.nan if default is None else default
        value = table[key]
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._wrong((*path, key), "a number", value)
            return math.nan
        number = _real(value)
        wrong = None
        if math.isnan(number):
            wrong = "must be a number, is nan"
        elif number <= 0.0 if least is None else number < least:
            wrong = f"must be {'positive' if least is None else 'at least 0'}, is {number:g}"
        elif math.isinf(number) and not may_be_inf:
            wrong = f"must be finite, is {number:g}"
        if wrong is None:
            return number
        self._problem((*path, key), f"{_key((*path, key))}: {wrong}")
        return math.nan

    def _get(self, table: dict[str, Any], path: Path, key: str, kind: type, *, default: Any = None) -> Any:
        """A value of this type, or the default where there is one; else a problem, and an empty value."""
        if key not in table:
            if default is None:
                self._problem((*path, key), f"{_key((*path, key))} is missing")
            return kind() if default is None else default
        if isinstance(table[key], kind):
            return table[key]
        self._wrong((*path, key), KINDS[kind], table[key])
        return kind()

    def _known(self, table: dict[str, Any], path: Path, keys: Sequence[str]) -> None:
        for key in table:
            if key not in keys:
                self._problem((*path, key), f"unknown key {key!r}{_nearest(key, keys)}")

    def _wrong(self, path: Path, expected: str, value: Any) -> None:
        self._problem(path, f"{_key(path)}: must be {expected}, is {value!r}")

    def _problem(self, path: Path, reason: str) -> None:
        self.problems.append((path, reason))


def _real(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer too great for a double
        return math.inf if value > 0 else -math.inf


def _key(path: Path) -> str:
    """A key as its author would say it: without the place of its table."""
    named = [part for part in path if isinstance(part, str)]
    return ".".join(named[1:] if len(path) > 1 and isinstance(path[1], int) else named) or str(path[0])


def _nearest(name: str, valid: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, valid, n=1, cutoff=0.0)
    return f"; the nearest valid one is {near[0]!r}" if near else ""
