"""Coordinators inside BITE, each for the children of one behavior, among the robots that execute it.

What they state is merged with BITE's own, but for the activity, which is BITE's alone: what a teammate is reported
to work on is the child whose chain its path is in, of this behavior and this occurrence, so that a behavior with
several parents is never mistaken for that of another.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from motivation.bite.settings import InteractionSettings
from motivation.bite.stack import Stack
from motivation.nesting import Nest, Opening
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Assess, Choice, Make
from robotd.model.inputs import Inputs
from robotd.model.plain import Json
from robotd.model.statements import Heard, Sent, Statement
from robotd.model.tasks import Feedback, Task

NOT_OPEN = Feedback(applicable=False)
COMPLETED = Feedback(applicable=False, done=True, progress=1.0)


@dataclass(frozen=True)
class Given:
    """One decision of the outer coordinator."""

    i: Inputs
    beliefs: Beliefs
    assess: Assess
    heard: Sequence[Heard]
    sent: Sequence[Sent]


@dataclass
class Nests:
    """The open coordinators of one robot by instance; `choices` of those that were asked in this decision."""

    make: Make
    stack: Stack
    sets: Mapping[str, Sequence[str]]  # by task the sets of this robot
    tasks: Mapping[str, Task]
    given: Given | None = None
    choices: dict[int, Choice] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._nest = Nest(self.make)
        self._of: dict[int, list[list[int]]] = {}  # by instance its path, and whether this robot leads

    def begin(self, given: Given) -> None:
        """A decision."""
        self.given, self.choices = given, {}

    def ask(self, instance: int, depth: int, settings: InteractionSettings) -> int:
        """The child, from 1, that the coordinator inside chooses for the behavior on a level; 0: none."""
        stack, given = self.stack, self.given
        assert given is not None
        node, allotment = stack.node(depth), stack.state.stack[depth].allotment
        children = [stack.graph[one].name for one in node.first]
        if instance not in self.choices:
            self._opened(instance, depth, settings, children)
            self.choices[instance] = self._stepped(instance, depth, children, given)
            run = self.choices[instance].run
            name = run[-1].task.id if run else ""
            allotment.memory["chosen"] = float(children.index(name) + 1 if name in children else 0)
            allotment.set = run[-1].set if run else ""
        return int(allotment.memory["chosen"])

    def end(self) -> None:
        """Close what no open allocation has asked."""
        for instance in self._nest.instances:
            if instance not in self.choices:
                self._nest.close(instance)
                del self._of[instance]

    def _opened(self, instance: int, depth: int, settings: InteractionSettings, children: Sequence[str]) -> None:
        stack, given = self.stack, self.given
        assert given is not None
        path = [[step.node, step.occurrence] for step in stack.path.steps[: depth + 1]]
        leads = bool(settings.leader) and min(stack.team(depth)) == stack.me
        path.append([int(leads)])
        if instance in self._nest.instances:
            known = self._of[instance]
            if known == path or (known[:-1] == path[:-1] and not leads):
                return
            self._nest.close(instance)
        parameters = dict(settings.parameters)
        if settings.leader:
            parameters[settings.leader] = stack.names[min(stack.team(depth))]
        team, everybody = stack.node(depth).team or {stack.me}, given.beliefs.table.team
        tables = {name: {**settings.motivation, **settings.sets.get(name, {})} or None for name in children}
        sets = tuple((own, name, tables[name]) for name in children for own in self.sets.get(name, ()))
        self._of[instance] = path
        self._nest.open(instance, Opening(
            settings.coordinator, parameters, sets, tuple(self.tasks[name] for name in children),
            tuple(member for member in everybody if member.number in team), stack.me, given.i.now,
        ))  # fmt: skip

    def _stepped(self, instance: int, depth: int, children: Sequence[str], given: Given) -> Choice:
        stack, mine = self.stack, self.stack.path
        paths = stack.now.roster.paths
        on = {
            robot: stack.child_of(depth, path) for robot, path in paths.items() if path.shares(mine, depth + 1)
        }  # fmt: skip
        names = {robot: children[child - 1] if child else "" for robot, child in on.items()}
        own = stack.child_of(depth, mine)
        heard = [
            replace(frame, statements=_about(frame.statements, names[frame.sender], children))
            for frame in given.heard if frame.sender in names
        ]  # fmt: skip
        sent = [
            replace(frame, statements=_about(frame.statements, children[own - 1] if own else "", children))
            for frame in given.sent
        ]
        teammates = {
            robot: replace(one, task=names.get(robot, ""), held=one.held if one.held in children else "")
            for robot, one in given.beliefs.teammates.items()
        }
        beliefs = replace(given.beliefs, teammates=teammates)
        orders = replace(given.i, orders=(), subtasks=())
        assess, done = self._assess(depth, children, given), stack.state.stack[depth].allotment.done
        over = [name for k, name in enumerate(children) if done >> k & 1]
        return self._nest.step(instance, orders, beliefs, assess, heard, sent, over)

    def _assess(self, depth: int, children: Sequence[str], given: Given) -> Assess:
        """How a child's set judges it, as far as its chain goes: one that has ended is done, once.

        Of a recurring one this occasion is done in one decision.
        """
        allotment, own = self.stack.state.stack[depth].allotment, self.stack.child_of(depth, self.stack.path)
        chosen, occasion = int(allotment.memory.get("chosen", 0)), int(allotment.memory.pop("occasion", 0))

        def assess(i: Inputs, beliefs: Beliefs, name: str, task: Task) -> Feedback:
            child = children.index(task.id) + 1 if task.id in children else 0
            if not child:
                return NOT_OPEN
            if allotment.done >> child - 1 & 1:
                return COMPLETED if chosen == child else NOT_OPEN
            if child == occasion:
                return COMPLETED
            judged = given.assess(i, given.beliefs, name, task)
            if own == child:  # its chain goes on, whatever its first behavior says of itself
                return replace(judged, applicable=not judged.missing, done=False)
            return replace(judged, done=False)

        return assess

    @property
    def held(self) -> Task | None:
        """What this robot has interrupted and goes on with, as the innermost coordinator that has such states."""
        held = [choice.held for choice in self.choices.values() if choice.held is not None]
        return held[-1] if held else None

    def statements(self) -> list[Statement]:
        """What the coordinators inside state, without activities."""
        choices = (self.choices[k] for k in sorted(self.choices))
        return [one for choice in choices for one in choice.statements if one.kind != "activity"]

    def freeze(self) -> Json:
        return [self._nest.freeze(), {str(k): path for k, path in sorted(self._of.items())}]

    def thaw(self, state: Any) -> None:
        """Take up a frozen state."""
        self._nest.thaw(state[0])
        self._of = {int(k): [list(step) for step in path] for k, path in state[1].items()}


def _about(statements: Sequence[Statement], child: str, children: Collection[str]) -> tuple[Statement, ...]:
    """Statements whose activity is that of a child, and holds one; of a robot that is on none it has no task."""
    return tuple(
        replace(one, fields=(child, one.fields[1] if one.fields[1] in children else "", *one.fields[2:]))
        if one.kind == "activity" else one
        for one in statements
    )  # fmt: skip
