"""COBOS as a coordinator: every robot compiles what its network knows and decides by it alone (paper 003)."""

import collections
import functools
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from motivation.cobos import allocation, pages, presence
from motivation.cobos.allocation import Knowledge
from motivation.cobos.models import HOLDS, KEEPS, ON_THE_WAY, PERFORMED, STARTED, WHOLE, Record
from motivation.cobos.pages import Report
from motivation.cobos.phases import Phases
from motivation.cobos.settings import CobosSettings, RobotTerms, TaskTerms, faults, plan_of
from motivation.cobos.state import WORKS, State, put, shifted
from motivation.cobos.words import unfit, why_not
from motivation.events import NO_RUN, Silence, refuse_tasks
from motivation.keeping import opened, sealed
from motivation.settings import terms_of
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Assess, Choice, Event, Level, MissionTerms
from robotd.model.coordinator_plugin import Fault
from robotd.model.facts import Fact, FactKind
from robotd.model.inputs import Inputs
from robotd.model.plain import Json, from_plain, to_plain
from robotd.model.statements import Heard, Sent, Statement
from robotd.model.table import Member, NumberTable
from robotd.model.tasks import Assignment, Feedback, Task

NOT_ABLE = Feedback(applicable=False)
CONTRIBUTES = 0.5  # above this progress, and below 1, a robot holds an object of a task that is not performed
AWAY_TERMS = 2.0  # so long after its last change a robot out of reach counts as being where it was
ARRIVED = 1.0  # progress of a visit


