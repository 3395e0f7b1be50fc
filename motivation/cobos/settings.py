"""What a mission file sets for COBOS, the faults of several keys together, and the mission as COBOS reads it."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from motivation.cobos.models import MOST_ROBOTS
from motivation.cobos.pages import pages_of
from motivation.graphs import ring
from motivation.settings import Name, Parameters, Table, terms_of
from robotd.model.choice import MissionTerms
from robotd.model.coordinator_plugin import Fault, OneOf
from robotd.model.facts import MAX_FACTS
from robotd.model.table import NumberTable
from robotd.model.tasks import Task

Share = Annotated[float, Field(ge=0, le=1)]
MOST_TASKS = 15  # what the head of a page can name


class CobosSettings(Parameters):
    """What all robots must agree on. Readings: where the paper leaves a choice, the first value is the default."""

    basis: tuple[Name, ...] = Field(default=(), description="the basis tasks: the abilities that tasks need")
    epsilon: float = Field(
        default=0.5, gt=0, description="how much a failure counts, equation (8): the less the more"
    )
    eta: int = Field(default=1, ge=1, le=100, description="how much S changes at one success or failure, (7)")
    solver: Literal["transport", "greedy", "priority"] = Field(
        default="transport", description="optimal; greedy, the best pair first; greedy by the tasks' priority"
    )
    network_beats: int = Field(
        default=4, ge=2, le=6, description="robots received within so many beats, also by others, are a network"
    )
    synchronise_beats: float = Field(
        default=1.0,
        ge=0,
        le=20,
        description="what is considered must be unchanged for so long before an allocation",
    )
    home: tuple[FiniteFloat, FiniteFloat] = Field(default=(0.0, 0.0), description="the user's place, x and y, m")
    home_range_m: float = Field(
        default=10.0, gt=0, description="a network with a robot so near to the user is the home network, m"
    )
    restores: Literal["all", "holder"] = Field(
        default="all", description="whose suitability is restored when a task gets more robots (line 13)"
    )
    evidence: Literal["holding", "none"] = Field(
        default="holding",
        description="a robot that holds an object when its task lapses has not failed, and one more is needed",
    )
    breaker: Literal["home", "contact", "never"] = Field(
        default="home", description="where a task that all free robots backed off is tried anew"
    )
    stays: bool = Field(default=True, description="of equal allocations the one with the fewest changes")
    impasse: Literal["try", "wait"] = Field(
        default="try",
        description="a team that has visited all places and waited for a term tries as it is, or waits",
    )
    archive: Literal["retry", "wait"] = Field(
        default="retry",
        description="a task that needs more robots than can do it: one less after two terms, or waits",
    )
    recruiters_started: bool = Field(
        default=True, description="a robot that recruits counts as having started its task (line 9)"
    )
    late: Literal["wait", "back-off"] = Field(
        default="wait", description="a task that lapses while a robot is still on its way to it (line 18)"
    )
    unseen: Literal["keeps", "adapts"] = Field(
        default="keeps",
        description="robots required by a task that lapses while no robot in reach is on it (line 9)",
    )
    absent: Literal["count", "ignore"] = Field(
        default="count", description="robots out of reach that were on a task when last received"
    )
    performers: Literal["stay", "compete"] = Field(
        default="stay", description="a robot that performs a task leaves it only where an exchange alone fills all"
    )
    gathers: bool = Field(
        default=True,
        description="a robot recruits until those that were allocated state that they come",
    )
    completion: Literal["fits", "keeps"] = Field(
        default="fits", description="a performed task requires the robots that it holds busy, or as many as before"
    )
    proven: bool = Field(default=True, description="a robot that performs a task has its given suitability for it")
    visiting: Literal["kept", "anew"] = Field(
        default="kept",
        description="the list of places to visit over re-entries of recruitment (algorithm 2, line 4)",
    )
    tour: Literal["all", "lower"] = Field(
        default="all",
        description="recruiters visit tasks of lower priority, and then those of higher priority too",
    )
    recruits: bool = Field(
        default=True,
        description="teams that are too small recruit (algorithm 2); false: they wait, as in one network",
    )
    distance_weight: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="share of nearness in a suitability (remark 2.2), by the place where the robot is due",
    )


class TaskTerms(Table):
    """A macro task (section II-B). Its arguments x and y (m) are its place."""

    ways: tuple[tuple[Name, ...], ...] = Field(
        default=(), description="alternatives: the basis tasks that each needs; the rows of T_i"
    )
    priority: int = Field(default=1, ge=1, le=1000, description="1 goes first; of equal ones the lower number")
    expected_s: float = Field(
        default=250.0, gt=0, description="the task lapses if not performed for so long, s; E_i"
    )
    after: tuple[str, ...] = Field(default=(), description="tasks that must be performed before it may begin")
    from_s: float = Field(
        default=0.0, ge=0, description="introduced so long after the start, in the home network only, s"
    )
    required: int = Field(
        default=0, ge=0, le=MOST_ROBOTS, description="robots it needs, where that is known; 0: the team finds out"
    )
    idle: bool = Field(default=False, description="it is T_0: where robots without a task wait; one of all tasks")


class RobotTerms(BaseModel):
    """The given suitability for each basis task, 0 to 1: `goto = 0.9`. 0, or nothing: it cannot."""

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, Share]

    @property
    def given(self) -> Mapping[str, float]:
        return self.__pydantic_extra__


@dataclass(frozen=True)
class Macro:
    """A macro task ready for use; `ways` are rows of places in the basis, `after` places in the plan's tasks.

    `required`: how many robots it needs, where that is known; 0: the team finds out.
    """

    task: Task
    ways: tuple[tuple[int, ...], ...]
    expected_s: float
    after: tuple[int, ...]
    from_s: float
    place: tuple[float, float]
    required: int = 0

    @cached_property
    def known(self) -> str:
        """The flag that says that the task was introduced."""
        return f"known-{self.task.id}"


@dataclass(frozen=True)
class Plan:
    """The mission as COBOS reads it: its tasks in order of priority, numbered from 1; 0 is the idle task."""

    tasks: tuple[Macro, ...]
    idle: Task

    @cached_property
    def fixed(self) -> frozenset[int]:
        """The tasks whose number of robots is known, and never adapted."""
        return frozenset(k for k, task in enumerate(self.tasks, 1) if task.required)

    @cached_property
    def span_m(self) -> float:
        """The greatest distance between two places, m."""
        places = [self.place(number) for number in range(len(self.tasks) + 1)]
        return max(math.dist(one, two) for one in places for two in places)

    def nearness(self, number: int, other: int) -> float:
        """How near the places of two tasks are: 1 at the same place, 0 as far as two can be."""
        return 1.0 - math.dist(self.place(number), self.place(other)) / self.span_m if self.span_m else 1.0

    def place(self, number: int) -> tuple[float, float]:
        """Where task `number` is, m."""
        return self.tasks[number - 1].place if number else self.idle.place

    def id(self, number: int) -> str:
        return self.tasks[number - 1].task.id if number else self.idle.id


def plan_of(settings: CobosSettings, table: NumberTable) -> Plan:
    """The tasks of a number table whose terms are sound; those without ways are another coordinator's.

    A task without a place, which only a coordinator inside another may have, is at home.
    """
    terms = terms_of(table, TaskTerms)
    entries = {entry.task.id: entry for entry in table.tasks}
    order = sorted(
        (name for name, own in terms.items() if own.ways),
        key=lambda name: (terms[name].priority, entries[name].number),
    )
    numbers = {name: k for k, name in enumerate(order, 1)}
    x, y = settings.home
    at_home = Task("idle", (("x", f"{x}"), ("y", f"{y}")))
    idle = next((entry.task for name, entry in entries.items() if terms[name].idle), at_home)
    tasks = []
    for name in order:
        own, task = terms[name], entries[name].task
        ways = tuple(tuple(sorted({settings.basis.index(one) for one in way})) for way in own.ways)
        after = tuple(numbers[one] for one in own.after)
        place = task.place if {"x", "y"} <= dict(task.args).keys() else settings.home
        tasks.append(Macro(task, ways, own.expected_s, after, own.from_s, place, own.required))
    return Plan(tuple(tasks), idle)


def faults(settings: CobosSettings, mission: MissionTerms) -> Iterator[Fault]:
    """What is wrong with settings that are sound one by one."""
    basis, tasks = settings.basis, mission.tasks
    if not basis:
        yield ("parameters", "basis"), "no basis tasks", 'names of abilities: ["goto", "find"]'
    if len(set(basis)) < len(basis):
        yield ("parameters", "basis"), "a basis task is named twice", "each once"
    yield from _idle_faults(mission)
    for name, own in tasks.items():
        for key, message, expected in _task_faults(name, own, basis, tasks):
            yield ("tasks", name, key), message, expected
    for name, given in mission.robots.items():
        for ability in given.given if given is not None else ():
            if ability not in basis:
                yield ("robots", name, ability), f"no basis task {ability!r}", OneOf(ability, basis)
    working = sum(not own.idle for own in tasks.values())
    if working > MOST_TASKS:
        yield ("parameters", "basis"), f"{working} tasks besides the idle one", f"at most {MOST_TASKS}"
    needed = len(mission.table.team) * pages_of(working) + working
    others = sum(not fact.name.startswith(("page-", "known-")) for fact in mission.table.facts)
    if needed + others > MAX_FACTS:
        message = f"{len(mission.table.team)} robots and {working} tasks need {needed + others} facts"
        yield ("parameters", "basis"), message, f"at most {MAX_FACTS}: fewer robots or fewer tasks"


def _idle_faults(mission: MissionTerms) -> Iterator[Fault]:
    """Whether there is one idle task, and each task its place; inside another coordinator robots visit none."""
    idle = [name for name, own in mission.tasks.items() if own.idle]
    if mission.inside:
        for name in idle:
            yield ("tasks", name, "idle"), "a coordinator inside another has no idle task", "ways to do it"
        return
    for name in idle[1:]:
        yield ("tasks", name, "idle"), f"{idle[0]!r} is the idle task already", "one idle task"
    if not idle:
        yield ("parameters", "home"), "no task is the idle task", "one task with idle = true in its terms.cobos"
    for entry in mission.table.tasks:
        if entry.task.id in mission.tasks and not _is_located(entry.task):
            expected = 'args = { x = "5.0", y = "5.0" } (m) in the table of the task'
            yield ("tasks", entry.task.id, "idle"), "it has no place", expected


def _task_faults(
    name: str, own: TaskTerms, basis: Collection[str], tasks: Mapping[str, TaskTerms]
) -> Iterator[tuple[str, str, str]]:
    if own.idle and own.ways:
        yield "ways", "the idle task needs no abilities", "no ways"
    if not own.idle and not own.ways:
        yield "ways", "no way to do it", 'lists of basis tasks: [["goto", "find"]]'
    for way in own.ways:
        for one in way:
            if one not in basis:
                yield "ways", f"no basis task {one!r}", OneOf(one, basis)
        if not way:
            yield "ways", "a way that needs nothing", "at least one basis task"
    for row in _contained([set(way) for way in own.ways]):
        message = f"the way {', '.join(sorted(row))} is contained in another (equation 4)"
        yield "ways", message, "ways of which none contains another"
    for one in own.after:
        if one not in tasks or tasks[one].idle:
            yield "after", f"no task {one!r}", OneOf(one, [n for n, other in tasks.items() if not other.idle])
    if cycle := ring(name, lambda one: tasks[one].after if one in tasks else ()):
        yield "after", f"it must wait for itself: {' > '.join(cycle)}", "no cycle"


def _is_located(task: Task) -> bool:
    try:
        return all(map(math.isfinite, task.place))
    except (KeyError, ValueError):
        return False


def _contained(rows: Sequence[set[str]]) -> list[set[str]]:
    """The rows that another contains; of equal ones the first."""
    pairs = [(k, row, m, other) for k, row in enumerate(rows) for m, other in enumerate(rows) if m != k]
    return [row for k, row, m, other in pairs if row < other or (row == other and k < m)]
