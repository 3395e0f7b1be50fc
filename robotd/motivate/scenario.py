"""One robot's motivations, run alone on virtual time from a scripted scenario (`robotd motivate`)."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, NamedTuple, Self, TypeVar

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator

from motivation.alliance.equations import complete, hear, step
from motivation.alliance.parameters import Parameters, State
from robotd.config.mission import Strict
from robotd.config.source import ConfigError, Problem, Source
from robotd.files.nearest import hint, nearest
from robotd.files.toml import Path, TomlSyntaxError, read
from robotd.model.beliefs import SAME

T = TypeVar("T")
DEFAULT = "default"
CHANGES = ("applicable", "heard", "done")
POSITIVE = {"type": "number", "exclusiveMinimum": 0}


def _by_teammate(value: Any) -> Any:
    return value if isinstance(value, dict) else {DEFAULT: value}


def _with_default(value: dict[str, float]) -> dict[str, float]:
    if DEFAULT not in value:
        raise ValueError(f"the key {DEFAULT} is required: it holds for all teammates that are not named")
    return value


Finite = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Time = Annotated[float, Field(gt=0)]
PerTeammate = Annotated[
    dict[str, Time], BeforeValidator(_by_teammate), AfterValidator(_with_default),
    WithJsonSchema({"anyOf": [POSITIVE, {"type": "object", "additionalProperties": POSITIVE}]}),
]  # fmt: skip
"""A number for all teammates, or a table of them with a `default`."""


class SetSpec(Strict):
    """One `[[set]]`: rates in motivation per second, times in seconds, per teammate with a `default`."""

    name: str = Field(min_length=1)
    task: str = ""
    fast_rate: Positive
    slow_rate: PerTeammate
    patience_s: PerTeammate
    yield_time_s: Time
    give_up_time_s: Time
    applicable: bool = False
    preempts: bool = False

    @model_validator(mode="before")
    @classmethod
    def _task_is_the_name(cls, data: Any) -> Any:
        return {"task": data["name"], **data} if isinstance(data, dict) and "name" in data else data


class Heard(Strict):
    """An activity statement; `elapsed_s`: how long its sender has claimed the task, if it is stated."""

    by: str = Field(alias="from")
    task: str
    elapsed_s: float | None = Field(default=None, ge=0, allow_inf_nan=False)


class Done(Strict):
    """A task was completed, by a teammate or by this robot (None)."""

    task: str
    by: str | None = None


class Event(Strict):
    """One `[[event]]`: when, and exactly one of what can happen; `applicable`: sensory feedback by set."""

    at_s: Finite
    applicable: dict[str, bool] | None = Field(default=None, min_length=1)
    heard: Heard | None = None
    done: Done | None = None

    @model_validator(mode="after")
    def _one_change(self) -> Self:
        changes = [key for key in CHANGES if getattr(self, key) is not None]
        if len(changes) != 1:
            found = " and ".join(changes) or "none"
            raise ValueError(f"an event needs exactly one of {', '.join(CHANGES)}; this one has {found}")
        return self


class Scenario(Strict):
    """A scenario file; `ranks` of teammates, absent: last."""

    tick_s: Positive
    duration_s: Positive
    threshold: Positive
    silence_timeout_s: Positive
    beat_s: Positive = 3.0
    rank: Positive = 1.0
    ranks: dict[str, Positive] = Field(default={})
    sets: tuple[SetSpec, ...] = Field(alias="set")
    event: tuple[Event, ...] = ()

    @property
    def events(self) -> list[Event]:
        """What happens, in the order in which it does."""
        return sorted(self.event, key=lambda event: event.at_s)

    @property
    def ticks(self) -> int:
        """How many ticks the duration holds; the last may fall on its end."""
        return math.floor(self.duration_s / self.tick_s + SAME)

    @property
    def teammates(self) -> list[str]:
        """The teammates that are ever heard, sorted."""
        return sorted({event.heard.by for event in self.event if event.heard is not None})


class Row(NamedTuple):
    """The state after one tick: `levels` in declared order, the active set's name or None."""

    time_s: float
    levels: tuple[float, ...]
    active: str | None


