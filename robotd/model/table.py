"""The mission's number table: the names of robots, tasks, facts and own statement kinds as numbers on the air.

Robots that hold different tables must never read each other's numbers: every frame carries `digest`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from robotd.model.facts import MAX_FACTS, OWN_FACTS, FactKind
from robotd.model.plain import OMIT_DEFAULT, to_plain
from robotd.model.statements import BUILT_IN, StatementKind, number_own
from robotd.model.tasks import Task
from robotd.model.value import value

MAX_ROBOT = 31  # five bits of a fact's stamp; 0 is the base station


@value
class Member:
    """A robot of the team."""

    name: str
    number: int
    type: str


@value
class TaskEntry:
    """A task of the mission; `completion` names the flag or count whose change says that it was completed."""

    task: Task
    number: int
    completion: str = ""
    recurring: bool = False
    terms: str = field(default="", metadata=OMIT_DEFAULT)  # the coordinator's own settings of it, canonical JSON


@dataclass(frozen=True)
class NumberTable:
    """Everything that all robots of a team must agree on before they can understand each other."""

    team: tuple[Member, ...]
    tasks: tuple[TaskEntry, ...]
    facts: tuple[FactKind, ...]
    own_kinds: tuple[StatementKind, ...] = ()
    resources: tuple[str, ...] = ()  # numbered by position; names of announcements
    beat_s: float = 3.0
    plan: str = ""  # what a coordinator's robots must agree on besides, canonical JSON; '' for nothing

    @cached_property
    def digest(self) -> int:
        """Sixteen bits over the whole table, the same whatever the order of its entries in the file."""
        parts = [sorted(json.dumps(to_plain(x)) for x in group)
                 for group in (self.team, self.tasks, self.facts, self.own_kinds)]  # fmt: skip
        text = json.dumps([parts, self.resources, self.beat_s, *([self.plan] if self.plan else [])])
        return int.from_bytes(hashlib.blake2s(text.encode(), digest_size=2).digest(), "big")

    @cached_property
    def kinds(self) -> dict[str, StatementKind]:
        return {kind.name: kind for kind in (*BUILT_IN, *self.own_kinds)}

    @cached_property
    def _facts(self) -> dict[str, FactKind]:
        return {fact.name: fact for fact in self.facts}

    @cached_property
    def task_entries(self) -> dict[str, TaskEntry]:
        return {entry.task.id: entry for entry in self.tasks}

    @cached_property
    def closing_facts(self) -> frozenset[str]:
        """The facts that complete the tasks that are done once."""
        return frozenset(entry.completion for entry in self.tasks if entry.completion and not entry.recurring)

    @cached_property
    def robots(self) -> dict[int, str]:
        return {member.number: member.name for member in self.team}

    def extended(
        self, kinds: Sequence[StatementKind] = (), facts: Sequence[FactKind] = (), plan: str = ""
    ) -> NumberTable:
        """This table with what a coordinator brings, numbered in declared order; ValueError where it cannot be."""
        numbered = tuple(replace(fact, number=OWN_FACTS + k) for k, fact in enumerate(facts))
        names, numbers = set(self._facts), {fact.number: fact.name for fact in self.facts}
        for fact in numbered:
            if fact.name in names:
                raise ValueError(f"fact {fact.name!r} is declared already")
            if fact.number in numbers:
                other = numbers[fact.number]
                raise ValueError(
                    f"fact {other!r} has number {fact.number}, where a coordinator's own begin; expected less"
                )
            names.add(fact.name)
        if len(names) > MAX_FACTS:
            raise ValueError(f"{len(names)} facts with the coordinator's own; frames carry at most {MAX_FACTS}")
        return replace(self, own_kinds=number_own(kinds), facts=self.facts + numbered, plan=plan)

    def introduced(self, words: Sequence[str], id: str) -> Task:
        """The task that a person asked for with `words`, NAME KEY=VALUE ..., as `id`, which is ROBOT.NUMBER.

        It is the mission's task with these arguments laid over its own. ValueError for a name that the mission
        has not, or a word that is no KEY=VALUE.
        """
        entry = self.task_entries.get(words[0]) if words else None
        if entry is None:
            names = ", ".join(entry.task.id for entry in self.tasks)
            raise ValueError(f"the mission has no task {' '.join(words[:1])!r}; it has {names}")
        given = [word.partition("=") for word in words[1:]]
        if faulty := [word for word, (_, equals, _) in zip(words[1:], given, strict=True) if not equals]:
            raise ValueError(f"{faulty[0]!r}: expected KEY=VALUE")
        args = dict(entry.task.args) | {key: value for key, _, value in given}
        return Task(entry.task.kind, tuple(sorted(args.items())), id)

    def template(self, task: Task) -> str:
        """The mission's task that `task`, introduced at run time, is one of: only names of the mission travel.

        Of several of its kind the one that agrees in most arguments, then the lowest number; KeyError naming the
        kind where the mission has none.
        """
        if task.id in self.task_entries:
            return task.id
        alike = [entry for entry in self.tasks if entry.task.kind == task.kind]
        if not alike:
            kinds = ", ".join(sorted({entry.task.kind for entry in self.tasks}))
            raise KeyError(f"the mission has no task of kind {task.kind!r}; it has {kinds}")
        args = set(task.args)
        return max(alike, key=lambda entry: (len(args & set(entry.task.args)), -entry.number)).task.id

    def fact(self, name: str) -> FactKind:
        """The declaration of a fact; KeyError naming it if the mission has none."""
        try:
            return self._facts[name]
        except KeyError:
            raise KeyError(f"the mission declares no fact {name!r}") from None

    def name(self, number: int) -> str:
        """What people call robot `number`; 0 is the base station."""
        return self.robots.get(number, "base station" if number == 0 else f"robot {number}")
