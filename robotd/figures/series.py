"""What figures show of a run: what each robot did and when, the levels of each set, what happened."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from robotd.model.choice import Choice, Job, State
from robotd.model.inputs import Fault

BINS = 1500  # at least half of them are in use, and a panel on a page is some 700 dots wide
FINEST_S = 0.05  # width of a bin at the start: one control tick
Point = tuple[float, float]


class Curve:
    """Samples in order of time. Each bin of time keeps its first, least, greatest and last one.

    A line through what is kept looks the same as one through everything, as long as a bin is no wider than a dot.
    The bins double whenever there are more than `bins`.
    """

    def __init__(self, bins: int = BINS) -> None:
        self._most = bins
        self._width = FINEST_S
        self._bins: list[list[Point]] = []
        self._number = -1  # of the last bin

    def add(self, at: float, value: float) -> None:
        """Take the next sample; `at` (s) is not before the last one's."""
        number = int(at / self._width)
        if number == self._number:
            points = self._bins[-1]
            points.append((at, value))
            if len(points) > 8:
                self._bins[-1] = thinned(points)
            return
        self._bins.append([(at, value)])
        self._number = number
        while len(self._bins) > self._most:
            self._coarsen()

    def _coarsen(self) -> None:
        self._width *= 2.0
        merged: list[list[Point]] = []
        last = None
        for points in self._bins:
            number = int(points[0][0] / self._width)
            if number == last:
                merged[-1] = thinned(merged[-1] + points)
            else:
                merged.append(points)
            last = number
        self._bins = merged
        self._number = -1 if last is None else last

    def points(self) -> list[Point]:
        """What is kept, in order of time: at most four samples a bin."""
        return [point for points in self._bins for point in thinned(points)]


def thinned(points: Sequence[Point]) -> list[Point]:
    """The first, least, greatest and last of `points`, in order of time and each once."""
    if len(points) <= 2:
        return list(points)
    last = len(points) - 1
    low = min(range(len(points)), key=lambda k: points[k][1])
    high = max(range(len(points)), key=lambda k: points[k][1])
    return [points[k] for k in sorted({0, low, high, last})]


RUNNING = "running"  # the word of a state
FAULT = "fault"  # the verb of an event
TAKES_OUT = ("remove", "kill")  # an X, as in the paper's figures 17 and 21


@dataclass(slots=True)
class Interval:
    """One stretch in which a behavior set was active (s from the start), and how it ended.

    `ending`: done, suspended, yielded, gave-up, ended (no longer applicable), off (the robot fell silent), or
    '' while it lasts.
    """

    set: str
    task: str
    start: float
    end: float
    ending: str = ""


@dataclass(slots=True)
class Stop:
    """A stretch in which a robot was not running, by its state's word and reason (s from the start)."""

    word: str
    reason: str
    start: float
    end: float


@dataclass(slots=True)
class OpenFault:
    """A fault and when it was open (s from the start)."""

    name: str
    detail: str
    start: float
    end: float


@dataclass(slots=True)
class SetLevels:
    """The coordinator's scores of one behavior set over time, by name; each is 0 to `threshold`."""

    threshold: float
    curves: dict[str, Curve] = field(default_factory=dict)


class JobState(NamedTuple):
    """A state of a task that a robot introduced; `who`: the number of the robot that works on it (0: none)."""

    since: float
    state: str
    who: int
    why: str


