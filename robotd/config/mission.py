"""The mission file: what the whole team agrees on, and the world for a simulation."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from robotd.model.facts import FactKind
from robotd.model.table import MAX_ROBOT, Member, NumberTable, TaskEntry
from robotd.model.tasks import Task

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$", max_length=40)]
Number = Annotated[int, Field(ge=1, le=255)]
Table = dict[str, Any]
Aim = Literal["delivered", "clean", "box", "finish", "touched"]
SLOWEST_DECISION_S = 1.0  # what is heard waits for a decision, a team stop too


class Strict(BaseModel):
    """Every key is known, or it is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="constants")


class MemberFile(Strict):
    """A robot of the team."""

    number: int = Field(ge=1, le=MAX_ROBOT, description="the robot's number on the air; lower numbers win ties")
    type: Name = Field(description="its type: a table of [types]")


class TaskFile(Strict):
    """A task of the mission."""

    number: Number = Field(description="its number on the air")
    kind: Name | None = Field(default=None, description="the kind of task; default: the task's name")
    args: dict[str, str] = Field(default={}, description="what tells it from others of its kind")
    completion: str = Field(default="", description="the flag or count fact whose change says it was completed")
    recurring: bool = Field(default=False, description="it comes again after each completion")
    terms: dict[Name, Table] = Field(default={}, description="by coordinator: its own settings of this task")


class FactFile(Strict):
    """A fact that robots tell each other."""

    number: Number = Field(description="its number on the air")
    kind: Literal["flag", "count", "place", "scalar", "page"] = Field(description="how reports of it are joined")


def _finite(value: object) -> object:
    """None for what has no end: JSON knows no infinity."""
    return None if value == math.inf else value


class RadioFile(Strict):
    """What all robots' radios agree on."""

    beat_s: float = Field(default=3.0, ge=0.05, le=600, description="period of one frame per robot, s")
    team: int = Field(default=1, ge=0, le=65535, description="the team's number: frames of others are refused")
    loss: float = Field(default=0.0, ge=0, le=1, description="simulation: share of frames lost on each link")
    loss_model: Literal["bernoulli", "gilbert-elliott"] = Field(
        default="bernoulli", description="simulation: each frame is lost by itself, or in bursts of four beats"
    )
    base_station: bool = Field(default=True, description="simulation: a base station hands out slots")
    range_m: Annotated[float | None, BeforeValidator(_finite)] = Field(
        default=None, gt=0, description="simulation: frames reach so far, m; default, and inf: everywhere"
    )
    base_station_x_m: float | None = Field(
        default=None, ge=0, le=100, description="simulation: x of the base station, m; default: at the entrance"
    )
    base_station_y_m: float | None = Field(
        default=None, ge=0, le=100, description="simulation: y of the base station, m; default: at the entrance"
    )


class ControlFile(Strict):
    """The fixed periods."""

    tick_hz: float = Field(
        default=20.0, ge=4, le=200, description="control ticks per second; a motor command lives half a second"
    )
    ticks_per_decision: int = Field(
        default=4, ge=1, le=100, description="a decision at every so many ticks, one a second at least"
    )

    @model_validator(mode="after")
    def _hears_in_time(self) -> Self:
        period_s = self.ticks_per_decision / self.tick_hz
        if period_s > SLOWEST_DECISION_S:
            raise ValueError(
                f"ticks_per_decision / tick_hz is a decision every {period_s:.3g} s; "
                f"expected at most {SLOWEST_DECISION_S:g} s, as a team stop waits for one"
            )
        return self


class LayerFile(Strict):
    """An always-on behavior, lowest layer first in file order."""

    behavior: Name | None = Field(default=None, description="the plug-in; default: the layer's name")
    parameters: Table = Field(default={}, description="the behavior's own settings")


class SetFile(Strict):
    """A behavior set: which task it does, and its motivation."""

    behavior: Name | None = Field(default=None, description="the plug-in; default: the set's name")
    task: str = Field(description="the task that it works on: a name of [tasks]")
    parameters: Table = Field(default={}, description="the behavior set's own settings")
    motivation: Table = Field(default={}, description="settings of this set for a coordinator without terms here")
    terms: dict[Name, Table] = Field(default={}, description="by coordinator: its own settings of this set")


