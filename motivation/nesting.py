"""Coordinators inside a coordinator: opened for some tasks and a sub-team, stepped, closed, frozen."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from robotd.model.beliefs import Beliefs
from robotd.model.choice import Assess, Choice, Coordinator, Make
from robotd.model.inputs import Inputs
from robotd.model.keeper import Closes
from robotd.model.plain import Json, from_plain, to_plain
from robotd.model.statements import Heard, Sent, Statement
from robotd.model.table import Member, NumberTable
from robotd.model.tasks import Task

NUMBERS = 16  # of each instance, for what it numbers itself: auctions from NUMBERS * instance


@dataclass(frozen=True, slots=True)
class Opening:
    """With what a nested coordinator is opened; all of it is frozen, so that thaw can make it again."""

    plugin: str
    parameters: Mapping[str, Any]
    sets: tuple[tuple[str, str, Any], ...]  # set, task, table of its motivation
    tasks: tuple[Task, ...]
    team: tuple[Member, ...]
    me: int
    now: float


class Nest:
    """The open coordinators of one robot by instance, 1 to 15, alike on all robots that share an allocation."""

    def __init__(self, make: Make) -> None:
        self._make = make
        self._open: dict[int, tuple[Opening, Coordinator]] = {}

    @property
    def instances(self) -> list[int]:
        return sorted(self._open)

    def open(self, instance: int, opening: Opening) -> None:
        """Begin a coordinator; ValueError for an instance that is open or out of range."""
        if instance in self._open:
            raise ValueError(f"instance {instance} is open already")
        made = self._make(opening.plugin, opening.parameters, opening.sets, instance)
        made.begin(opening.now, opening.me, opening.tasks, opening.team, instance)
        self._open[instance] = (opening, made)

    def close(self, instance: int) -> None:
        """Forget a coordinator; KeyError where it is not open."""
        del self._open[instance]

    def step(
        self, instance: int, i: Inputs, beliefs: Beliefs, assess: Assess,
        heard: Sequence[Heard], sent: Sequence[Sent], over: Collection[str] = (),
    ) -> Choice:  # fmt: skip
        """One decision of a coordinator, which receives only the statements that concern it (`select`).

        `over`: the tasks that are done, by any robot.
        """
        opening, coordinator = self._open[instance]
        if isinstance(coordinator, Closes):
            coordinator.close(over)
        table = beliefs.table
        names = {task.id for task in opening.tasks} | {table.template(task) for task in opening.tasks}

        def mine(statements: Sequence[Statement]) -> tuple[Statement, ...]:
            return select(statements, table, names, instance)

        heard = [replace(frame, statements=mine(frame.statements)) for frame in heard]
        sent = [replace(frame, statements=mine(frame.statements)) for frame in sent]
        return coordinator.step(i, beliefs, assess, heard, sent)

    def freeze(self) -> Json:
        return [
            [k, _freeze_opening(opening), coordinator.freeze()]
            for k, (opening, coordinator) in sorted(self._open.items())
        ]

    def thaw(self, state: Json) -> None:
        """Take up a frozen state: each coordinator is made, begun as when it was opened, and thawed."""
        assert isinstance(state, list)
        self._open = {}
        for instance, plain, inner in state:
            tasks, team = (
                tuple(from_plain(kind, x) for x in plain[key]) for kind, key in ((Task, "tasks"), (Member, "team"))
            )
            sets = tuple((name, task, motivation) for name, task, motivation in plain["sets"])
            self.open(instance, Opening(**{**plain, "tasks": tasks, "team": team, "sets": sets}))
            self._open[instance][1].thaw(inner)


def _freeze_opening(opening: Opening) -> Json:
    plain = {name: getattr(opening, name) for name in ("plugin", "parameters", "sets", "me", "now")}
    return {**plain, "tasks": to_plain(opening.tasks), "team": to_plain(opening.team)}


def select(
    statements: Sequence[Statement], table: NumberTable, tasks: set[str], instance: int
) -> tuple[Statement, ...]:
    """The statements that concern an instance with these tasks.

    One about a task of another instance is left out, but of an activity, which then reports no task; one with a
    `number` and no task belongs to the instance whose numbers these are.
    """
    found = []
    for one in statements:
        fields = table.kinds[one.kind].fields
        foreign = [
            type_ == "task" and value not in tasks for (_, type_), value in zip(fields, one.fields, strict=True)
        ]
        if one.kind == "activity":
            values = ("" if off else value for off, value in zip(foreign, one.fields, strict=True))
            found.append(replace(one, fields=tuple(values)))
        elif not any(foreign) and _number(one, fields, instance) // NUMBERS == instance:
            found.append(one)
    return tuple(found)


def _number(one: Statement, fields: Sequence[tuple[str, str]], instance: int) -> int:
    """What a statement without a task is numbered; the first number of the instance where it has none."""
    names = [name for name, type_ in fields if type_ == "task" or name == "number"]
    number = one.fields[[name for name, _ in fields].index("number")] if names == ["number"] else None
    return int(number) if isinstance(number, int | float) else NUMBERS * instance
