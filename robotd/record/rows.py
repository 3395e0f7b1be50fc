"""One tick as one positional row of a run log, and back, to the last bit.

A group that is the same as in the row before is written as the number 0, so that a robot that stands still
costs next to nothing; readings of fixed sensors are written without what never changes about them. Sameness is
that of the bits, not of `==`: 0.0 and -0.0 are two headings.
"""

import json
import marshal
from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter, is_
from typing import Any, Final, NamedTuple, TypeVar

from robotd.model.choice import Choice, Decision, Level, State
from robotd.model.command import ActionResult, Command
from robotd.model.facts import Fact
from robotd.model.inputs import Fault, Inputs, Order
from robotd.model.plain import decoder, flat, to_plain
from robotd.model.senses import Ages, Bump, Capabilities, Grip, Pose, Range, Senses, Sight, Wheels
from robotd.model.statements import Heard, Sent
from robotd.model.tasks import Task
from robotd.model.value import value

T = TypeVar("T")
SAME: Final = 0
AS_ACTED: Final = 1  # in the column `wanted`: the command acted, not clamped
COLUMNS: Final = (
    "robot", "n", "now", "senses", "capabilities", "orders", "faults", "heard", "sent",
    "state", "choice", "levels", "acted", "wanted", "driven",
)  # fmt: skip
_GROUPS: Final = (
    ("wheels", decoder(Wheels | None)),
    ("odometry", decoder(Pose | None)),
    ("pose", decoder(Pose | None)),
    ("cliffs", decoder(tuple[Bump, ...])),
    ("grip", decoder(Grip | None)),
    ("sights", decoder(tuple[Sight, ...])),
    ("ages", decoder(Ages)),
)  # of Senses; they stand first in its row, then ranges, bumps and the single readings
_SINGLE: Final = ("lifted", "stalled", "battery", "charging")
_ACTED: Final = ("command", "facts", "subtasks", "drivers")
_EARLIER_SCORES: Final = ("impatience", "motivation", "acquiescence")  # of format 2, which wrote no names
_FLAT: Final[dict[type, Callable[[Any], tuple[Any, ...]]]] = {
    kind: flat(kind) for kind in (Wheels, Pose, Grip, Ages, Command, State)
}
_HINTS: Final[dict[str, Any]] = {
    "capabilities": Capabilities, "orders": tuple[Order, ...], "faults": tuple[Fault, ...], "choice": Choice,
    "heard": tuple[Heard, ...], "sent": tuple[Sent, ...], "state": State, "facts": tuple[Fact, ...],
    "subtasks": tuple[Task, ...], "drivers": tuple[tuple[str, str], ...], "ranges": tuple[Range, ...],
    "bumps": tuple[Bump, ...], "level": Level, "senses": Senses, "command": Command, "wanted": Command,
    "driven": Command,
}  # fmt: skip
_READ: Final = {name: decoder(hint) for name, hint in _HINTS.items()}
# Of a fixed sensor: what changes, and what never does.
_FIXED: Final[dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]]] = {
    "ranges": (attrgetter("distance"), attrgetter("kind", "bearing", "low", "high")),
    "bumps": (lambda bump: int(bump.pressed), lambda bump: (bump.bearing,)),
}
_GROUP_NAMES: Final = tuple(name for name, _ in _GROUPS)
_ALL_SAME: Final = [SAME] * len(_ACTED)
_fetch_groups = attrgetter(*_GROUP_NAMES)
_fetch_single = attrgetter(*_SINGLE)
_fetch_acted = attrgetter(*_ACTED)


@value
class Row:
    """A tick as recorded: its inputs, and what was decided and driven."""

    inputs: Inputs
    heard: tuple[Heard, ...]
    sent: tuple[Sent, ...]
    state: State
    choice: Choice | None
    acted: ActionResult
    wanted: Command
    driven: Command


class Glance(NamedTuple):
    """Of a tick when it was, what people asked, the open faults, the state, and what it chose."""

    now: float
    orders: tuple[Order, ...]
    faults: tuple[Fault, ...]
    state: State
    choice: Choice | None


def _bits(plain: Any) -> bytes:
    """Equal for plain values that are the same to the last bit, and only for those; TypeError if not plain."""
    try:
        return marshal.dumps(plain, 2)  # version 2: real numbers in binary, nothing by reference
    except ValueError:  # a plug-in's own kind of string or number
        return json.dumps(plain).encode()