def parse(data: bytes, file: str = "scenario") -> Scenario:
    """The scenario in a file's content; ConfigError with every problem at once."""
    try:
        source = Source(file, *read(data))
    except TomlSyntaxError as error:
        raise ConfigError([Problem(file, error.line, "", f"not TOML: {error.reason}")]) from None
    scenario = source.validate(Scenario, source.data)
    _check_sets(source)
    if scenario is not None and math.isinf(scenario.duration_s / scenario.tick_s):
        source.fault(("duration_s",), "too many ticks to count: expected a longer tick_s")
    if source.problems or scenario is None:
        raise ConfigError(source.problems)
    return scenario


def _check_sets(source: Source) -> None:
    """Note what no single key shows, of each set and event that is right by itself."""
    names: list[str] = []
    for i, spec in _each(source, "set", SetSpec):
        if spec.name in names:
            source.fault(("set", i, "name"), f"a set {spec.name!r} is declared already")
        names.append(spec.name)
        for teammate, rate in spec.slow_rate.items():
            if rate >= spec.fast_rate:
                named = isinstance(source.data["set"][i]["slow_rate"], dict)
                at: Path = ("set", i, "slow_rate", teammate) if named else ("set", i, "slow_rate")
                source.fault(at, f"expected a number below fast_rate, {spec.fast_rate:g}, found {rate:g}")
    if source.data.get("set") == []:
        source.fault(("set",), "a scenario has at least one [[set]]")
    for i, event in _each(source, "event", Event):
        for name in (event.applicable or {}).keys() - set(names):
            near, expected = nearest(name, names), f"one of {', '.join(names)}"
            at = ("event", i, "applicable", name)
            source.fault(at, f"no set is called {name!r}{hint(near)}", expected, near)


def _each(source: Source, key: str, kind: type[T]) -> Iterator[tuple[int, T]]:
    """The entries of a list of tables that are a `kind`, each with its place; faults of others are noted."""
    entries = source.data.get(key)
    for i, entry in enumerate(entries) if isinstance(entries, list) else ():
        found = Source(source.file, source.text, source.data).validate(kind, entry)
        if found is not None:
            yield i, found


def run(scenario: Scenario, *, literal_paper_rule: bool = False) -> Iterator[Row]:
    """One row per tick, computed as it is asked for; `literal_paper_rule` as in `Parameters`."""
    teammates = scenario.teammates
    params = replace(parameters(scenario, teammates), literal_paper_rule=literal_paper_rule)
    state = State.start((len(scenario.sets), len(teammates)))
    names = [spec.name for spec in scenario.sets]
    tasks = {spec.task: np.array([other.task == spec.task for other in scenario.sets]) for spec in scenario.sets}
    applicable = np.array([spec.applicable for spec in scenario.sets])
    coming = iter([*scenario.events, None])
    event = next(coming)
    for n in range(1, scenario.ticks + 1):
        now = n * scenario.tick_s
        while event is not None and event.at_s <= now + SAME:
            for name, feedback in (event.applicable or {}).items():
                applicable[names.index(name)] = feedback
            if event.heard is not None and event.heard.task in tasks:
                by = np.array([teammate == event.heard.by for teammate in teammates])
                hear(state, params, tasks[event.heard.task][:, None] & by, event.at_s, event.heard.elapsed_s)
            if event.done is not None and event.done.task in tasks:
                complete(state, tasks[event.done.task], event.at_s)
            event = next(coming)
        step(state, params, now, scenario.tick_s, applicable)
        active = names[int(state.active.argmax())] if state.active.any() else None
        yield Row(now, tuple(state.level.tolist()), active)


def parameters(scenario: Scenario, teammates: Sequence[str]) -> Parameters:
    """The parameters as arrays over the declared sets and these teammates."""

    def per_teammate(table: dict[str, float]) -> list[float]:
        return [table.get(teammate, table[DEFAULT]) for teammate in teammates]

    sets = scenario.sets
    return Parameters.of(
        (len(sets), len(teammates)),
        threshold=scenario.threshold, silence_timeout=scenario.silence_timeout_s, beat_s=scenario.beat_s,
        fast_rate=[spec.fast_rate for spec in sets],
        slow_rate=[per_teammate(spec.slow_rate) for spec in sets],
        patience=[per_teammate(spec.patience_s) for spec in sets],
        yield_time=[spec.yield_time_s for spec in sets],
        give_up_time=[spec.give_up_time_s for spec in sets],
        outranks=[scenario.ranks.get(teammate, math.inf) < scenario.rank for teammate in teammates],
        preempts=[spec.preempts for spec in sets],
    )  # fmt: skip
