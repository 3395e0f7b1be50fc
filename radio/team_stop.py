"""The team stop: a robot that states it stops all, and each repeats it until people acknowledge it there.

A stop is known by its origin's number and a number of that origin's own. One that was acknowledged here is not
obeyed again, however long others state it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from robotd.model.plain import Json, from_plain, to_plain
from robotd.model.statements import Statement
from robotd.model.table import MAX_ROBOT

MAX_OPEN = 16  # stops that hold at once; a robot stopped so often needs no further one
KEPT = MAX_OPEN  # acknowledged stops remembered of each origin: all that one acknowledgement can cover
_NUMBERS = 1 << 16

Stop = tuple[int, int]  # (origin's robot number, stop number)


@dataclass(slots=True)
class _Memory:
    own: int | None = None  # number of the newest own stop
    open: tuple[Stop, ...] = ()  # not acknowledged, in the order of their arrival
    acknowledged: Mapping[int, tuple[int, ...]] = field(default_factory=dict)  # by origin, newest last

    def __post_init__(self) -> None:
        """ValueError for numbers that no statement can bear."""
        known = [(origin, number) for origin, of in self.acknowledged.items() for number in of]
        stops = [*self.open, *known, (0, self.own or 0)]
        sound = all(0 <= origin <= MAX_ROBOT and 0 <= number < _NUMBERS for origin, number in stops)
        if not sound or max(len(self.open), *map(len, self.acknowledged.values()), 0) > MAX_OPEN:
            raise ValueError("numbers of stops are out of range")


class TeamStop:
    """The stops that hold on one robot; latched over restarts through `memory()`."""

    def __init__(self, memory: Json) -> None:
        self._state = from_plain(_Memory, memory) if memory is not None else _Memory()
        self.memory_version = 1  # grows whenever `memory()` must be saved
        self._sent_at: float | None = None  # when the newest own stop was sent outside pacing

    @property
    def stopped_by(self) -> Stop | None:
        """The stop that holds, or None; of several the one received first."""
        return self._state.open[0] if self._state.open else None

    @property
    def statement(self) -> Statement | None:
        """What this robot must state now: of several the newest, which the fewest may have acknowledged."""
        return Statement("stop", self._state.open[-1]) if self._state.open else None

    def order(self, now: float, me: int, epoch: int, beat_s: float) -> bool:
        """Stop the team from here. True if a frame must leave at once: at most one per beat does.

        Ordered again within a beat it is the same stop; later it is a new one, as some may have acknowledged the
        last and move again. A robot without memory of its last stop numbers from its epoch, so that it repeats no
        number that others have acknowledged.
        """
        state = self._state
        again = self._sent_at is not None and now < self._sent_at + beat_s
        if not (again and any(origin == me for origin, _ in state.open)):
            state.own = ((state.own if state.own is not None else epoch << 4) + 1) % _NUMBERS
            state.open = (*(stop for stop in state.open if stop[0] != me), (me, state.own))
            self.memory_version += 1
        if again:
            return False
        self._sent_at = now
        return True

    def obey(self, statement: Statement) -> None:
        """Obey a stop that was received, unless it was acknowledged here or holds already."""
        origin, number = statement.fields
        assert isinstance(origin, int)
        assert isinstance(number, int)
        known = number in self._state.acknowledged.get(origin, ())
        if not known and (origin, number) not in self._state.open and len(self._state.open) < MAX_OPEN:
            self._state.open = (*self._state.open, (origin, number))
            self.memory_version += 1

    def acknowledge(self) -> None:
        """Every stop that holds is acknowledged here and no longer stated."""
        if not self._state.open:
            return
        acknowledged = dict(self._state.acknowledged)
        for origin, number in self._state.open:
            acknowledged[origin] = (*acknowledged.get(origin, ()), number)[-KEPT:]
        self._state.acknowledged = {origin: acknowledged[origin] for origin in sorted(acknowledged)}
        self._state.open = ()
        self.memory_version += 1

    def memory(self) -> Json:
        """What to save, as the constructor takes it back."""
        return to_plain(self._state)
