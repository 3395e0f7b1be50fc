"""The mission file: what the whole team agrees on, and the world for a simulation."""

import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from robotd.model.facts import FactKind
from robotd.model.table import MAX_ROBOT, Member, NumberTable, TaskEntry
from robotd.model.tasks import Task

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$", max_length=40)]
Number = Annotated[int, Field(ge=1, le=255)]
Length = Annotated[float, Field(ge=0, le=100)]
Table = dict[str, Any]
STATION = "of the base station, m; default: that of the entrance"
Aim = Literal["delivered", "clean", "box", "finish", "touched", "held"]
SLOWEST_DECISION_S = 1.0  # a received team stop waits for the next decision
GROUPS = ("types", "robots")  # tables of `RobotChange`, by type and by robot


class Strict(BaseModel):
    """A table without unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="constants")


class MemberFile(Strict):
    """A robot of the team."""

    number: int = Field(ge=1, le=MAX_ROBOT, description="its number in frames; the lower number wins a tie")
    type: Name = Field(description="its type, a key of [types]")


class TaskFile(Strict):
    """A task of the mission."""

    number: Number = Field(description="its number in frames")
    kind: Name | None = Field(default=None, description="the kind of task; default: the task's name")
    args: dict[str, str] = Field(default={}, description="arguments, by which tasks of one kind differ")
    completion: str = Field(default="", description="the flag or count that changes on completion")
    recurring: bool = Field(default=False, description="the task is due again after each completion")
    terms: dict[Name, Table] = Field(default={}, description="settings of this task, by coordinator")


class FactFile(Strict):
    """A fact that the robots transmit."""

    number: Number = Field(description="its number in frames")
    kind: Literal["flag", "count", "place", "scalar", "page"] = Field(description="how values of it are merged")


def _finite(value: object) -> object:
    """None for infinity, which JSON does not have."""
    return None if value == math.inf else value


class RadioFile(Strict):
    """Radio settings that are the same for all robots."""

    beat_s: float = Field(default=3.0, ge=0.05, le=600, description="period of one frame per robot, s")
    team: int = Field(default=1, ge=0, le=65535, description="team number; frames of others are rejected")
    loss: float = Field(default=0.0, ge=0, le=1, description="simulation: share of frames lost on each link")
    loss_model: Literal["bernoulli", "gilbert-elliott"] = Field(
        default="bernoulli",
        description="simulation: frames are lost independently, or in bursts of four beats on average",
    )
    base_station: bool = Field(default=True, description="simulation: a base station assigns time slots")
    bit_rate: float = Field(
        default=15000.0,
        ge=300,
        le=1e9,
        description="simulation: bits a second on the air; a wireless LAN has a million or more",
    )
    range_m: Annotated[float | None, BeforeValidator(_finite)] = Field(
        default=None, gt=0, description="simulation: radio range, m; default and inf: unlimited"
    )
    base_station_x_m: Length | None = Field(default=None, description=f"simulation: x {STATION}")
    base_station_y_m: Length | None = Field(default=None, description=f"simulation: y {STATION}")


class ControlFile(Strict):
    """The periods of control and decisions."""

    tick_hz: float = Field(default=20.0, ge=4, le=200, description="control ticks per second")
    ticks_per_decision: int = Field(default=4, ge=1, le=100, description="ticks per decision; at most 1 s")

    @model_validator(mode="after")
    def _decides_in_time(self) -> Self:
        period_s = self.ticks_per_decision / self.tick_hz
        if period_s > SLOWEST_DECISION_S:
            raise ValueError(
                f"ticks_per_decision / tick_hz is a decision every {period_s:.3g} s; "
                f"expected at most {SLOWEST_DECISION_S:g} s, as a team stop waits for the next one"
            )
        return self


class LayerFile(Strict):
    """An always-on behavior; the first layer of the file is the lowest."""

    behavior: Name | None = Field(default=None, description="the plug-in; default: the layer's name")
    parameters: Table = Field(default={}, description="settings of the behavior")


class SetFile(Strict):
    """A behavior set: its task and its settings."""

    behavior: Name | None = Field(default=None, description="the plug-in; default: the set's name")
    task: str = Field(description="the task that it works on, a key of [tasks]")
    parameters: Table = Field(default={}, description="settings of the behavior set")
    motivation: Table = Field(default={}, description="settings for a coordinator without terms here")
    terms: dict[Name, Table] = Field(default={}, description="settings of this set, by coordinator")


class SetChange(Strict):
    """Settings of a behavior set that differ for a type of robot or for one robot."""

    parameters: Table = Field(default={}, description="settings that replace those of the set")
    motivation: Table = Field(default={}, description="settings that replace those of the set")
    terms: dict[Name, Table] = Field(default={}, description="the same, by coordinator")


class ConditionChange(Strict):
    """Settings of a condition that differ for a type of robot or for one robot."""

    parameters: Table = Field(default={}, description="settings that replace those of the condition's set")


class RobotChange(Strict):
    """Settings of a type of robot or of one robot, which replace those of the mission."""

    body: Table = Field(default={}, description="simulation: settings of the body")
    sets: dict[str, SetChange] = Field(default={}, description="changes by behavior set")
    conditions: dict[Name, ConditionChange] = Field(default={}, description="changes by condition")
    without: tuple[str, ...] = Field(default=(), description="names of behavior sets that it does not have")
    terms: dict[Name, Table] = Field(default={}, description="settings of this robot, by coordinator")


class EventFile(Strict):
    """A scripted event of a simulation."""

    at_s: float = Field(default=0.0, ge=0, description="time from the start, s; required without `at_box_m`")
    at_box_m: float = Field(
        default=0.0, ge=0, description="in place of `at_s`: once the box has come so far towards its goal, m"
    )
    verb: Name = Field(description="the event: remove, return, seize, kill, reboot, slow, dead, loss, ...")
    who: str = Field(description="the target: a robot, all, holder:TASK, or base-station")
    arg: str = Field(default="", description="argument of the verb")

    @model_validator(mode="after")
    def _has_one_time(self) -> Self:
        if ("at_s" in self.model_fields_set) == (self.at_box_m > 0):
            raise ValueError("either at_s or an at_box_m above 0 must say when it happens")
        return self


class ConditionFile(Strict):
    """A behavior set that runs before every task while a sense is below a limit; coordinators do not choose it."""

    sense: Literal["battery"] = Field(description="the sense; while it is missing the condition keeps its state")
    below: float = Field(ge=0, le=1, description="the condition begins below this reading")
    until: float = Field(ge=0, le=1, description="it ends at this reading")
    set: Name = Field(description="the behavior set that is active meanwhile; not a key of [sets]")
    behavior: Name | None = Field(default=None, description="the plug-in; default: the name of the behavior set")
    parameters: Table = Field(default={}, description="settings of the behavior set")
    between_tasks: bool = Field(
        default=False, description="wait for the end of the active set, not only until it holds no object"
    )

    @model_validator(mode="after")
    def _ends_above(self) -> Self:
        if self.until <= self.below:
            raise ValueError(f"until must be above below, {self.below:g}, or the condition never ends")
        return self


class GoalFile(Strict):
    """When a simulation counts the mission as accomplished: all of this holds, twice within 0.5 s."""

    facts: tuple[Name, ...] | None = Field(
        default=None,
        description="flags and counts that one robot must know; default: of all tasks that are not recurring",
    )
    world: tuple[Aim, ...] | None = Field(
        default=None,
        description="aims in the world: objects delivered, areas clean, the box at its goal, all robots past the "
        "finish, each coloured puck touched by a robot, all pucks of clusters held; default: those that "
        "[world] has, without pucks",
    )

    @model_validator(mode="after")
    def _asks(self) -> Self:
        if self.facts == () and self.world == ():
            raise ValueError("facts and world are both empty: a mission without a goal is accomplished at once")
        return self


class CoordinatorFile(Strict):
    """The coordinator, which selects the active behavior set."""

    name: Name = Field(default="alliance", description="the coordinator plug-in")
    parameters: Table = Field(default={}, description="its settings, if [coordinators] has none")


class MissionFile(Strict):
    """A whole mission."""

    name: Name = Field(description="the mission's name")
    description: str = Field(default="", description="a description of the mission")
    plugins: tuple[str, ...] = Field(default=(), description="Python files with plug-ins, relative to this file")
    time_limit_s: float = Field(default=3600.0, gt=0, description="a simulation that takes longer fails, s")
    team: dict[Name, MemberFile] = Field(min_length=1, description="the robots by name")
    tasks: dict[Name, TaskFile] = Field(min_length=1, description="the tasks by name")
    facts: dict[Name, FactFile] = Field(default={}, description="the facts by name")
    radio: RadioFile = RadioFile()
    control: ControlFile = ControlFile()
    coordinator: CoordinatorFile = CoordinatorFile()
    coordinators: dict[Name, Table] = Field(
        default={}, description="settings by coordinator, for --coordinator NAME"
    )
    layers: dict[Name, LayerFile] = Field(default={}, description="the always-on behaviors, lowest first")
    sets: dict[Name, SetFile] = Field(min_length=1, description="the behavior sets; the first wins a tie")
    conditions: dict[Name, ConditionFile] = Field(
        default={}, description="conditions with priority over tasks, the highest first"
    )
    types: dict[Name, RobotChange] = Field(default={}, description="settings by type of robot")
    robots: dict[Name, RobotChange] = Field(default={}, description="settings by robot, over those of its type")
    world: Table = Field(default={}, description="simulation: settings of the world")
    goal: GoalFile = Field(default=GoalFile(), description="simulation: when the mission is accomplished")
    event: tuple[EventFile, ...] = Field(default=(), description="simulation: scripted events")

    def table(self) -> NumberTable:
        """The number table that all robots must share, without what the coordinator brings."""
        return NumberTable(
            team=tuple(Member(name, m.number, m.type) for name, m in sorted(self.team.items())),
            tasks=tuple(
                TaskEntry(_task(name, task), task.number, task.completion, task.recurring)
                for name, task in sorted(self.tasks.items())
            ),
            facts=tuple(FactKind(name, fact.number, fact.kind) for name, fact in sorted(self.facts.items())),
            beat_s=self.radio.beat_s,
        )

    def _changes(self, robot: str) -> Iterator[RobotChange]:
        """What differs for `robot`: of its type, then its own."""
        both = (self.types.get(self.team[robot].type), self.robots.get(robot))
        return (change for change in both if change is not None)

    def changed(self, robot: str, set_name: str) -> SetFile:
        """The set as `robot` has it: its type's changes, then its own, laid over the set's."""
        base = self.sets[set_name]
        parameters, motivation, terms = dict(base.parameters), dict(base.motivation), dict(base.terms)
        for own in (change.sets[set_name] for change in self._changes(robot) if set_name in change.sets):
            parameters.update(own.parameters)
            motivation.update(own.motivation)
            terms.update({name: {**terms.get(name, {}), **new} for name, new in own.terms.items()})
        return base.model_copy(update={"parameters": parameters, "motivation": motivation, "terms": terms})

    def condition_parameters(self, robot: str, condition: str) -> Table:
        """The settings of a condition's set as `robot` has it: its type's, then its own, laid over them."""
        changes = [change.conditions.get(condition, ConditionChange()) for change in self._changes(robot)]
        return _joined(self.conditions[condition].parameters, *(change.parameters for change in changes))

    @property
    def parameters(self) -> Table:
        """The parameters of the coordinator in force."""
        return self.coordinators.get(self.coordinator.name, self.coordinator.parameters)

    def terms_of_task(self, task: str, inside: str = "") -> Table:
        """The settings of a task for the coordinator in force, or for one `inside` it."""
        return self.tasks[task].terms.get(inside or self.coordinator.name, {})

    def terms_of_set(self, own: SetFile, inside: str = "") -> Table:
        """The settings of a set, as a robot has it, for the coordinator in force, or for one `inside` it."""
        return own.terms.get(inside or self.coordinator.name, own.motivation)

    def terms_of_robot(self, robot: str, inside: str = "") -> Table:
        """The settings of a robot for the coordinator in force, or for one `inside` it: its type's, then its own
        laid over them."""
        name = inside or self.coordinator.name
        return _joined(*(change.terms.get(name, {}) for change in self._changes(robot)))

    def goal_facts(self) -> set[str]:
        """The flags and counts that a robot knows when the mission is accomplished."""
        if self.goal.facts is not None:
            return set(self.goal.facts)
        return {task.completion for task in self.tasks.values() if task.completion and not task.recurring}

    def numbers(self) -> dict[str, int]:
        """The robots' numbers by name."""
        return {name: member.number for name, member in self.team.items()}

    def sets_of(self, robot: str) -> dict[str, SetFile]:
        """The behavior sets that `robot` has, in declared order."""
        lacks = {name for change in self._changes(robot) for name in change.without}
        return {name: self.changed(robot, name) for name in self.sets if name not in lacks}

    def named_resources(self) -> set[str]:
        """What the simulated bodies of the team have besides their parts."""
        return {name for robot in self.team for name in self.body_of(robot).get("resources", ())}

    def body_of(self, robot: str) -> Table:
        """The simulated body's settings of `robot`."""
        return _joined(*(change.body for change in self._changes(robot)))


def _joined(*tables: Table) -> Table:
    return {key: value for table in tables for key, value in table.items()}


def _task(name: str, task: TaskFile) -> Task:
    return Task(task.kind or name, tuple(sorted(task.args.items())), name)