class Cobos:
    """One robot's part."""

    Settings = CobosSettings
    TaskSettings = TaskTerms
    RobotSettings = RobotTerms
    own_kinds = presence.KINDS
    memory_name = "cobos"
    memory_of_run = True

    @staticmethod
    def agrees(settings: CobosSettings) -> Json:
        """All settings: robots that differed in one would decide differently."""
        return settings.model_dump(mode="json")

    @staticmethod
    def check(settings: CobosSettings, terms: MissionTerms) -> Iterator[Fault]:
        """Names that are not there, ways contained in others, tasks that wait for themselves."""
        return faults(settings, terms)

    @staticmethod
    def own_facts(settings: CobosSettings, table: NumberTable) -> tuple[FactKind, ...]:
        """The pages of each robot, which go first on the air, and a flag for each task."""
        tasks = [name for name, own in terms_of(table, TaskTerms).items() if own.ways]
        flags = [FactKind(f"known-{name}", kind="flag") for name in tasks]
        count = pages.pages_of(len(tasks))
        return (*(FactKind(pages.name_of(one.number, k)) for one in table.team for k in range(count)), *flags)

    def __init__(
        self, settings: CobosSettings, sets: Sequence[tuple[str, str, Any]], table: NumberTable,
        decision_s: float, *, own: RobotTerms | None = None,
    ) -> None:  # fmt: skip
        """`sets`: name and task of each behavior set of this robot; the first of a task does it."""
        self._settings, self._table, self._plan = settings, table, plan_of(settings, table)
        self._sets: dict[str, str] = {}
        for name, task, _ in sets:
            self._sets.setdefault(task, name)
        given = (own or RobotTerms()).given
        self._given = tuple(given.get(one, 0.0) for one in settings.basis)
        self._team = tuple(sorted(table.robots))

    def begin(self, now: float, me: int, tasks: Sequence[Task], team: Sequence[Member], instance: int) -> None:
        """See `Coordinator.begin`; inside another coordinator (an instance from 1) every robot is at home."""
        count = len(self._plan.tasks)
        names, self._inside = {task.id for task in tasks}, instance > 0
        self._given_tasks = frozenset(k for k, one in enumerate(self._plan.tasks, 1) if one.task.id in names)
        self._closed = frozenset[int]()
        none: tuple[tuple[int, ...], ...] = ((),) * count
        success = (0,) * len(self._given)
        records = tuple(Record(required=task.required or 1) for task in self._plan.tasks)
        state = State(records, (0,) * count, (now,) * count, none, none, (-1.0,) * count, success, now, now)
        self._me, self._now, self._unit_s = me, now, presence.LEAST_S
        self._models = Phases(me, self._settings, self._plan, self._given, state)
        self._models.names = self._table.robots
        self._silence = Silence(team, me, frees=False)
        self._unfit: dict[int, str] = {}  # why a set does not apply now

    def close(self, tasks: Collection[str]) -> None:
        """See `Closes`."""
        self._closed = frozenset(k for k, one in enumerate(self._plan.tasks, 1) if one.task.id in tasks)

    @property
    def _state(self) -> State:
        return self._models.state

    @property
    def asking(self) -> str:
        """What this robot is to solve, as text: robots that know the same have the same.

        '' for nothing, and while it waits for what robots of its network have not made known yet.
        """
        return "" if self._models.unknown else self._state.asking

    @property
    def members(self) -> frozenset[int]:
        """The robots in this one's network, itself included."""
        window_s = self._settings.network_beats * self._unit_s
        return presence.network(self._state.seen, self._now, window_s) | {self._me}

    def step(
        self, i: Inputs, beliefs: Beliefs, assess: Assess, heard: Sequence[Heard], sent: Sequence[Sent]
    ) -> Choice:
        """See `Coordinator.step`."""
        state, now = self._state, i.now
        self._now, self._models.events = now, []
        self._unit_s = max(beliefs.beat_s(now), presence.LEAST_S)
        self._models.now, self._models.unit_s = now, self._unit_s
        state.seen = presence.received(self._me, state.seen, self._team, heard, self._unit_s)
        if not beliefs.running:
            return Choice(statements=self._statements(), events=refuse_tasks(i.orders, NO_RUN))
        window_s, teammates = self._settings.network_beats * self._unit_s, beliefs.teammates
        silent = self._silence.look(now, window_s, teammates, any_heard=bool(heard))
        self._models.over = self._ended(beliefs)
        values = self._observe(i, beliefs, assess)
        flags = self._introduce(i, beliefs)
        reports = self._reports(beliefs)
        for number, record in self._joined(reports):
            self._models.take_up(now, number, record)
        known = self._knowledge(reports, values)
        self._models.watch(known)
        self._models.desert({state.task, *(one.task for one in reports.values())})
        if self._arrived:
            self._models.arrive(known)
        known = self._knowledge(reports, values)
        self._models.allocate(known)
        if not state.task or state.place != WORKS:
            state.status = STARTED
        return Choice(
            run=self._run(),
            statements=self._statements(),
            events=(*silent, *self._models.events),
            levels=tuple(self._levels(known)),
            facts=(*flags, *self._pages(beliefs, values)),
        )

    # -- what is known

    def _observe(self, i: Inputs, beliefs: Beliefs, assess: Assess) -> list[int]:
        """Take in how the sets judge their tasks; the suitabilities that this robot states."""
        state, values = self._state, []
        self._arrived, self._unfit = False, {}
        pose = i.senses.pose
        if self._inside:
            state.home = True
        elif pose is not None:
            (x, y), reach = self._settings.home, self._settings.home_range_m
            state.home = (pose.x - x) ** 2 + (pose.y - y) ** 2 <= reach**2
        for number, macro in enumerate(self._plan.tasks, 1):
            name = self._sets.get(macro.task.id)
            own = assess(i, beliefs, name, macro.task) if name is not None else NOT_ABLE
            if state.task == number and state.place == WORKS:
                state.status = _status(own)
            able = own.applicable and not own.missing
            if not able:
                self._unfit[number] = unfit(own)
            values.append(self._models.value(number) if able else 0)
        if state.place != WORKS and self._plan.idle.id in self._sets:
            own = assess(i, beliefs, self._sets[self._plan.idle.id], self._visited(state.place))
            self._arrived = state.recruits and own.progress >= ARRIVED
        elif self._inside and state.place != WORKS:  # there is no user to be visited
            self._arrived = state.recruits
        return values

    def _introduce(self, i: Inputs, beliefs: Beliefs) -> list[Fact]:
        """Flags of tasks that are introduced now: by their time in the home network, by a person anywhere."""
        state = self._state
        orders = [order.args for order in i.orders if order.kind == "task-add" and order.args]
        asked = {args[0] for args in orders if len(args) == 1}
        flags = []
        for number, macro in enumerate(self._plan.tasks, 1):
            if number not in self._given_tasks:
                continue
            due = state.home and i.now - state.began >= macro.from_s
            known = beliefs.flag(macro.known)
            if not known and (due or macro.task.id in asked):
                flags.append(Fact(macro.known))
                self._models.note(
                    "introduced", number, f"{macro.from_s:g} s after the start" if due else "by a person"
                )
            elif macro.task.id in asked:
                self._models.note("refused", number, "it is known already: each task is there once")
            if number not in state.introduced and (known or Fact(macro.known) in flags):
                state.introduced = (*state.introduced, number)
                state.since = put(state.since, number - 1, i.now)
        if self._plan.idle.id in asked:
            self._models.note("refused", 0, "it is the idle task, which every robot has")
        self._models.events += [
            Event("refused", "", args[0], "a task of cobos has the arguments of the mission")
            for args in orders
            if args[1:]
        ]
        return flags

    def _reports(self, beliefs: Beliefs) -> dict[int, Report]:
        """What is known of every other robot, in reach or not."""
        count = len(self._plan.tasks)
        found = {one: pages.read(beliefs.facts, one, count) for one in self._team if one != self._me}
        reports = {robot: report for robot, report in found.items() if report is not None}
        self._changed = {one: pages.changed(beliefs.facts, one, count) for one in reports}
        return reports

    def _joined(self, reports: dict[int, Report]) -> list[tuple[int, Record]]:
        joined = []
        for number, own in enumerate(self._state.records, 1):
            reported = (report.records[number - 1] for report in reports.values())
            joined.append((number, functools.reduce(Record.joined, reported, own)))
        return joined

    def _knowledge(self, reports: dict[int, Report], values: list[int]) -> Knowledge:
        state = self._state
        near = self.members - {self._me}
        members = {robot: report for robot, report in reports.items() if robot in near}
        self._models.unknown = tuple(sorted(near - set(reports)))
        members[self._me] = self._report(values)
        able = []
        for k, known in enumerate(state.able):
            new = [robot for robot, one in members.items() if one.values[k] and robot not in known]
            able.append(tuple(sorted((*known, *new))) if new else known)
        state.able = tuple(able)
        away = collections.Counter(
            one.task for robot, one in reports.items()
            if robot not in members and one.task
            and self._now - self._changed[robot] < AWAY_TERMS * self._plan.tasks[one.task - 1].expected_s
        )  # fmt: skip
        everybody = [tuple(values), *(one.values for one in reports.values())]
        archived, ready = allocation.archived(state.records, everybody), self._ready()
        members = dict(sorted(members.items()))
        return Knowledge(members, state.records, ready - archived, away, archived & ready, self._plan.fixed)

    def _ended(self, beliefs: Beliefs) -> frozenset[int]:
        """The tasks whose completion is known: no robot is needed there any more (ours: see docs/cobos.md)."""
        entries = self._table.task_entries
        return self._closed | {
            number
            for number, macro in enumerate(self._plan.tasks, 1)
            if (completion := entries[macro.task.id].completion) and beliefs.flag(completion)
        }

    def _ready(self) -> frozenset[int]:
        """The tasks that are introduced and not over, and whose predecessors are performed or over."""
        records, tasks, over = self._state.records, self._plan.tasks, self._models.over
        return frozenset(
            number for number in self._state.introduced
            if number not in over and all(records[k - 1].performed or k in over for k in tasks[number - 1].after)
        )  # fmt: skip

    def _report(self, values: list[int]) -> Report:
        state = self._state
        return Report(state.task, state.status, state.recruits, state.home, state.records, tuple(values))

    # -- what is stated

    def _visited(self, number: int) -> Task:
        idle, (x, y) = self._plan.idle, self._plan.place(number)
        return (
            Task(idle.kind, (("x", f"{x:g}"), ("y", f"{y:g}")), f"{idle.id}/{self._plan.id(number)}")
            if number
            else idle
        )

    def _run(self) -> tuple[Assignment, ...]:
        state = self._state
        if state.place == WORKS:
            task = self._plan.tasks[state.task - 1].task
            return (Assignment(self._sets[task.id], task),) if task.id in self._sets else ()
        name = self._sets.get(self._plan.idle.id)
        return (Assignment(name, self._visited(state.place)),) if name is not None else ()

    def _statements(self) -> tuple[Statement, ...]:
        task = self._plan.id(self._state.task)
        claim = Statement("activity", (task, "", 0.0))
        return (claim, *presence.reported(self._me, self._state.seen, self._team, self._now, self._unit_s))

    def _pages(self, beliefs: Beliefs, values: list[int]) -> list[Fact]:
        facts = []
        for k, value in enumerate(pages.written(self._report(values))):
            name = pages.name_of(self._me, k)
            known = beliefs.facts.get(name)
            if known is None or known.value != value:
                facts.append(Fact(name, value))
        return facts

    def _levels(self, known: Knowledge) -> Iterator[Level]:
        """The suitability for each task, why the robot is on it or not, and what lowers it."""
        state, models = self._state, self._models
        failed = [(name, s) for name, s in zip(self._settings.basis, state.success, strict=True) if s < 0]
        for number, macro in enumerate(self._plan.tasks, 1):
            name = self._sets.get(macro.task.id)
            if name is not None:
                why = why_not(
                    number, self._plan, state, known, models.over, self._unfit, models.unknown, models.names
                )
                if failed:
                    needs = {self._settings.basis[k] for way in macro.ways for k in way}
                    why += "".join(f"; {one} has failed ({s})" for one, s in failed if one in needs)
                yield Level(name, {"suitability": models.value(number) / WHOLE}, 1.0, why)

    # -- what lasts

    @property
    def memory_version(self) -> int:
        """See `Keeper`; it grows when a task changes its state or the robot its task."""
        return self._state.version

    def memory(self) -> Json:
        """See `Keeper`; times as ages."""
        kept = to_plain(shifted(self._state, -self._now))
        return sealed(kept, self._table, self._me)

    def recall(self, memory: Json) -> None:
        """See `Keeper`. Lapses continue where they were; a robot that was on a task continues it."""
        found = opened(memory, self._table, self._me)
        state = shifted(from_plain(State, found), self._now)
        state.seen, state.listens_since = {}, self._now
        self._models.state = state

    def freeze(self) -> Json:
        """See `Coordinator.freeze`."""
        return [to_plain(self._state), self._silence.freeze()]

    def thaw(self, state: Json) -> None:
        """See `Coordinator.thaw`; `begin` comes first."""
        assert isinstance(state, list)
        self._models.state = from_plain(State, state[0])
        self._silence.thaw(state[1])


def _status(own: Feedback) -> int:
    """What the set's progress says: 0 on the way, above 0 started, above a half it holds an object."""
    if own.progress >= 1.0:
        return KEEPS if own.holding else PERFORMED
    if own.holding or own.progress > CONTRIBUTES:
        return HOLDS
    return STARTED if own.progress > 0.0 else ON_THE_WAY
