"""What is to be said, and what of it fits the next frame.

States are keyed by (kind, key) and hold until the next decision replaces the whole set, so that a robot never
goes on stating what it no longer holds true. Facts fill the room that is left. So that neither states that fill
every frame nor facts that change in every beat can keep one from being said, a fact that was passed over in twice
as many frames as there are facts goes before all but a stop and the activity: of F facts each is said within 3 F
frames, whatever else there is to say.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from radio.codec import RECORDS, Codec
from robotd.model.beliefs import Beliefs, statement_of
from robotd.model.facts import Fact
from robotd.model.plain import Json, from_plain, to_plain
from robotd.model.statements import MAX_PENDING, Statement
from robotd.model.table import NumberTable

BEFORE_FACTS = ("stop", "activity")  # with the longest fact, a page, they fill a frame's 22 bytes


class StatementRefusedError(ValueError):
    """A coordinator asks to state what cannot be stated; says which and why."""


@dataclass(frozen=True, slots=True)
class _Pending:
    """A state, when it was stated (own clock, s), its place in the packing order, and since when it is stated."""

    statement: Statement
    stated_at: float
    priority: int
    number: int
    key: str
    since: float


@dataclass(frozen=True, slots=True)
class _Said:
    """A fact as last said, and when."""

    at: float
    fact: Fact


@dataclass(slots=True)
class _State:
    pending: tuple[_Pending, ...] = ()
    said: Mapping[str, float] = field(default_factory=dict)  # pending key: when it was last packed
    facts: Mapping[str, _Said] = field(default_factory=dict)
    passed: Mapping[str, int] = field(default_factory=dict)  # fact: frames since it was said, or first known


class Outbox:
    """Pending states and the order in which facts take their turn."""

    def __init__(self, table: NumberTable, codec: Codec) -> None:
        self._table, self._codec = table, codec
        self._state = _State()

    @property
    def pending(self) -> int:
        """How many states wait to be said or said again."""
        return len(self._state.pending)

    def state(self, now: float, statements: Sequence[Statement]) -> None:
        """`statements` are from `now` on all that this robot states; of one key the last holds.

        StatementRefusedError where one cannot be encoded or more than 16 are left.
        """
        pending, since = {}, {entry.key: entry.since for entry in self._state.pending}
        for statement in statements:
            entry = self._entry(now, statement)
            pending[entry.key] = replace(entry, since=since.get(entry.key, now))
        if len(pending) > MAX_PENDING:
            raise StatementRefusedError(f"{len(pending)} states at once; a radio carries {MAX_PENDING}")
        self._state.pending = tuple(pending.values())

    def pack(self, at: float, urgent: Sequence[Statement], beliefs: Beliefs) -> list[bytes]:
        """The records of a frame that leaves at `at`: by priority, then longest unsent, then facts likewise."""
        entries = [self._entry(at, statement) for statement in urgent]
        entries += [entry for entry in self._state.pending if entry.statement.until >= at]
        said = {entry.key: self._state.said.get(entry.key, -math.inf) for entry in entries}
        overdue = self._overdue(beliefs)
        kept = len(self._fact(at, overdue, beliefs)) if overdue is not None else 0
        entries.sort(key=lambda entry: (
            kept > 0 and entry.statement.kind not in BEFORE_FACTS,
            entry.priority, said[entry.key], entry.since, entry.number, entry.key,
        ))  # fmt: skip
        records, room = [], RECORDS
        for entry in entries:
            record = self._codec.encode(entry.statement, at - entry.stated_at)
            if len(record) <= (room if entry.statement.kind in BEFORE_FACTS else room - kept):
                records.append(record)
                room -= len(record)
                said[entry.key] = at
        self._state.said = {key: last for key, last in said.items() if last > -math.inf}
        return records + self._pack_facts(at, room, beliefs, overdue)

    def freeze(self) -> Json:
        """The whole state."""
        return to_plain(self._state)

    def thaw(self, state: Json) -> None:
        """Take up a frozen state."""
        self._state = from_plain(_State, state)

    def _pack_facts(self, at: float, room: int, beliefs: Beliefs, overdue: str | None) -> list[bytes]:
        """After the one that is overdue facts never said as they stand go first, then those longest unsaid, of
        these the robot's own before those it relays; what does not fit is passed over."""
        last = {name: self._last_said(fact) for name, fact in beliefs.facts.items()}
        said = {name: entry for name, entry in self._state.facts.items() if name in last}
        passed = {name: self._state.passed.get(name, 0) + 1 for name in last}
        records = []

        def turn(name: str) -> tuple[bool, float, bool, int]:
            own = beliefs.facts[name].writer == beliefs.me
            return name != overdue, last[name], not own, self._table.fact(name).number

        for name in sorted(last, key=turn):
            record = self._fact(at, name, beliefs)
            if len(record) <= room:
                records.append(record)
                room -= len(record)
                said[name] = _Said(at, beliefs.facts[name])
                passed[name] = 0
        self._state.facts, self._state.passed = said, passed
        return records

    def _overdue(self, beliefs: Beliefs) -> str | None:
        """The fact that was passed over most often, if that was more often than turns alone would make it."""
        passed = {name: self._state.passed.get(name, 0) for name in beliefs.facts}
        most = max(passed, key=lambda name: (passed[name], -self._table.fact(name).number), default=None)
        return most if most is not None and passed[most] >= 2 * len(passed) else None

    def _fact(self, at: float, name: str, beliefs: Beliefs) -> bytes:
        return self._codec.encode(statement_of(beliefs.facts[name], self._table, at))

    def _last_said(self, fact: Fact) -> float:
        entry = self._state.facts.get(fact.name)
        if entry is None or (entry.fact.value, entry.fact.version) != (fact.value, fact.version):
            return -math.inf
        return entry.at

    def _entry(self, now: float, statement: Statement) -> _Pending:
        try:
            kind = self._codec.check(statement)
        except (KeyError, ValueError, TypeError) as problem:
            raise StatementRefusedError(f"{statement.kind} {statement.fields}: {problem}") from problem
        key = f"{kind.name} {statement.fields[: kind.key]}"
        return _Pending(statement, now, kind.priority, kind.number, key, now)