class SetChange(Strict):
    """What differs for a type of robot or for one robot."""

    parameters: Table = Field(default={}, description="settings that replace those of the set")
    motivation: Table = Field(default={}, description="settings that replace those of the set")
    terms: dict[Name, Table] = Field(
        default={}, description="by coordinator: settings that replace those of the set"
    )


class ConditionChange(Strict):
    """What differs in a condition for a type of robot or for one robot."""

    parameters: Table = Field(default={}, description="settings that replace those of the condition's set")


class RobotChange(Strict):
    """A type of robot, or one robot: its simulated body and its own settings of behavior sets."""

    body: Table = Field(default={}, description="simulation: the body's settings")
    sets: dict[str, SetChange] = Field(default={}, description="changes by behavior set")
    conditions: dict[Name, ConditionChange] = Field(default={}, description="changes by condition")
    without: tuple[str, ...] = Field(default=(), description="behavior sets that it does not have")
    terms: dict[Name, Table] = Field(default={}, description="by coordinator: its own settings of this robot")


class EventFile(Strict):
    """Something that happens in a simulation."""

    at_s: float = Field(ge=0, description="when, s from the start")
    verb: Name = Field(description="what: remove, return, seize, release, kill, reboot, slow, dead, loss, ...")
    who: str = Field(description="a robot, all, holder:TASK, or base-station")
    arg: str = Field(default="", description="the verb's argument")


class ConditionFile(Strict):
    """What a robot does before every task while one of its senses asks for it; no coordinator has a part in it."""

    sense: Literal["battery"] = Field(description="the sense; where it is absent the condition is as it was")
    below: float = Field(ge=0, le=1, description="the condition begins below this reading")
    until: float = Field(ge=0, le=1, description="it ends at this reading")
    set: Name = Field(description="the behavior set that acts meanwhile: none of [sets]")
    behavior: Name | None = Field(default=None, description="the plug-in; default: the name of the behavior set")
    parameters: Table = Field(default={}, description="the behavior set's own settings")
    between_tasks: bool = Field(
        default=False, description="wait until the active set has ended, not only until it holds no object"
    )

    @model_validator(mode="after")
    def _ends_above(self) -> Self:
        if self.until <= self.below:
            raise ValueError(f"until must be above below, {self.below:g}, or the condition never ends")
        return self


class GoalFile(Strict):
    """When a simulation counts the mission as accomplished: all of this is so, twice within half a second."""

    facts: tuple[Name, ...] | None = Field(
        default=None,
        description="flags and counts that one robot knows; default: of all tasks done once",
    )
    world: tuple[Aim, ...] | None = Field(
        default=None,
        description="what is brought about in the world: objects delivered, areas clean, the box at its goal, all "
        "robots past the finish, coloured pucks touched by a robot each; default: all but pucks that [world] has",
    )

    @model_validator(mode="after")
    def _asks(self) -> Self:
        if self.facts == () and self.world == ():
            raise ValueError("facts and world are both empty: a mission without a goal is accomplished at once")
        return self


class CoordinatorFile(Strict):
    """Who decides which behavior set may act."""

    name: Name = Field(default="alliance", description="the coordinator plug-in")
    parameters: Table = Field(default={}, description="its own settings, unless they stand in [coordinators.NAME]")


