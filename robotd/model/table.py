"""The mission's number table: the names of robots, tasks, facts and own statement kinds as numbers on the air.

Robots that hold different tables must never read each other's numbers: every frame carries `digest`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property

from robotd.model.facts import FactKind
from robotd.model.plain import to_plain
from robotd.model.statements import BUILT_IN, StatementKind
from robotd.model.tasks import Task

MAX_ROBOT = 31  # five bits of a fact's stamp; 0 is the base station


@dataclass(frozen=True, slots=True)
class Member:
    """A robot of the team."""

    name: str
    number: int
    type: str


@dataclass(frozen=True, slots=True)
class TaskEntry:
    """A task of the mission; `completion` names the flag or count whose change says that it was completed."""

    task: Task
    number: int
    completion: str = ""
    recurring: bool = False


@dataclass(frozen=True)
class NumberTable:
    """Everything that all robots of a team must agree on before they can understand each other."""

    team: tuple[Member, ...]
    tasks: tuple[TaskEntry, ...]
    facts: tuple[FactKind, ...]
    own_kinds: tuple[StatementKind, ...] = ()
    resources: tuple[str, ...] = ()  # numbered by position; names of announcements
    beat_s: float = 3.0

    @cached_property
    def digest(self) -> int:
        """Sixteen bits over the whole table, the same whatever the order of its entries in the file."""
        parts = [sorted(json.dumps(to_plain(x)) for x in group)
                 for group in (self.team, self.tasks, self.facts, self.own_kinds)]  # fmt: skip
        text = json.dumps([parts, self.resources, self.beat_s])
        return int.from_bytes(hashlib.blake2s(text.encode(), digest_size=2).digest(), "big")

    @cached_property
    def kinds(self) -> dict[str, StatementKind]:
        """All statement kinds by name."""
        return {kind.name: kind for kind in (*BUILT_IN, *self.own_kinds)}

    @cached_property
    def _facts(self) -> dict[str, FactKind]:
        return {fact.name: fact for fact in self.facts}

    @cached_property
    def task_entries(self) -> dict[str, TaskEntry]:
        """The tasks by name."""
        return {entry.task.id: entry for entry in self.tasks}

    @cached_property
    def robots(self) -> dict[int, str]:
        """Names by number."""
        return {member.number: member.name for member in self.team}

    def fact(self, name: str) -> FactKind:
        """The declaration of a fact; KeyError naming it if the mission has none."""
        try:
            return self._facts[name]
        except KeyError:
            raise KeyError(f"the mission declares no fact {name!r}") from None

    def name(self, number: int) -> str:
        """What people call robot `number`; 0 is the base station."""
        return self.robots.get(number, "base station" if number == 0 else f"robot {number}")
