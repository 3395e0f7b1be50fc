"""The statements and facts to be sent, and which of them the next frame holds.

States are keyed by (kind, key) and hold until the next decision replaces the whole set, so that a robot never goes
on stating what it no longer holds true. Facts fill the remaining room. So that neither states that fill every
frame nor facts that change in every beat can starve a fact, one that was passed over in twice as many frames as
there are facts goes before all but a stop and the activity: of F facts each is sent within 3 F frames, whatever
else is stated.
"""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from radio.codec import RECORDS, Codec
from robotd.model.beliefs import Beliefs, statement_of
from robotd.model.facts import Fact
from robotd.model.statements import MAX_PENDING, Statement
from robotd.model.table import NumberTable
from robotd.model.value import value

NEVER: Final[Mapping[str, float]] = MappingProxyType({})
BEFORE_FACTS = ("stop", "activity")  # with the longest fact, a page, they fill a frame's 22 bytes


class StatementRefusedError(ValueError):
    """A coordinator asks to state what cannot be stated; the text names the statement and the reason."""


@value
class _Pending:
    """A state, when it was stated (own clock, s), its place in the packing order, and since when it is stated."""

    statement: Statement
    stated_at: float
    priority: int
    number: int
    key: str
    since: float


class Outbox:
    """Pending states and the order in which facts take their turn."""

    def __init__(self, table: NumberTable, codec: Codec) -> None:
        self._table, self._codec = table, codec
        self._pending: tuple[_Pending, ...] = ()
        self._packed: dict[str, float] = {}  # by key of a pending state: when it was last packed
        self._facts: dict[str, tuple[float, Fact]] = {}  # by name: when a fact was last sent, and as what
        self._passed: dict[str, int] = {}  # by fact: frames since it was sent, or first known

    @property
    def pending(self) -> int:
        """How many states are sent in turn."""
        return len(self._pending)

    def state(self, now: float, statements: Sequence[Statement]) -> None:
        """`statements` are from `now` on all that this robot states; of one key the last holds.

        StatementRefusedError where one cannot be encoded or more than 16 are left.
        """
        pending, since = {}, {entry.key: entry.since for entry in self._pending}
        for statement in statements:
            entry = self._entry(now, statement, since)
            pending[entry.key] = entry
        if len(pending) > MAX_PENDING:
            raise StatementRefusedError(f"{len(pending)} states at once; a radio carries {MAX_PENDING}")
        self._pending = tuple(pending.values())

    def pack(self, at: float, urgent: Sequence[Statement], beliefs: Beliefs) -> list[bytes]:
        """The records of a frame that leaves at `at`: by priority, then longest unsent, then facts likewise."""
        entries = [self._entry(at, statement) for statement in urgent]
        entries += [entry for entry in self._pending if entry.statement.until >= at]
        packed = {entry.key: self._packed.get(entry.key, -math.inf) for entry in entries}
        overdue = self._overdue(beliefs)
        kept = self._size(overdue) if overdue is not None else 0
        entries.sort(key=lambda entry: (
            kept > 0 and entry.statement.kind not in BEFORE_FACTS,
            entry.priority, packed[entry.key], entry.since, entry.number, entry.key,
        ))  # fmt: skip
        records, room = [], RECORDS
        for entry in entries:
            record = self._codec.encode(entry.statement, at - entry.stated_at)
            if len(record) <= (room if entry.statement.kind in BEFORE_FACTS else room - kept):
                records.append(record)
                room -= len(record)
                packed[entry.key] = at
        self._packed = {key: last for key, last in packed.items() if last > -math.inf}
        return records + self._pack_facts(at, room, beliefs, overdue)

    def _pack_facts(self, at: float, room: int, beliefs: Beliefs, overdue: str | None) -> list[bytes]:
        """After the overdue one, facts never sent with their present value go first, then those longest unsent, of
        these the robot's own before those it relays; what does not fit is passed over."""
        last = {name: self._last_sent(fact) for name, fact in beliefs.facts.items()}
        sent = {name: entry for name, entry in self._facts.items() if name in last}
        passed = {name: self._passed.get(name, 0) + 1 for name in last}
        records = []

        def turn(name: str) -> tuple[bool, float, bool, int]:
            own = beliefs.facts[name].writer == beliefs.me
            return name != overdue, last[name], not own, self._table.fact(name).number

        for name in sorted(last, key=turn):
            if (size := self._size(name)) <= room:
                records.append(self._codec.encode(statement_of(beliefs.facts[name], self._table, at)))
                room -= size
                sent[name] = (at, beliefs.facts[name])
                passed[name] = 0
        self._facts, self._passed = sent, passed
        return records

    def _overdue(self, beliefs: Beliefs) -> str | None:
        """The fact that was passed over most often, if that was more often than turns alone would make it."""
        passed = {name: self._passed.get(name, 0) for name in beliefs.facts}
        most = max(passed, key=lambda name: (passed[name], -self._table.fact(name).number), default=None)
        return most if most is not None and passed[most] >= 2 * len(passed) else None

    def _size(self, name: str) -> int:
        """The bytes of a fact's record."""
        return self._codec.size(self._table.fact(name).statement)

    def _last_sent(self, fact: Fact) -> float:
        at, sent = self._facts.get(fact.name, (-math.inf, fact))
        return at if (sent.value, sent.version) == (fact.value, fact.version) else -math.inf

    def _entry(self, now: float, statement: Statement, since: Mapping[str, float] = NEVER) -> _Pending:
        try:
            kind = self._codec.check(statement)
        except (KeyError, ValueError, TypeError) as problem:
            raise StatementRefusedError(f"{statement.kind} {statement.fields}: {problem}") from problem
        key = f"{kind.name} {statement.fields[: kind.key]}"
        return _Pending(statement, now, kind.priority, kind.number, key, since.get(key, now))