@dataclass
class RobotSeries:
    """One robot's part of a run; `held`: when a set was suspended, `off`: when nothing ticked.

    `stops`: when it was not running; `faults`: when each was open; `jobs`: the states of tasks that it introduced.
    """

    name: str
    spells: list[Interval] = field(default_factory=list)
    held: list[Interval] = field(default_factory=list)
    off: list[tuple[float, float]] = field(default_factory=list)
    stops: list[Stop] = field(default_factory=list)
    faults: list[OpenFault] = field(default_factory=list)
    levels: dict[str, SetLevels] = field(default_factory=dict)
    jobs: dict[str, list[JobState]] = field(default_factory=dict)  # by task; it may be introduced again
    last: float = 0.0  # when it last ticked
    _open: dict[str, OpenFault] = field(default_factory=dict)
    _stop: Stop | None = None
    _listed: tuple[Job, ...] = ()

    def sets(self) -> list[str]:
        """Its behavior sets, in declared order where it reported their levels."""
        return list(dict.fromkeys([*self.levels, *(spell.set for spell in self.spells)]))

    def scores(self) -> list[str]:
        """The names of the scores that its coordinator reported; none where it has no such scores."""
        return list(dict.fromkeys(score for levels in self.levels.values() for score in levels.curves))

    def active(self, name: str) -> list[Interval]:
        """The spells of one set."""
        return [spell for spell in self.spells if spell.set == name]

    def doing(self, at: float) -> str:
        """The set that was active or suspended at `at`, or when the robot last ticked before; '' if none."""
        at = min([at, *(start for start, end in self.off if start <= at <= end)])
        found = [spell.set for spell in (*self.held, *self.spells) if spell.start <= at <= spell.end]
        return found[0] if found else ""

    def _spell(self) -> Interval | None:
        return self.spells[-1] if self.spells and not self.spells[-1].ending else None

    def decided(self, at: float, choice: Choice) -> None:
        """Take in one decision."""
        self._hold(at, choice)
        if choice.jobs != self._listed:
            self._list(at, choice.jobs)
        leaf = choice.run[-1] if choice.run else None
        spell = self._spell()
        doing = (leaf.set, leaf.task.id) if leaf is not None else None
        if spell is not None and doing != (spell.set, spell.task):
            spell.end, spell.ending = at, _ending(spell, choice)
            spell = None
        if leaf is not None and spell is None:
            self.spells.append(Interval(leaf.set, leaf.task.id, at, at))
        elif spell is not None:
            spell.end = at
            if any(task.id == spell.task for task in choice.finished):  # another occasion of the same task begins
                spell.ending = "done"
                self.spells.append(Interval(spell.set, spell.task, at, at))
        for level in choice.levels:
            levels = self.levels.setdefault(level.set, SetLevels(float(level.limit)))
            for name, score in level.scores.items():
                levels.curves.setdefault(name, Curve()).add(at, float(score))

    def _list(self, at: float, jobs: tuple[Job, ...]) -> None:
        """Note which tasks that it introduced have come into a state since the last decision."""
        before = Counter((job.task.id, job.state, job.who) for job in self._listed)
        for job in jobs:
            key = (job.task.id, job.state, job.who)
            before[key] -= 1
            if before[key] < 0:
                self.jobs.setdefault(job.task.id, []).append(JobState(at, job.state, job.who, job.why))
        self._listed = jobs

    def _hold(self, at: float, choice: Choice) -> None:
        held = choice.held.id if choice.held is not None else ""
        last = self.held[-1] if self.held and not self.held[-1].ending else None
        if last is not None:
            last.end, last.ending = at, "" if last.task == held else "resumed"
        if held and (last is None or last.ending):
            before = self._spell()
            name = before.set if before is not None and before.task == held else held
            self.held.append(Interval(name, held, at, at))

    def stated(self, at: float, state: State, faults: Sequence[Fault]) -> list[OpenFault]:
        """Take in state and faults of a tick; the faults that it opened."""
        stop = self._stop
        if stop is not None:
            stop.end = at
        if (stop.word if stop is not None else RUNNING) != state.word:
            self._stop = Stop(state.word, state.reason, at, at) if state.word != RUNNING else None
            self.stops += [self._stop] if self._stop is not None else []
        opened = []
        for fault in faults:
            if fault.name not in self._open:
                opened.append(OpenFault(fault.name, fault.detail, at, at))
                self._open[fault.name] = opened[-1]
        self.faults += opened
        if self._open:
            for one in self._open.values():
                one.end = at
            names = {fault.name for fault in faults}
            self._open = {name: fault for name, fault in self._open.items() if name in names}
        return opened

    def fell_silent(self, again: float) -> None:
        """Nothing ticked after `last`, until `again`."""
        self._stop, self._open = None, {}
        for spell in (*self.spells[-1:], *self.held[-1:]):
            if not spell.ending:
                spell.end, spell.ending = self.last, "off"
        self.off.append((self.last, again))


