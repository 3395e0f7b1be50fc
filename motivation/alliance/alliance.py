"""ALLIANCE as a coordinator: paper 000 (Parker 1998), section III; the equations are in `equations` and `lone`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from motivation.alliance.lone import LoneParameters, LoneState, Marks, acquiescence, complete, hear, step
from motivation.alliance.settings import AllianceSettings, SetMotivation
from motivation.alliance.timing import Times, by_teammate, remarks
from motivation.alliance.words import OwnSet, Reasons, explain, level_of
from motivation.events import Silence, refuse_tasks
from robotd.model.beliefs import Beliefs, Report, report_of
from robotd.model.choice import Assess, Choice, Event
from robotd.model.coordinator_plugin import Remarks, TeamSettings, Timing
from robotd.model.inputs import Inputs
from robotd.model.plain import Json
from robotd.model.statements import Heard, Sent, Statement
from robotd.model.table import Member, NumberTable
from robotd.model.tasks import Assignment, Task

TAKES_NONE = "ALLIANCE allocates the tasks of the mission file, and takes none at run time"
MOST_BEATS = 3000.0  # an older claim saturates on the air, so its rounded age means nothing


def _first(mask: Marks) -> int | None:
    """The first set of a mask; None if there is none."""
    return mask.index(True) if True in mask else None


class Alliance:
    """One robot's motivational behaviors. A decision's dt is the time since the last, at most two periods."""

    Settings = AllianceSettings
    SetSettings = SetMotivation

    @staticmethod
    def timing(settings: AllianceSettings) -> Timing:
        return Timing(settings.silence_timeout_beats)

    @staticmethod
    def set_timing(settings: AllianceSettings, own: SetMotivation) -> Times:
        return Times(
            settings.threshold, own.fast_rate, own.slow_rate, own.patience_s, own.yield_time_s, own.give_up_time_s,
            own.exclusive,
        )  # fmt: skip

    @staticmethod
    def is_learned(own: SetMotivation, *, recurring: bool) -> bool:
        """Whether experience changes a behavior set, whose task is `recurring` or not."""
        return False

    @classmethod
    def remarks(cls, settings: AllianceSettings, team: TeamSettings, table: NumberTable) -> Remarks:
        times: dict[str, dict[str, Times]] = {robot: {} for robot in team}
        for robot, sets in team.items():
            for name, (own, recurring) in sets.items():
                learns = cls.is_learned(own, recurring=recurring)
                times[robot][name] = replace(cls.set_timing(settings, own), learns=learns)
        found = remarks(times, table.beat_s, settings.longest_delay_s)
        if settings.literal_paper_rule:
            found.warnings.append(
                "literal_paper_rule: robots whose first claims cross on the air all let go of their task, again "
                "and again"
            )
        return found

    def __init__(
        self, settings: AllianceSettings, sets: Sequence[tuple[str, str, SetMotivation]], table: NumberTable,
        decision_s: float,
    ) -> None:  # fmt: skip
        """`sets`: name, task and motivation of each behavior set of this robot, in declared order."""
        self._settings = settings
        self._sets = tuple(OwnSet(name, task) for name, task, _ in sets)
        self._motivations = [motivation for _, _, motivation in sets]
        self._table = table
        self._decision_s = decision_s
        self._completions = {one.completion: name for name, one in table.task_entries.items() if one.completion}
        self._counts = {fact.name for fact in table.facts if fact.kind == "count"}

    def begin(self, now: float, me: int, tasks: Sequence[Task], team: Sequence[Member], instance: int) -> None:
        self._teammates = tuple(sorted((m for m in team if m.number != me), key=lambda m: m.number))
        self._tasks = {task.id: task for task in tasks}
        self._columns = {teammate.number: k for k, teammate in enumerate(self._teammates)}
        self._rows: dict[str, list[int]] = {}
        for j, own in enumerate(self._sets):
            self._rows.setdefault(own.task, []).append(j)
        self._p = self._parameters(me)
        self._s = LoneState.start(len(self._sets), len(self._teammates))
        self._levels = tuple(level_of(own.name, (0.0, 0.0, 0.0), self._p.threshold, "") for own in self._sets)
        self._silence = Silence(team, me)
        self._previous = now
        self._known: dict[str, tuple[float, ...]] = {}
        self._done_at: dict[str, float] = {}  # of each task completed so far, when it last was
        self._lately = ""  # the task active last, until a frame has stated it
        self._lately_from = now

    def _parameters(self, me: int) -> LoneParameters:
        sets = self._motivations
        return LoneParameters(
            threshold=self._settings.threshold,
            silence_timeout=self._timeout_s(self._table.beat_s),
            beat_s=self._table.beat_s, fast_rate=[s.fast_rate for s in sets],
            slow_rate=[[by_teammate(s.slow_rate, teammate.name) for teammate in self._teammates] for s in sets],
            patience=[[by_teammate(s.patience_s, teammate.name) for teammate in self._teammates] for s in sets],
            yield_time=[s.yield_time_s for s in sets], give_up_time=[s.give_up_time_s for s in sets],
            outranks=[teammate.number < me for teammate in self._teammates], preempts=[s.preempts for s in sets],
            exclusive=[s.exclusive for s in sets], literal_paper_rule=self._settings.literal_paper_rule,
        )  # fmt: skip

    def step(
        self, i: Inputs, beliefs: Beliefs, assess: Assess, heard: Sequence[Heard], sent: Sequence[Sent]
    ) -> Choice:
        dt = min(i.now - self._previous, 2 * self._decision_s)
        self._previous = i.now
        self._keep_beat(beliefs.beat_s(i.now))
        self._note_sent(sent)
        completed: set[str] = set()
        for frame in heard:
            if frame.same_mission and frame.run == beliefs.run and frame.sender in self._columns:
                self._take(frame, report_of(frame, self._table), completed)
        self._own_completions(i.now, beliefs, completed)
        feedback = [assess(i, beliefs, s.name, self._tasks[s.task]) for s in self._sets]
        own = zip(feedback, self._sets, strict=True)
        applicable = [f.applicable and not f.done and s.task not in completed for f, s in own]
        self._adapt(i.now, applicable)
        s = self._s  # a step puts new lists into it and leaves those before it as they were
        before, levels, activated_at = s.active, s.level, s.activated_at
        result = step(s, self._p, i.now, dt, applicable, [f.holding for f in feedback])
        reasons = Reasons(
            i.now, result, before, levels, s, self._p, activated_at, self._sets, self._teammates, feedback,
            beliefs,
        )  # fmt: skip
        choice = self._choice(reasons)
        changed = self._silence.look(i.now, self._p.silence_timeout, beliefs.teammates, any_heard=bool(heard))
        if changed:
            choice = replace(choice, events=(*changed, *choice.events))
        refused = refuse_tasks(i.orders, TAKES_NONE)
        return replace(choice, events=choice.events + refused) if refused else choice

    def _keep_beat(self, beat_s: float) -> None:
        """Count time-outs in the beat that the team keeps now, which a base station may have lengthened."""
        if beat_s != self._p.beat_s:
            self._p = replace(self._p, silence_timeout=self._timeout_s(beat_s), beat_s=beat_s)

    def _timeout_s(self, beat_s: float) -> float:
        return (self._settings.silence_timeout_beats + 0.5) * beat_s

    def _adapt(self, now: float, applicable: Marks) -> None:
        """The place where a coordinator that learns changes `_p` before each decision; ALLIANCE's stays."""

    def _note_sent(self, sent: Sequence[Sent]) -> None:
        """Frames that left have stated the last task, and own claims are from now on as rounded on the air."""
        for frame in sent:
            stated = [statement.fields for statement in frame.statements if statement.kind == "activity"]
            if not stated:  # this robot did not act: what it did before that is no news any more
                self._lately = ""
            for task, _, claimed in stated:
                assert isinstance(claimed, int | float)
                if task == self._lately:
                    self._lately = ""
                for j in self._rows.get(str(task), ()) if claimed < MOST_BEATS else ():
                    if self._s.active[j] and self._s.claimed_at[j] <= frame.at:
                        self._s.claimed_at[j] = frame.at - claimed * self._table.beat_s

    def _take(self, frame: Heard, report: Report, completed: set[str]) -> None:
        done: list[str] = []
        for fact in report.facts:
            if fact.name in self._completions and self._news(fact.name, fact.value):
                done.append(self._completions[fact.name])
                self._done_at[done[-1]] = fact.since
        for name in done:
            self._complete(name, frame.at, completed)
        if report.claim is not None:
            # A claim that began before the task's last completion is one on the occasion that this ended.
            task, elapsed = report.claim.task, report.claim.elapsed_s
            self._claim(frame, task, elapsed, over=frame.at - elapsed <= self._done_at.get(task, -math.inf))
            self._claim(frame, report.claim.held, None, over=False)

    def _claim(self, frame: Heard, task: str, elapsed: float | None, *, over: bool) -> None:
        """A statement of `task`; `over`: of an occasion that has ended, so that its sender may reset this one."""
        rows = self._rows.get(task, ())
        hear(self._s, self._p, rows, self._columns[frame.sender], frame.at, elapsed, over=over)

    def _own_completions(self, now: float, beliefs: Beliefs, completed: set[str]) -> None:
        for name, task in self._completions.items():
            fact = beliefs.facts.get(name)
            if fact is not None and self._news(name, fact.value):
                self._done_at[task] = min(fact.since, now)
                self._complete(task, self._done_at[task], completed)

    def _complete(self, task: str, at: float, completed: set[str]) -> None:
        completed.add(task)
        if task in self._rows:
            complete(self._s, self._rows[task], at)

    def _news(self, name: str, value: tuple[float, ...]) -> bool:
        """Whether the flag or count reports a completion that was not known; a count of 0 reports none."""
        known = self._known.get(name, (0.0,) if name in self._counts else None)
        value = value or ((0.0,) if name in self._counts else ())
        if known is not None and value <= known:
            return False
        self._known[name] = value
        return True

    def _choice(self, reasons: Reasons) -> Choice:
        now = reasons.now
        row, waiting = _first(self._s.active), _first(self._s.suspended)
        active = None if row is None else self._sets[row]
        held = "" if waiting is None else self._sets[waiting].task
        if row is not None and active is not None:
            self._lately, self._lately_from = active.task, self._s.claimed_at[row]
        claimed = (now - self._lately_from) / self._table.beat_s if self._lately else 0.0
        levels, events = explain(reasons, acquiescence(self._s, self._p, now), self._levels)
        self._levels = levels
        done = [j for j, f in enumerate(reasons.feedback) if f.done and reasons.before[j]]
        ended = tuple(
            Event("done", self._sets[j].name, self._sets[j].task, f"after {reasons.active_s(j):.1f} s of work")
            for j in done
        )
        return Choice(
            run=(Assignment(active.name, self._tasks[active.task]),) if active is not None else (),
            held=self._tasks[held] if held else None,
            statements=(Statement("activity", (self._lately, held, max(0.0, claimed))),),
            events=ended + events,
            levels=levels,
            finished=tuple(self._tasks[self._sets[j].task] for j in done),
        )

    def freeze(self) -> Json:
        return {
            "state": self._s.freeze(),
            "previous": self._previous,
            "known": {name: list(value) for name, value in self._known.items()},
            "done_at": dict(self._done_at),
            "lately": [self._lately, self._lately_from],
            "silent": self._silence.freeze(),
        }

    def thaw(self, state: Json) -> None:
        """See `Coordinator.thaw`; `begin` comes first."""
        assert isinstance(state, dict)
        self._s = LoneState.thaw(state["state"], len(self._teammates))
        self._previous = state["previous"]
        self._known = {name: tuple(value) for name, value in state["known"].items()}
        self._done_at = dict(state["done_at"])
        self._lately, self._lately_from = state["lately"]
        self._silence.thaw(state["silent"])
