"""What a mission file sets for MURDOCH, and what several of its keys must fulfil together."""

from collections.abc import Collection, Iterator, Mapping
from typing import Annotated

from pydantic import Field

from motivation.graphs import ring
from motivation.settings import Name, Parameters, Table, terms_of
from robotd.model.choice import MissionTerms
from robotd.model.coordinator_plugin import Fault, OneOf, Remarks
from robotd.model.facts import LONGEST_BEATS
from robotd.model.table import NumberTable

IDLE, HOLDING = "idle", "holding"  # resources that are states of a robot
TRAVELS = 8  # so many lacking resources an answer can name, one bit each


class MurdochSettings(Parameters):
    """What all robots must agree on; a time counts as at least so many beats of the radio as its key in beats."""

    auction_s: float = Field(default=1.5, gt=0, le=600, description="how long an auction takes bids, s")
    auction_beats: float = Field(default=3.0, ge=1, le=100, description="the same in beats, for slow radios")
    contract_s: float = Field(default=3.0, gt=0, le=3600, description="term of a contract, s; renewals prolong it")
    contract_beats: float = Field(default=4.0, ge=3.5, le=100, description="the same in beats, for slow radios")
    missed_acknowledgements: float = Field(
        default=2.0, ge=1, le=100, description="so many missing ones in a row end the renewals of a contract"
    )
    no_progress_s: float = Field(
        default=20.0, gt=0, description="contract time without observed progress that excludes a robot, s"
    )
    exclude_s: float = Field(default=600.0, gt=0, description="so long from all tasks of that kind, s")
    reannounce_s: float = Field(
        default=0.0, ge=0, le=3600, description="pause before a task without bids is announced again, s; 0: never"
    )
    reannounce_max_s: float = Field(default=300.0, gt=0, description="the pause doubles each time up to this, s")
    sequential: bool = Field(default=True, description="subtasks of one task are auctioned one after the other")
    close_early: bool = Field(default=False, description="close an auction once all known teammates answered")
    introducer: str = Field(
        default="", description="robot that introduces at the start all tasks without `by` that are no children"
    )


class TaskTerms(Table):
    """What holds for a task, and for each of its kind that is added at run time."""

    resources: tuple[Name, ...] = Field(
        default=(), description="what a robot must have: devices, capabilities, states; `idle` is always required"
    )
    metrics: tuple[str, ...] | dict[str, Annotated[float, Field(gt=0)]] = Field(
        default=("fitness",), description="what makes a bid: names for a plain sum, weights by name for a weighted"
    )
    range_m: float = Field(default=10.0, gt=0, description="metric `distance`: the distance that scores 0, m")
    reserve: float = Field(default=0.0, ge=0, le=1, description="a lower bid wins nothing")
    length_s: float = Field(
        default=0.0, ge=0, description="it is done after so long at work, s; 0: when its behavior set reports done"
    )
    contract_s: float | None = Field(default=None, gt=0, description="term of its contracts, s; default: as all")
    no_progress_s: float | None = Field(default=None, gt=0, description="default: as for all tasks, s")
    progress_least: float = Field(
        default=0.05, gt=0, description="growth of the observation `progress` that counts, in its own unit"
    )
    children: tuple[str, ...] = Field(default=(), description="the tasks below it in its tree")
    in_order: bool = Field(default=False, description="its children one after the other, not at once")
    argument: str = Field(default="", description="the numeric argument that travels with the announcement")
    argument_most: float = Field(default=1.0, gt=0, description="its greatest value; it travels in 255ths of it")
    place: bool = Field(default=False, description="its arguments x and y travel with the announcement, m")
    by: str = Field(default="", description="robot that introduces it by itself")
    at_s: float = Field(default=0.0, ge=0, description="when, from the start of the run, s")
    every_s: float = Field(default=0.0, ge=0, description="and again after each such period, s; 0: once")

    @property
    def is_node(self) -> bool:
        """Whether its introducer auctions its children in its place."""
        return bool(self.children) and not self.resources

    @property
    def weights(self) -> Mapping[str, float]:
        """The metrics with their weights; a plain sum weighs all alike."""
        return self.metrics if isinstance(self.metrics, dict) else dict.fromkeys(self.metrics, 1.0)

    @property
    def travelling(self) -> tuple[str, ...]:
        """The arguments that an announcement carries."""
        return (*((self.argument,) if self.argument else ()), *(("x", "y") if self.place else ()))


AT_RUN_TIME = ("length_s", "contract_s", "reserve", "no_progress_s")  # what the introducer of a task may change


class RobotTerms(Table):
    """What holds for one robot or type of robot."""

    resources: tuple[Name, ...] = Field(
        default=(), description="capabilities that it has besides what its board reports"
    )


def remarks(settings: MurdochSettings, table: NumberTable) -> Remarks:
    """A warning of the roots of task trees that no robot introduces."""
    terms = terms_of(table, TaskTerms)
    below = {child for own in terms.values() for child in own.children}
    if settings.introducer or not (
        idle := [name for name, own in terms.items() if not own.by and name not in below]
    ):
        return Remarks()
    words = (
        f"no robot introduces {', '.join(idle)}: auctioned only once added while the mission runs (robotd task "
        "add NAME); to start with the mission it needs a robot's name as by of [tasks.NAME.terms.murdoch], or as "
        "introducer of the coordinator"
    )
    return Remarks([words])


def faults(settings: MurdochSettings, mission: MissionTerms, metrics: Collection[str]) -> Iterator[Fault]:
    """What is wrong with settings that are sound one by one."""
    robots = set(mission.table.robots.values())
    if (name := settings.introducer) and name not in robots:
        yield ("parameters", "introducer"), f"no robot {name!r} in the team", OneOf(name, robots)
    longest_s = LONGEST_BEATS * mission.table.beat_s
    if max(settings.contract_s, settings.contract_beats * mission.table.beat_s) > longest_s:
        yield ("parameters", "contract_s"), "longer than a statement can say", f"at most {longest_s:g}"
    worked = {task for task, _ in mission.sets.values()}
    for task, own in mission.tasks.items():
        for key, message, expected in _task_faults(own, set(mission.tasks), robots, metrics, longest_s):
            yield ("tasks", task, key), message, expected
        if own.is_node and task in worked:
            yield (
                ("tasks", task, "resources"),
                "a task with children and without resources is a node that no robot works on, and a set is on it",
                "the resources that it needs",
            )
        if way := ring(task, lambda name: mission.tasks[name].children if name in mission.tasks else ()):
            yield ("tasks", task, "children"), f"it is below itself: {' > '.join(way)}", "a tree"


def _task_faults(
    own: TaskTerms, tasks: Collection[str], robots: Collection[str], metrics: Collection[str], longest_s: float
) -> Iterator[tuple[str, str, str]]:
    for name in own.weights:
        if name not in metrics:
            yield "metrics", f"no metric {name!r}", OneOf(name, metrics)
    if not own.weights:
        yield "metrics", "no metric: all bids would be alike", OneOf("", metrics)
    for child in own.children:
        if child not in tasks:
            yield "children", f"no task {child!r}", OneOf(child, tasks)
    if own.by and own.by not in robots:
        yield "by", f"no robot {own.by!r} in the team", OneOf(own.by, robots)
    for key in ("length_s", "contract_s"):
        if (getattr(own, key) or 0.0) > longest_s:
            yield key, "longer than a statement can say at this beat", f"at most {longest_s:g}"
    if len(own.resources) > TRAVELS:
        yield "resources", f"{len(own.resources)} resources; an answer names {TRAVELS}", f"at most {TRAVELS}"