class RowWriter:
    """Writes one robot's rows; `restart` at each part, so that a part is read without those before it."""

    def __init__(self, robot: str) -> None:
        self._robot = robot
        self.restart()

    def restart(self) -> None:
        """Forget the last row: the next is written whole."""
        self._senses: Senses | None = None
        self._acted: ActionResult | None = None
        self._levels: tuple[Level, ...] | None = None
        self._groups: tuple[object, ...] = (self,) * len(_GROUPS)  # of the last senses; none is `self`
        self._parts: tuple[object, ...] = (self,) * len(_ACTED)
        self._values: dict[str, object] = {}  # of the last row; kept, lest others get their address
        self._written: dict[str, Any] = {}  # of the last row, in plain form or as bits

    def row(
        self, i: Inputs, heard: tuple[Heard, ...], sent: tuple[Sent, ...], decision: Decision, driven: Command
    ) -> list[Any]:
        """The tick as a list in the order of `COLUMNS`."""
        senses, acted, wanted, delta = i.senses, decision.acted, decision.wanted, self._delta
        chosen, levels = (None, SAME) if decision.choice is None else self._choice_of(decision.choice)
        return [
            self._robot, i.n, i.now,
            SAME if senses is self._senses else self._senses_of(senses),
            delta("capabilities", i.capabilities),
            to_plain(i.orders) if i.orders else (),
            delta("faults", i.faults),
            to_plain(heard) if heard else (),
            to_plain(sent) if sent else (),
            delta("state", decision.state), chosen, levels,
            SAME if acted is self._acted else self._acted_of(acted),
            AS_ACTED if wanted is acted.command else delta("wanted", wanted),
            SAME if driven is wanted or _bits(to_plain(driven)) == _bits(to_plain(wanted)) else to_plain(driven),
        ]  # fmt: skip

    def _delta(self, name: str, value: object) -> Any:
        if self._values.get(name, self) is value:
            return SAME
        self._values[name] = value
        return self._changed(name, value)

    def _changes(self, names: tuple[str, ...], values: tuple[object, ...], last: tuple[object, ...]) -> list[Any]:
        changed = self._changed
        return [
            SAME if value is old else changed(name, value)
            for name, value, old in zip(names, values, last, strict=True)
        ]

    def _changed(self, name: str, value: object) -> Any:
        """The plain form of `value`, or SAME where that is, to the last bit, what this name had last."""
        fetch = _FLAT.get(type(value))
        if fetch is None:
            return self._unlike(name, to_plain(value))
        plain, last = fetch(value), self._written.get(name)
        if plain == last and _bits(plain) == _bits(last):
            return SAME
        self._written[name] = plain
        return plain

    def _unlike(self, name: str, plain: Any) -> Any:
        """`plain` unless it is what this name had last; TypeError for what JSON has not."""
        bits = _bits(plain)
        if self._written.get(name) == bits:
            return SAME
        self._written[name] = bits
        return plain

    def _senses_of(self, senses: Senses) -> Any:
        last, whole = self._senses or Senses(), self._senses is None
        groups, self._senses, self._groups = self._groups, senses, _fetch_groups(senses)
        row = self._changes(_GROUP_NAMES, self._groups, groups)
        row.append(SAME if senses.ranges is last.ranges else self._fixed_of("ranges", senses.ranges, last.ranges))
        row.append(SAME if senses.bumps is last.bumps else self._fixed_of("bumps", senses.bumps, last.bumps))
        single, before = _fetch_single(senses), _fetch_single(last)
        row.append(SAME if all(map(is_, single, before)) else self._unlike("single", single))
        return to_plain(senses) if whole else row

    def _fixed_of(self, name: str, sensors: tuple[Any, ...], last: tuple[Any, ...]) -> Any:
        """Readings of sensors that have a fixed place, and the places where one is another than before."""
        reading, place = _FIXED[name]
        readings = self._unlike(name, list(map(reading, sensors)))
        return readings if _are_placed_alike(sensors, last, place) else to_plain(sensors)

    def _acted_of(self, acted: ActionResult) -> Any:
        last, self._acted, self._parts = self._parts, acted, _fetch_acted(acted)
        row = self._changes(_ACTED, self._parts, last)
        return SAME if row == _ALL_SAME else row

    def _choice_of(self, c: Choice) -> tuple[Any, Any]:
        parts: list[Any] = [c.run, c.held, c.statements, c.events, (), c.finished]
        if c.facts or c.jobs:
            parts += [c.facts, c.jobs]
        chosen = self._unlike("choice", [to_plain(part) if part else part for part in parts])
        last, self._levels = self._levels, c.levels
        if last is None or len(last) != len(c.levels) or not all(map(_are_of_one_set, c.levels, last)):
            _bits(rows := to_plain(c.levels))
            return chosen, rows
        rows = list(map(_level_row, c.levels, last))
        return chosen, rows if any(rows) else SAME


def _are_same(one: object, other: object) -> bool:
    return one == other and _bits(one) == _bits(other)


def _are_placed_alike(sensors: tuple[Any, ...], last: tuple[Any, ...], place: Callable[[Any], Any]) -> bool:
    """Whether what never changes about fixed sensors is as it was."""
    pairs = [(place(new), place(old)) for new, old in zip(sensors, last, strict=False) if new is not old]
    return len(sensors) == len(last) and all(all(map(is_, *pair)) or _are_same(*pair) for pair in pairs)


def _are_of_one_set(level: Level, last: Level) -> bool:
    if level is last:
        return True
    return level.set == last.set and _are_same(level.limit, last.limit) and [*level.scores] == [*last.scores]


def _level_row(level: Level, last: Level) -> Any:
    if level is last:
        return SAME
    values = [*level.scores.values()]
    same_why = level.why == last.why
    if _bits(values) == _bits([*last.scores.values()]) and same_why:
        return SAME
    return [*values, SAME if same_why else level.why]