def _ending(spell: Interval, choice: Choice) -> str:
    if any(task.id == spell.task for task in choice.finished):
        return "done"
    kinds = [event.kind for event in choice.events if event.set == spell.set]
    return next((kind for kind in kinds if kind in ("suspended", "yielded", "gave-up")), "ended")


@dataclass(frozen=True, slots=True)
class Happened:
    """An event of a simulation, or an order, a fault, a start or an end of a robot.

    `who` are robots, or () for the whole team.
    """

    at: float
    verb: str
    who: tuple[str, ...]
    arg: str

    def label(self, robots: Sequence[str]) -> str:
        """What its line says: verb, whom (unless only that robot is drawn), argument."""
        who = "" if self.who and list(self.who) == list(robots) else ", ".join(self.who) or "all"
        return " ".join(part for part in (self.verb, who, self.arg) if part)


@dataclass
class RunSeries:
    """A run as figures show it; times in seconds from its start."""

    mission: str
    seed: int | None
    arguments: dict[str, tuple[str, ...]]  # by behavior set, the values of its task's arguments
    decision_s: float
    team: tuple[str, ...]  # by number
    robots: dict[str, RobotSeries] = field(default_factory=dict)
    events: list[Happened] = field(default_factory=list)
    duration: float = 0.0
    outcome: str = ""
    cut: str = ""

    def sets(self) -> list[str]:
        """Every set that some robot has, in declared order."""
        return list(dict.fromkeys(name for robot in self.robots.values() for name in robot.sets()))

    def labels(self) -> dict[str, str]:
        """A short label for each set."""
        return short_labels(self.sets(), self.arguments)

    def title(self, robot: str | None = None) -> str:
        """What run this is, and how it ended; of one robot, with its name."""
        which = self.mission if self.seed is None else f"{self.mission}, seed {self.seed}"
        which = which if robot is None else f"{robot} in {which}"
        return f"{which}: {self.outcome}" if self.outcome else which

    def concerning(self, robots: Sequence[str]) -> list[Happened]:
        """The events that concern any of `robots`."""
        return [event for event in self.events if not event.who or set(event.who) & set(robots)]

    def absences(self, robot: str) -> list[tuple[float, float]]:
        """When the robot was out of the room or its computer off, s; overlapping stretches are one."""
        own, spans = self.concerning([robot]), list(self.robots[robot].off)
        for event in own:
            if event.verb == "remove":
                back = (e.at for e in own if e.verb == "return" and e.at > event.at)
                spans.append((event.at, next(back, self.duration)))
        merged: list[tuple[float, float]] = []
        for start, end in sorted(spans):
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return merged


def short_labels(names: Sequence[str], arguments: Mapping[str, Collection[str]]) -> dict[str, str]:
    """A label for each set, as the papers write them: FLM, FLW, MS(L), MS(R), RP.

    Its words' initials, those that are arguments of its task in brackets; the whole names of sets whose labels
    would be the same. `arguments`: by set, the values of its task's arguments.
    """
    labels = {name: _label(name, arguments.get(name, ())) for name in names}
    count = Counter(labels.values())
    return {name: label if count[label] == 1 else name for name, label in labels.items()}


def _label(name: str, arguments: Collection[str]) -> str:
    words = [word for word in name.split("-") if word]
    values = {part for value in arguments for part in value.split("-")}
    own = [word for word in words if word not in values] or words
    bracketed = [word for word in words if word in values] if own != words else []
    label, inside = ("".join(word[0].upper() for word in part) for part in (own, bracketed))
    return f"{label}({inside})" if inside else label
