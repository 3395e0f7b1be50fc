"""What one robot remembers, and how it takes up a change of a task's record (lines 12 to 18, equation 7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from motivation.cobos.models import PERFORMED, STARTED, Record, charged, effectiveness, learn, suitability
from motivation.cobos.settings import CobosSettings, Plan
from robotd.model.choice import Event
from robotd.model.plain import OMIT_DEFAULT

T = TypeVar("T")
NO, UNCHARGED, CHARGED = 0, 1, 2  # of a task: not backed off; backed off, S not changed yet; backed off
WORKS = -1  # in place of a place to visit: the robot works on its task


@dataclass(slots=True)
class State:
    """All that is frozen. Times: own clock, s. Lists by task, from the first of priority 1."""

    records: tuple[Record, ...]
    backed: tuple[int, ...]
    since: tuple[float, ...]  # from when a lapse counts
    able: tuple[tuple[int, ...], ...]  # the robots that could do a task whenever they were received
    teams: tuple[tuple[int, ...], ...]  # the robots that the last allocation of each task gave it
    deserted: tuple[float, ...]  # since when a performed task has no robot; below 0: it has
    success: tuple[int, ...]  # S
    began: float
    listens_since: float = 0.0  # from when it receives others: before long it does not know which are present
    seen: Mapping[int, float] = field(default_factory=dict)  # by robot, when any robot received it last
    introduced: tuple[int, ...] = ()
    task: int = 0
    status: int = STARTED
    recruits: bool = False
    home: bool = False  # it is near the user
    at_home: bool = False  # it takes part in the home network
    place: int = 0  # the task whose place it visits, or WORKS
    visiting: tuple[int, ...] = ()
    visiting_of: int = 0
    asked: str = ""  # what the last allocation was for
    asking: str = ""  # what it would be for now
    asking_since: float = 0.0
    due: bool = True  # an allocation is to come whether or not anything has changed
    waits_since: float = -1.0  # at the idle place with an empty visiting list
    fitting: int = 0  # the robots that the own performed task seems to require
    fitting_since: float = 0.0
    lost_since: float = -1.0  # since when none of its robots reports that the own task is performed
    found_since: float = -1.0  # since when one does; sights flicker
    awaited: tuple[int, ...] = ()  # robots to come to the task that it recruits for, in exchange
    exchanged: int = 0  # for this one, which it takes then
    awaits_since: float = -1.0
    waits: str = field(default="", metadata=OMIT_DEFAULT)  # why it has no task, as it last reported
    version: int = 0  # of the memory


def shifted(state: State, by: float) -> State:
    """The state on a clock that is `by` seconds ahead; what never was (below 0) is dropped."""
    return replace(
        state,
        began=state.began + by,
        since=tuple(at + by for at in state.since),
        listens_since=state.listens_since + by,
        seen={robot: at + by for robot, at in state.seen.items()},
        asking="",
        asking_since=state.asking_since + by,
        due=True,
        fitting=0,
        deserted=(-1.0,) * len(state.deserted),
        lost_since=-1.0,
        found_since=-1.0,
        waits_since=-1.0,
        awaited=(),
        awaits_since=-1.0,
    )


class Models:
    """One robot's own models over its state."""

    def __init__(self, settings: CobosSettings, plan: Plan, given: Sequence[float], state: State) -> None:
        self.settings, self.plan, self._given, self.state = settings, plan, given, state
        self.events: list[Event] = []

    @property
    def mu(self) -> list[float]:
        return [effectiveness(s, self.settings.epsilon) for s in self.state.success]

    def value(self, task: int) -> int:
        """The suitability that this robot states for a task, in 255ths; 0 while it has backed off."""
        state, ways = self.state, self.plan.tasks[task - 1].ways
        if state.backed[task - 1]:
            return 0
        proven = self.settings.proven and state.task == task and state.status >= PERFORMED
        mu, weight = [1.0] * len(self._given) if proven else self.mu, self.settings.distance_weight
        near = self.plan.nearness(task, state.task if state.place == WORKS else state.place) if weight else 0.0
        return suitability(ways, self._given, mu, near, weight)

    def note(self, kind: str, task: int, cause: str, **data: int) -> None:
        """Report an event of a task."""
        self.events.append(Event(kind, "", self.plan.id(task), cause, data))

    def take_up(self, now: float, task: int, new: Record) -> None:
        """Hold `new` of a task from now on; what it changes for this robot follows."""
        state, k = self.state, task - 1
        old = state.records[k]
        if new == old:
            return
        state.records = put(state.records, k, new)
        if (old.required, old.tried, old.performed) != (new.required, new.tried, new.performed):
            state.since = put(state.since, k, now)
            state.version += 1
        if new.performed:
            if not old.performed and state.task == task and state.status >= PERFORMED:
                self._count(task, self.settings.eta)
                self.note("performed", task, f"its robots perform it; it needs {new.required}")
            return
        tried = new.tried and (not old.tried or new.required != old.required)
        by_trying = self.settings.evidence == "holding" or task in self.plan.fixed
        if by_trying and tried and state.task == task:
            self.fail(task)
        elif by_trying:
            if old.tried and not new.tried:
                self.restore(task, "all its robots have backed off: they try once more")
        elif new.required > old.required:
            if self.settings.restores == "all" or state.task == task:
                self.restore(task, f"it needs {new.required} robots")
        elif tried and state.task == task:
            self.fail(task)

    def fail(self, task: int) -> None:
        """The own task has lapsed: the robot backs off, unless it holds an object of it."""
        idle = self.state.status == STARTED and not self.state.recruits
        if self.settings.evidence == "none" or idle:
            self.back_off(task, f"not performed within {self.plan.tasks[task - 1].expected_s:g} s")

    def back_off(self, task: int, cause: str) -> None:
        """Line 15: the suitability for a task counts as minus infinity."""
        if self.state.backed[task - 1] == NO:
            self.state.backed = put(self.state.backed, task - 1, UNCHARGED)
            self.state.version += 1
            self.note("backed-off", task, cause)

    def restore(self, task: int, cause: str) -> None:
        """Line 13; the failure counts now, if it has not yet (section II-E)."""
        if self.state.backed[task - 1] == NO:
            return
        self.charge(task)
        self.state.backed = put(self.state.backed, task - 1, NO)
        self.note("restored", task, cause)

    def charge(self, task: int) -> None:
        """Count the failure that a robot backed off for: when it hands the task over, or is restored."""
        if self.state.backed[task - 1] == UNCHARGED:
            self.state.backed = put(self.state.backed, task - 1, CHARGED)
            self._count(task, -self.settings.eta)

    def _count(self, task: int, change: int) -> None:
        which = charged(self.plan.tasks[task - 1].ways, self._given, self.mu)
        self.state.success = learn(self.state.success, which, change)
        self.state.version += 1


def put(values: tuple[T, ...], k: int, new: T) -> tuple[T, ...]:
    """The same values but for `new` in place `k`."""
    return (*values[:k], new, *values[k + 1 :])
