"""L-ALLIANCE as a coordinator: ALLIANCE whose parameters follow from experience (000, section III-E).

The equations are in `learning`, the performance monitors in `monitors`. With nothing learned it decides as
ALLIANCE does, bit for bit. docs/l-alliance.md explains our readings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any, Literal

import numpy as np
from pydantic import Field, model_validator

from motivation.alliance.alliance import Alliance
from motivation.alliance.learning import ENDLESS_S, Order, Strategy, categories, work_out
from motivation.alliance.lone import LoneParameters, Marks
from motivation.alliance.monitors import Monitors, Trial
from motivation.alliance.parameters import Bools, Parameters
from motivation.alliance.settings import AllianceSettings, SetMotivation
from motivation.alliance.words import Reasons
from robotd.model.beliefs import SAME, Report
from robotd.model.choice import Choice, Event, Level
from robotd.model.plain import Json
from robotd.model.statements import Heard, Sent
from robotd.model.streams import draw
from robotd.model.table import Member, NumberTable
from robotd.model.tasks import Task

FORMAT = 1  # of the memory
OTHER = {  # what a memory was learned under, in words
    "coordinator": "another coordinator",
    "format": "another format",
    "robot": "another robot",
    "digest": "another number table of the mission",
    "threshold": "another threshold",
    "sets": "other behavior sets",
}


class LAllianceSettings(AllianceSettings):
    """What holds for all behavior sets of a robot that learns; times are in seconds."""

    strategy: Strategy = Field(
        default="distrust", description="whose task times set patience and yield time; see docs/l-alliance.md"
    )
    order: Order = Field(default="longest-first", description="which of several tasks a robot takes first")
    phase: Literal["adaptive", "active"] = Field(
        default="adaptive", description="active: free tasks at random, endless patience, only to gather task times"
    )
    trials: int = Field(default=5, ge=1, le=100, description="mu: so many last trials make a task time")
    min_delay_s: float = Field(
        default=5.0,
        gt=0,
        allow_inf_nan=False,
        description="time to the threshold of the task taken first, s",
        json_schema_extra={"below": "max_delay_s"},
    )
    max_delay_s: float = Field(
        default=60.0, gt=0, allow_inf_nan=False, description="time to the threshold of the task taken last, s"
    )
    boredom_s: float = Field(
        default=10.0, ge=0, allow_inf_nan=False,
        description="idle time after which tasks of category 2 build motivation, s",
    )  # fmt: skip
    seed: int = Field(default=0, ge=0, description="of what is drawn at random: active learning, the random order")

    @property
    def longest_delay_s(self) -> float:
        return self.max_delay_s

    @model_validator(mode="after")
    def _least_below_most(self) -> LAllianceSettings:
        if self.min_delay_s >= self.max_delay_s:
            raise ValueError(f"min_delay_s must be below max_delay_s, {self.max_delay_s:g}")
        return self


class LearningSet(SetMotivation):
    """The motivation of one behavior set while nothing is known of its task."""

    learns: bool | None = Field(
        default=None,
        description="whether experience changes it; default: unless the task is recurring, when it sets a rhythm",
    )


class LAlliance(Alliance):
    """One robot's motivational behaviors, each with a performance monitor."""

    memory_name = "learned"
    memory_of_run = False
    Settings = LAllianceSettings
    SetSettings = LearningSet

    @staticmethod
    def is_learned(own: SetMotivation, *, recurring: bool) -> bool:
        """As of `Alliance`; a set whose settings lack `learns` has its default."""
        learns = getattr(own, "learns", None)
        return not recurring if learns is None else bool(learns)

    def __init__(
        self, settings: LAllianceSettings, sets: Sequence[tuple[str, str, LearningSet]], table: NumberTable,
        decision_s: float,
    ) -> None:  # fmt: skip
        """As of `Alliance`."""
        super().__init__(settings, sets, table, decision_s)
        self._how = settings
        names = [(name, task) for name, task, _ in sets]
        self._monitors = Monitors(names, table.team, settings.trials, table.beat_s)
        entries = table.task_entries
        self._lacks_changed = 0
        recurs = {task: entry.recurring for task, entry in entries.items()}
        learns = [self.is_learned(own, recurring=recurs.get(task, False)) for _, task, own in sets]
        self._learns = np.array(learns, np.bool_)

    def begin(self, now: float, me: int, tasks: Sequence[Task], team: Sequence[Member], instance: int) -> None:
        """See `Coordinator.begin`; what was learned stays."""
        super().begin(now, me, tasks, team, instance)
        self._me = me
        self._shipped = _arrays_of(self._parameters(me))
        self._monitors.begin(me, self._teammates)
        self._idle_since = now
        self._draws = 0
        self._drawn: int | None = None
        self._was_busy = False
        self._lacks = np.zeros(len(self._sets), np.bool_)  # what a set needs: its task is in no category
        self._fresh: list[Trial] = []
        self._words = [""] * len(self._sets)
        self._worded = [(level, "", level) for level in self._levels]
        self._work_out()

    def _work_out(self) -> None:
        own, teammates = self._monitors.times()
        shares = [self._share(f"delay-{s.name}") for s in self._sets]
        self._rates = work_out(self._how, self._shipped, own, teammates, self._learns, np.array(shares))
        self._applied: tuple[bytes, bytes, bool] | None = None  # on what the rates in `_p` were chosen
        patience, yield_time = self._rates.patience.tolist(), self._rates.yield_time.tolist()
        self._p = replace(self._p, patience=patience, yield_time=yield_time)

    def _share(self, purpose: str) -> float:
        return draw(self._how.seed, self._table.name(self._me), f"l-alliance-{purpose}", self._draws)

    # -- before a decision: the parameters

    def _adapt(self, now: float, applicable: Marks) -> None:
        s = self._s
        if self._was_busy and not s.busy:  # what is drawn is drawn anew for each choice
            self._draws += 1
            self._drawn = None
            self._work_out()
        self._was_busy = s.busy
        if s.busy:
            self._idle_since = now
        taken = np.array([(now + SAME) - latest < self._p.silence_timeout for latest in s.latest], np.bool_)
        if self._how.phase == "active":
            self._explore(np.array(applicable, np.bool_) & ~taken)
        else:
            self._exploit(now, taken)

    def _exploit(self, now: float, taken: Bools) -> None:
        rates, p = self._rates, self._p
        bored = now - self._idle_since >= self._how.boredom_s - SAME
        active = np.array(self._s.active, np.bool_)
        on_what = taken.tobytes(), active.tobytes(), bored
        if on_what == self._applied:
            return
        self._applied = on_what
        first = categories(rates.best & ~self._lacks, taken) == 1
        held_back = rates.known & ~first & ~self._shipped.preempts & ~active & (not bored)
        p.fast_rate = np.where(held_back, 0.0, np.where(first, rates.fast_first, rates.fast_second)).tolist()
        slow = np.where(first[:, None], rates.slow_first, rates.slow_second)
        p.slow_rate = np.where(held_back[:, None], 0.0, slow).tolist()
        reasons = rates.known & ~self._lacks
        kinds = zip(first.tolist(), held_back.tolist(), reasons.tolist(), strict=True)
        self._words = [
            self._category_words(j, first_, waits) if known else ""
            for j, (first_, waits, known) in enumerate(kinds)
        ]

    def _category_words(self, j: int, first: bool, waits: bool) -> str:
        words = f"category {1 if first else 2}, {self._rates.words[j]}"
        return f"{words}; waits until idle for {self._how.boredom_s:g} s" if waits else words

    def _explore(self, free: Bools) -> None:
        """Active learning: one of the free tasks at random, and no robot is disturbed."""
        how, theta = self._how, self._p.threshold
        candidates = [int(j) for j in np.flatnonzero(free & self._learns)]
        if not self._s.busy and self._drawn not in candidates:
            self._draws += 1
            share = self._share("task")
            self._drawn = candidates[int(share * len(candidates))] if candidates else None
        fast = np.full(len(self._sets), theta / how.max_delay_s)
        if self._drawn is not None:
            fast[self._drawn] = theta / how.min_delay_s
        every, endless = self._learns[:, None], theta / max(ENDLESS_S, 2 * how.max_delay_s)
        self._p = replace(
            self._p,
            fast_rate=np.where(self._learns, fast, self._shipped.fast_rate).tolist(),
            slow_rate=np.where(every, endless, self._shipped.slow_rate).tolist(),
            patience=np.where(every, np.inf, self._shipped.patience).tolist(),
            yield_time=np.where(self._learns, np.inf, self._shipped.yield_time).tolist(),
        )
        self._words = [
            f"active learning: {'drawn' if j == self._drawn else 'not drawn'}" if learns else ""
            for j, learns in enumerate(self._learns.tolist())
        ]

    # -- the monitors

    def _take(self, frame: Heard, report: Report, completed: set[str]) -> None:
        super()._take(frame, report, completed)
        for one in report.trials:
            trial = self._monitors.receive(frame.sender, one)
            if trial is not None:
                self._fresh.append(trial)
                self._work_out()

    def _note_sent(self, sent: Sequence[Sent]) -> None:
        super()._note_sent(sent)
        for frame in sent:
            for statement in frame.statements:
                if statement.kind == "trial":
                    self._monitors.note_sent(statement)

    def _choice(self, reasons: Reasons) -> Choice:
        choice = super()._choice(reasons)
        self._note_lacks([bool(f.missing) for f in reasons.feedback])
        for row, gave_up in _attempts(reasons):
            self._fresh.append(self._monitors.attempt(row, reasons.active_s(row), gave_up=gave_up))
            self._work_out()
        fresh, self._fresh = self._fresh, []
        trial = self._monitors.statement()
        return replace(
            choice,
            levels=tuple(map(self._level, range(len(self._sets)), choice.levels)),
            events=(*choice.events, *(event for one in fresh for event in self._learned(one))),
            statements=choice.statements if trial is None else (*choice.statements, trial),
        )

    def _note_lacks(self, lacks: list[bool]) -> None:
        if lacks != self._lacks.tolist():
            self._lacks = np.array(lacks, np.bool_)
            self._lacks_changed += 1
            self._applied = None

    def _level(self, j: int, level: Level) -> Level:
        """The level with what experience makes of it; the same object as long as nothing of it changes."""
        base, words, made = self._worded[j]
        if base is not level or words != self._words[j]:
            words = self._words[j]
            made = replace(level, why=f"{level.why}; {words}") if words else level
            self._worded[j] = level, words, made
        return made

    def _learned(self, trial: Trial) -> Iterator[Event]:
        who = self._table.name(trial.robot)
        ended = "gave up after" if trial.gave_up else "needed"
        for j in trial.rows:
            count, time = self._monitors.count(j, trial.robot), self._monitors.time(j, trial.robot)
            times = f"{count} trial{'s' if count > 1 else ''} of at most {self._how.trials} make {time:.1f} s"
            follows = self._rates.words[j] if self._learns[j] else "its parameters stay as shipped"
            own = self._sets[j]
            yield Event("learned", own.name, own.task, f"{who} {ended} {trial.took_s:.1f} s; {times}; {follows}")

    # -- what lasts

    @property
    def memory_version(self) -> int:
        return self._monitors.version + self._lacks_changed

    def memory(self) -> Json:
        """See `Keeper`; `values` is for people, all else is read again."""
        return {**self._under(), **self._monitors.memory(), "values": list(self._values())}

    def recall(self, memory: Json) -> None:
        """See `Keeper`; after the first `begin`."""
        if not isinstance(memory, dict) or memory.get("coordinator") != "l-alliance":
            raise ValueError("it is not what l-alliance writes down")
        for key, now in self._under().items():
            if memory.get(key) != now:
                was = memory.get(key)
                raise ValueError(f"it was learned with {OTHER[key]}: {was!r:.200}, and now it is {now!r:.200}")
        self._monitors.recall(memory)
        self._work_out()

    def _under(self) -> dict[str, Any]:
        """What makes a memory another's: it does not hold for other tasks, robots, beats, levels or sets."""
        return {
            "coordinator": "l-alliance", "format": FORMAT, "robot": self._table.name(self._me),
            "digest": self._table.digest, "threshold": self._p.threshold,
            "sets": [[own.name, own.task] for own in self._sets],
        }  # fmt: skip

    def _values(self) -> Iterator[dict[str, Any]]:
        """A row per set and robot; the category is that while no robot is on the task; null where unknown, own, or
        (of the category) the robot lacks what the set needs."""
        rates = self._rates
        for j, own in enumerate(self._sets):
            first = bool(rates.best[j])
            fast, slow = (rates.fast_first, rates.slow_first) if first else (rates.fast_second, rates.slow_second)
            of_set = {
                "fast_rate": float(fast[j]), "yield_time_s": _number(rates.yield_time[j]),
                "category": None if self._lacks[j] else 1 if first else 2, "learns": bool(self._learns[j]),
            }  # fmt: skip
            for robot, k in [(self._me, None), *((one.number, k) for k, one in enumerate(self._teammates))]:
                yield {
                    "set": own.name, "task": own.task, "robot": self._table.name(robot),
                    "trials": self._monitors.count(j, robot),
                    "task_time_s": _number(self._monitors.time(j, robot)),
                    "patience_s": None if k is None else _number(rates.patience[j, k]),
                    "slow_rate": None if k is None else float(slow[j, k]),
                    **of_set,
                }  # fmt: skip

    def freeze(self) -> Json:
        state = super().freeze()
        assert isinstance(state, dict)
        drawn = [self._draws, self._drawn, self._was_busy]
        lacks = [self._lacks.tolist(), self._lacks_changed]
        return {
            **state, "monitors": self._monitors.freeze(), "idle_since": self._idle_since, "drawn": drawn,
            "lacks": lacks,
        }  # fmt: skip

    def thaw(self, state: Json) -> None:
        """See `Coordinator.thaw`; `begin` comes first."""
        assert isinstance(state, dict)
        super().thaw(state)
        self._monitors.thaw(state["monitors"])
        self._idle_since = state["idle_since"]
        self._draws, self._drawn, self._was_busy = state["drawn"]
        self._lacks, self._lacks_changed = np.array(state["lacks"][0], np.bool_), state["lacks"][1]
        self._work_out()


def _arrays_of(p: LoneParameters) -> Parameters:
    given = {one.name: getattr(p, one.name) for one in fields(p) if one.init}
    return Parameters.of((len(p.fast_rate), len(p.outranks)), **given)


def _attempts(reasons: Reasons) -> Iterator[tuple[int, bool]]:
    """The own sets whose attempt ended in this step so that it counts, and whether it was given up.

    Given up: at lambda, by yielding after psi, or because the robot now lacks what the set needs. What the world
    ended, or a crossing claim, is no attempt of the robot's.
    """
    result, feedback = reasons.result, reasons.feedback
    for j, ended in enumerate(result.ended):
        if ended and feedback[j].done:
            yield j, False
        elif ended and (result.gave_up[j] or any(result.yields_to[j]) or feedback[j].missing):
            yield j, True


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None