class RowReader:
    """Reads one robot's rows, in order, from the start of a part on."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """A new part begins."""
        self._senses: Senses | None = None
        self._acted = ActionResult()
        self._levels: tuple[Level, ...] = ()
        self._last: dict[str, Any] = {}

    def read(self, row: Any) -> Row:
        """The tick that `RowWriter.row` wrote; ValueError where it is not one."""
        return self._checked(row, lambda: self._row(*row))

    def _row(
        self, _: str, n: int, now: float, senses: Any, capabilities: Any, orders: Any, faults: Any, heard: Any,
        sent: Any, state: Any, choice: Any, levels: Any, acted: Any, wanted: Any, driven: Any,
    ) -> Row:  # fmt: skip
        did = self._read_acted(acted)
        command: Command = did.command if wanted == AS_ACTED else self._delta("wanted", wanted)
        now, moment = float(now), self._read_senses(senses)
        able, open_faults = self._delta("capabilities", capabilities), self._delta("faults", faults)
        inputs = Inputs(now, n, moment, able, _READ["orders"](orders) if orders else (), open_faults)
        return Row(
            inputs, _READ["heard"](heard) if heard else (), _READ["sent"](sent) if sent else (),
            self._delta("state", state), self._read_choice(choice, levels), did, command,
            command if _same(driven) else _READ["driven"](driven),
        )  # fmt: skip

    def glance(self, row: Any) -> Glance:
        """What a figure needs of a tick, much faster than `read`.

        A reader is asked for all rows whole or for all rows at a glance, never both. ValueError as `read`.
        """
        return self._checked(row, lambda: self._glance(row))

    def _glance(self, row: list[Any]) -> Glance:
        orders = _READ["orders"](row[5]) if row[5] else ()
        faults, state = self._delta("faults", row[6]), self._delta("state", row[9])
        return Glance(float(row[2]), orders, faults, state, self._read_choice(row[10], row[11]))

    def _checked(self, row: Any, read: Callable[[], T]) -> T:
        if not isinstance(row, list) or len(row) != len(COLUMNS):
            raise ValueError(f"a row is a list of {len(COLUMNS)} columns, not {row!r:.60}")
        try:
            return read()
        except (TypeError, KeyError, IndexError) as error:
            raise ValueError(f"not a row of a run log, or one without those before it ({error!r})") from error

    def _delta(self, name: str, data: Any) -> Any:
        if not _same(data):
            self._last[name] = _READ[name](data)
        return self._last[name]

    def _read_choice(self, choice: Any, levels: Any) -> Choice | None:
        if choice is None:
            return None
        c: Choice = self._delta("choice", choice)
        return replace(c, levels=self._read_levels(levels))

    def _read_acted(self, data: Any) -> ActionResult:
        if not _same(data):
            self._acted = ActionResult(*(self._delta(name, own) for name, own in zip(_ACTED, data, strict=True)))
        return self._acted

    def _read_senses(self, data: Any) -> Senses:
        last = self._senses
        if last is None:
            last = _READ["senses"](data)
        elif not _same(data):
            *groups, ranges, bumps, single = data
            changes = {
                name: read(group) for (name, read), group in zip(_GROUPS, groups, strict=True) if not _same(group)
            }
            for name, readings in (("ranges", ranges), ("bumps", bumps)):
                if not _same(readings):
                    changes[name] = _read_fixed(name, readings, getattr(last, name))
            if not _same(single):
                changes.update(zip(_SINGLE, single, strict=True))
            last = replace(last, **changes)
        self._senses = last
        return last

    def _read_levels(self, data: Any) -> tuple[Level, ...]:
        if _same(data):
            return self._levels
        if not data or (not _same(data[0]) and len(data[0]) > 1 and isinstance(data[0][0], str)):
            self._levels = tuple(_read_whole_level(*row) for row in data)
        else:
            self._levels = tuple(
                old if _same(row) else _read_level(row, old) for row, old in zip(data, self._levels, strict=True)
            )
        return self._levels


def _same(data: Any) -> bool:
    return type(data) is int and data == SAME


def _read_level(row: list[Any], old: Level) -> Level:
    *values, why = row
    scores = dict(zip(old.scores, values, strict=True))
    return Level(old.set, scores, old.limit, old.why if _same(why) else why)


def _read_whole_level(name: str, *rest: Any) -> Level:
    if not isinstance(rest[0], dict):  # format 2
        *values, limit, why = rest
        rest = (dict(zip(_EARLIER_SCORES, values, strict=True)), limit, why)
    whole: Level = _READ["level"]([name, *rest])
    return whole


def _read_fixed(name: str, data: list[Any], last: tuple[Any, ...]) -> tuple[Any, ...]:
    if not data or isinstance(data[0], list):
        whole: tuple[Any, ...] = _READ[name](data)
        return whole
    pairs = zip(last, data, strict=True)
    if name == "bumps":
        return tuple(Bump(old.bearing, bool(pressed)) for old, pressed in pairs)
    return tuple(Range(old.kind, old.bearing, distance, old.low, old.high) for old, distance in pairs)
