"""BITE as a coordinator: task behaviors and interaction behaviors apart, a copy of both on every robot."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from motivation.bite.checks import faults
from motivation.bite.control import Control
from motivation.bite.drawing import panels
from motivation.bite.fusion import Fusion
from motivation.bite.graph import graph_of
from motivation.bite.interactions import PROTOCOLS, Interaction, Library
from motivation.bite.interactions.nested import NestedAllocation
from motivation.bite.nests import Given, Nests
from motivation.bite.roster import Roster, note_sent, receive
from motivation.bite.settings import BiteSettings, TaskTerms
from motivation.bite.stack import Now
from motivation.bite.state import State, shifted
from motivation.bite.words import (
    CLOSED,
    DECIDES,
    ENDED,
    EXECUTES,
    FINISHED,
    KINDS,
    LISTENS,
    ballot_statement,
    path_statement,
)
from motivation.events import Silence, refuse_tasks
from motivation.keeping import opened, sealed
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Assess, Choice, Coordinator, Event, Level, Make, MissionTerms, Nested
from robotd.model.coordinator_plugin import Fault, Timing
from robotd.model.drawing import Panel
from robotd.model.inputs import Inputs
from robotd.model.plain import Json, from_plain, to_plain
from robotd.model.statements import MAX_PENDING, Heard, Sent, Statement
from robotd.model.table import Member, NumberTable
from robotd.model.tasks import Assignment, Feedback, Task

FRESH_BEATS = 2.0  # times the number of facts: so long a fact is new, as each is sent in another frame
LEAST_SILENCE_S = 2.0  # a network pauses now and then, however fast the radio
STRUCTURE = Feedback(applicable=True)  # of a behavior without a set: it only holds others together
PHASES = {
    EXECUTES: "executes it", ENDED: "has ended it and waits for its team", DECIDES: "decides what follows it",
    FINISHED: "the plan is finished", LISTENS: "listens for its team before the plan begins",
    CLOSED: "its chain has ended, and it waits for its team",
}  # fmt: skip
TAKES_NONE = "BITE executes the behavior graph of the mission file, and takes no task at run time"


def _make_none(name: str, *_: Any) -> Coordinator:
    raise ValueError(f"coordinator {name!r}: nothing that makes it was given")


class Bite:
    """One robot's part. An own interaction behavior is added by a subclass with more `protocols`: docs/bite.md."""

    Settings = BiteSettings
    TaskSettings = TaskTerms
    own_kinds = KINDS
    nests = True
    memory_name = "bite"
    memory_of_run = True
    protocols: ClassVar[dict[str, type[Interaction]]] = PROTOCOLS

    @classmethod
    def agrees(cls, settings: BiteSettings) -> Json:
        """All settings, and which protocols there are."""
        return {**settings.model_dump(mode="json"), "protocols": sorted(cls.protocols)}

    @classmethod
    def check(cls, settings: BiteSettings, terms: MissionTerms) -> Iterator[Fault]:
        """Cycles, behaviors out of reach, names that are not there, points without a protocol."""
        return faults(settings, terms, Library(cls.protocols, settings.interactions))

    @staticmethod
    def nested(settings: BiteSettings) -> Iterator[Nested]:
        """The tables of the coordinators inside."""
        for name, own in settings.interactions.items():
            if own.coordinator:
                at = ("interactions", name)
                points = [node for node in settings.graph.values() if node.allocate == name]
                children = tuple(dict.fromkeys(child for node in points for child in node.first))
                yield Nested((*at, "parameters"), own.coordinator, own.parameters, tasks=children)
                if own.motivation:
                    yield Nested((*at, "motivation"), own.coordinator, own.motivation, "SetSettings")
                elif others := tuple(one for one in children if one not in own.sets):
                    yield Nested((*at, "motivation"), own.coordinator, {}, "SetSettings", others)
                for child, table in own.sets.items():
                    whole = {**own.motivation, **table}
                    yield Nested((*at, "sets", child), own.coordinator, whole, "SetSettings")

    @classmethod
    def drawing(cls, settings: BiteSettings, table: NumberTable) -> Iterator[Panel]:
        """See `motivation.bite.drawing`."""
        return panels(settings, Library(cls.protocols, settings.interactions), table.robots.values())

    @staticmethod
    def is_node(terms: TaskTerms) -> bool:
        """Whether no behavior set works on it."""
        return terms.structure

    @staticmethod
    def timing(settings: BiteSettings) -> Timing:
        """A teammate without a path for so long is no longer waited for."""
        return Timing(settings.silence_beats)

    def __init__(
        self, settings: BiteSettings, sets: Sequence[tuple[str, str, Any]], table: NumberTable,
        decision_s: float, *, make: Make = _make_none,
    ) -> None:  # fmt: skip
        """`sets`: name and task of each behavior set of this robot.

        The first of a task executes the behavior, unless a coordinator inside chose another.
        """
        self._settings, self._table, self._make = settings, table, make
        self._sets: dict[str, list[str]] = {}
        for name, task, _ in sets:
            self._sets.setdefault(task, []).append(name)
        self._graph = graph_of(settings, table.robots)
        self._library = Library(self.protocols, settings.interactions)
        points = {k: self._library.get(node.own.allocate) for k, node in sorted(self._graph.nodes.items())}
        inside = (k for k, protocol in points.items() if isinstance(protocol, NestedAllocation))
        self._has_news = False
        self._instances = {number: instance for instance, number in enumerate(inside, 1)}

    def begin(self, now: float, me: int, tasks: Sequence[Task], team: Sequence[Member], instance: int) -> None:
        """See `Coordinator.begin`."""
        self._me, self._now = me, now
        self._tasks = {task.id: task for task in tasks}
        self._silence = Silence(team, me, frees=False)
        self._open(State(began=now, phase_since=now))

    def _open(self, state: State) -> None:
        names = dict(self._table.robots)
        self._control = Control(self._me, self._graph, self._library, self._settings, state, names)
        recurring = {entry.task.id for entry in self._table.tasks if entry.recurring}
        self._control.recurring = frozenset(k for k, one in self._graph.nodes.items() if one.name in recurring)
        self._nests = Nests(self._make, self._control, self._sets, self._tasks)
        self._control.inside = lambda depth, own: self._nests.ask(
            self._instances[self._control.state.stack[depth].node], depth, own
        )
        self._fusion = Fusion(self._control, [n for n, one in self._graph.nodes.items() if one.name in self._sets])

    @property
    def _state(self) -> State:
        return self._control.state

    def step(
        self, i: Inputs, beliefs: Beliefs, assess: Assess, heard: Sequence[Heard], sent: Sequence[Sent]
    ) -> Choice:
        """See `Coordinator.step`."""
        self._now, beat_s = i.now, beliefs.beat_s(i.now)
        receive(self._state, heard, beliefs)
        note_sent(self._state, sent)
        if self._instances:
            self._give_way(i.now, beliefs, sent)
        refused = refuse_tasks(i.orders, TAKES_NONE)
        if not beliefs.running:
            return Choice(statements=self._statements(), events=refused)
        judge = self._judge(i, beliefs, assess)
        silence_s = max(self._settings.silence_beats * beat_s, LEAST_SILENCE_S)
        roster = Roster(self._state, self._me, self._table.robots, i.now, silence_s)
        self._fusion.sense(roster, i.now, beat_s, judge)
        now = Now(i.now, beat_s, roster, self._fusion.is_over, self._fusion.is_enabled,
                  lambda number: judge(number).fitness)  # fmt: skip
        self._nests.begin(Given(i, beliefs, assess, heard, sent))
        self._control.step(now)
        self._nests.end()
        silent = self._silence.look(i.now, silence_s, beliefs.teammates, any_heard=bool(heard))
        self._fusion.inform()
        return self._choice(judge, refused, silent)

    def _choice(
        self, judge: Callable[[int], Feedback], refused: Sequence[Event], silent: Sequence[Event]
    ) -> Choice:
        """What this robot does, states and reports, with what the coordinators inside ask for."""
        inside = [self._nests.choices[k] for k in sorted(self._nests.choices)]
        own = (*refused, *(() if inside else silent), *self._control.events)  # those inside report silence too
        return Choice(
            run=self._run(),
            held=self._nests.held,
            statements=self._statements(),
            events=(*own, *(event for one in inside for event in one.events)),
            levels=tuple(self._levels()),
            finished=self._finished(judge),
            facts=tuple(fact for one in inside for fact in one.facts),
            jobs=tuple(job for one in inside for job in one.jobs),
        )

    def _give_way(self, now: float, beliefs: Beliefs, sent: Sequence[Sent]) -> None:
        """Note whether the last frame had the path, so that the next is for facts alone while some are new."""
        for frame in sent:
            self._state.gives_way = any(one.kind == "path" for one in frame.statements)
        fresh_s = FRESH_BEATS * len(beliefs.facts) * beliefs.beat_s(now)
        self._has_news = any(now - fact.since < fresh_s for fact in beliefs.facts.values())

    def _judge(self, i: Inputs, beliefs: Beliefs, assess: Assess) -> Callable[[int], Feedback]:
        """How this robot's set of a behavior judges it, asked once a decision."""
        known: dict[int, Feedback] = {}

        def judge(number: int) -> Feedback:
            if number not in known:
                name = self._graph[number].name
                known[number] = self._assessed(i, beliefs, assess, name)
            return known[number]

        return judge

    def _assessed(self, i: Inputs, beliefs: Beliefs, assess: Assess, name: str) -> Feedback:
        if name not in self._sets:
            return STRUCTURE
        return assess(i, beliefs, self._set_of(name), self._tasks[name])

    def _set_of(self, name: str) -> str:
        """The set that executes a behavior: the one that was chosen with it, where it is on the stack."""
        stack, sets = self._state.stack, self._sets[name]
        above = (up for up, level in itertools.pairwise(stack) if self._graph[level.node].name == name)
        return next((up.allotment.set for up in above if up.allotment.set in sets), sets[0])

    def _finished(self, judge: Callable[[int], Feedback]) -> tuple[Task, ...]:
        """The tasks that an own set has done in this decision."""
        ended = [
            event.task for event in self._control.events if event.kind == "terminated" and event.task in self._sets
        ]
        return tuple(self._tasks[one] for one in ended if judge(self._graph.named[one].number).done)

    # -- what follows from the stack

    def _run(self) -> tuple[Assignment, ...]:
        """The sets of the whole path; of one that has ended, its parents go on."""
        state, control = self._state, self._control
        acting = state.stack if state.phase == EXECUTES else state.stack[:-1]
        names = [self._graph[level.node].name for k, level in enumerate(acting) if control.mine(k)]
        return tuple(Assignment(self._set_of(name), self._tasks[name]) for name in names if name in self._sets)

    def _statements(self) -> tuple[Statement, ...]:
        """The claim and the rest; in turn only the claim, so that new facts for a coordinator inside have room."""
        state = self._state
        top = self._graph[state.stack[-1].node].name if state.stack and state.phase != FINISHED else ""
        beats = (self._now - state.stack[-1].since) / self._table.beat_s if top else 0.0
        ballots = [ballot_statement(one) for one in self._control.ballots.values()]
        held = self._nests.held
        claim = Statement("activity", (top, held.id if held else "", max(0.0, beats)))
        if self._has_news and state.gives_way and self._nests.choices:
            return (claim,)
        all_ = (claim, path_statement(state.path), *ballots, *self._nests.statements())
        return all_[:MAX_PENDING]

    def _levels(self) -> Iterator[Level]:
        """Of each set whether the robot executes it, and why; what a coordinator inside makes of its own sets."""
        inside = {level.set: level for choice in self._nests.choices.values() for level in choice.levels}
        on = {self._graph[level.node].name: depth for depth, level in enumerate(self._state.stack)}
        for task, names in self._sets.items():
            there = [inside[name] for name in names if name in inside]
            yield from there
            if not there and task in self._graph.named:
                depth = on.get(task)
                why = self._why_not(task) if depth is None else self._phase(depth)
                yield Level(self._set_of(task), {"executed": float(depth is not None)}, 1.0, why)

    def _phase(self, depth: int) -> str:
        return PHASES[self._state.phase if depth == len(self._state.stack) - 1 else EXECUTES]

    def _why_not(self, task: str) -> str:
        """Why this robot does not execute a behavior of the plan now."""
        state, number = self._state, self._graph.named[task].number
        if state.phase == LISTENS or not state.stack:
            return PHASES[LISTENS]
        if state.phase == FINISHED and len(state.stack) == 1:
            return PHASES[FINISHED]
        paths = self._control.now.roster.paths
        others = [self._table.name(robot) for robot, path in sorted(paths.items())
                  if robot != self._me and any(step.node == number for step in path.steps)]  # fmt: skip
        if others:
            return f"{', '.join(others)} {'execute' if len(others) > 1 else 'executes'} it"
        return f"the plan is at {' > '.join(self._graph[level.node].name for level in state.stack)}"

    # -- what lasts

    @property
    def memory_version(self) -> int:
        """See `Keeper`; it grows when the stack changes."""
        return self._state.version

    def memory(self) -> Json:
        """See `Keeper`; times as ages."""
        kept = to_plain(shifted(self._state, -self._now))
        return sealed(kept, self._table, self._me)

    def recall(self, memory: Json) -> None:
        """See `Keeper`. The robot takes up its team's stack, and its own only where no teammate shows another."""
        found = opened(memory, self._table, self._me)
        state = shifted(from_plain(State, found), self._now)
        state.began = state.phase_since = self._now
        self._open(state)

    def freeze(self) -> Json:
        """See `Coordinator.freeze`."""
        return [to_plain(self._state), self._nests.freeze(), self._silence.freeze()]

    def thaw(self, state: Json) -> None:
        """See `Coordinator.thaw`; `begin` comes first."""
        assert isinstance(state, list)
        self._open(from_plain(State, state[0]))
        self._nests.thaw(state[1])
        self._silence.thaw(state[2])