class MissionFile(Strict):
    """A whole mission."""

    name: Name = Field(description="the mission's name")
    description: str = Field(default="", description="what the team does")
    plugins: tuple[str, ...] = Field(
        default=(), description="Python files, relative to this one, that bring plug-ins"
    )
    time_limit_s: float = Field(default=3600.0, gt=0, description="a simulation that takes longer has failed, s")
    team: dict[Name, MemberFile] = Field(min_length=1, description="robots by name")
    tasks: dict[Name, TaskFile] = Field(min_length=1, description="tasks by name")
    facts: dict[Name, FactFile] = Field(default={}, description="facts by name")
    radio: RadioFile = RadioFile()
    control: ControlFile = ControlFile()
    coordinator: CoordinatorFile = CoordinatorFile()
    coordinators: dict[Name, Table] = Field(
        default={}, description="by coordinator: its own settings, so that --coordinator NAME needs no other file"
    )
    layers: dict[Name, LayerFile] = Field(default={}, description="always-on behaviors, lowest first")
    sets: dict[Name, SetFile] = Field(min_length=1, description="behavior sets by name; the order breaks ties")
    conditions: dict[Name, ConditionFile] = Field(
        default={}, description="what goes before every task; of several that hold the first acts"
    )
    types: dict[Name, RobotChange] = Field(default={}, description="what a type of robot has of its own")
    robots: dict[Name, RobotChange] = Field(default={}, description="what one robot has of its own")
    world: Table = Field(default={}, description="simulation: the world's settings")
    goal: GoalFile = Field(default=GoalFile(), description="simulation: when the mission is accomplished")
    event: tuple[EventFile, ...] = Field(default=(), description="simulation: scripted events")

    def table(self) -> NumberTable:
        """The number table that all robots must share, without what the coordinator brings."""
        return NumberTable(
            team=tuple(Member(name, m.number, m.type) for name, m in sorted(self.team.items())),
            tasks=tuple(
                TaskEntry(
                    Task(task.kind or name, tuple(sorted(task.args.items())), name),
                    task.number,
                    task.completion,
                    task.recurring,
                )
                for name, task in sorted(self.tasks.items())
            ),
            facts=tuple(FactKind(name, fact.number, fact.kind) for name, fact in sorted(self.facts.items())),
            beat_s=self.radio.beat_s,
        )

    def changed(self, robot: str, set_name: str) -> SetFile:
        """The set as `robot` has it: its type's changes, then its own, laid over the set's."""
        base = self.sets[set_name]
        parameters, motivation, terms = dict(base.parameters), dict(base.motivation), dict(base.terms)
        for change in (self.types.get(self.team[robot].type), self.robots.get(robot)):
            own = change.sets.get(set_name) if change is not None else None
            if own is not None:
                parameters.update(own.parameters)
                motivation.update(own.motivation)
                terms.update({name: {**terms.get(name, {}), **new} for name, new in own.terms.items()})
        return base.model_copy(update={"parameters": parameters, "motivation": motivation, "terms": terms})

    def condition_parameters(self, robot: str, condition: str) -> Table:
        """The settings of a condition's set as `robot` has it: its type's, then its own, laid over them."""
        parameters = dict(self.conditions[condition].parameters)
        for change in (self.types.get(self.team[robot].type), self.robots.get(robot)):
            if change is not None and condition in change.conditions:
                parameters.update(change.conditions[condition].parameters)
        return parameters

    @property
    def parameters(self) -> Table:
        """The parameters of the coordinator in force."""
        return self.coordinators.get(self.coordinator.name, self.coordinator.parameters)

    def terms_of_task(self, task: str) -> Table:
        """The settings of a task for the coordinator in force."""
        return self.tasks[task].terms.get(self.coordinator.name, {})

    def terms_of_set(self, own: SetFile) -> Table:
        """The settings of a set, as a robot has it, for the coordinator in force."""
        return own.terms.get(self.coordinator.name, own.motivation)

    def terms_of_robot(self, robot: str) -> Table:
        """The settings of a robot for the coordinator in force: its type's, then its own laid over them."""
        terms: Table = {}
        for change in (self.types.get(self.team[robot].type), self.robots.get(robot)):
            terms.update(change.terms.get(self.coordinator.name, {}) if change is not None else {})
        return terms

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
        lacks: set[str] = set()
        for change in (self.types.get(self.team[robot].type), self.robots.get(robot)):
            lacks |= set(change.without) if change is not None else set()
        return {name: self.changed(robot, name) for name in self.sets if name not in lacks}

    def named_resources(self) -> set[str]:
        """What the simulated bodies of the team have besides their parts."""
        return {name for robot in self.team for name in self.body_of(robot).get("resources", ())}

    def body_of(self, robot: str) -> Table:
        """The simulated body's settings of `robot`."""
        body: Table = {}
        for change in (self.types.get(self.team[robot].type), self.robots.get(robot)):
            body.update(change.body if change is not None else {})
        return body
