"""A coordinator that shares a mission's behavior sets out among others, each of which allocates its part.

A part is opened when its fact is known. Of the parts that are open the first that has work for the robot leads: to
the others the robot is busy meanwhile.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from motivation.nesting import Nest, Opening
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Assess, Choice, Make, Nested
from robotd.model.inputs import Inputs
from robotd.model.plain import Json, from_plain, to_plain
from robotd.model.statements import Heard, Sent, Statement
from robotd.model.table import Member, NumberTable
from robotd.model.tasks import Feedback, Task


class Part(BaseModel):
    """One of the coordinators, and what it allocates."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    plugin: str = Field(description="the coordinator plug-in")
    parameters: dict[str, Any] = Field(default={}, description="its settings")
    sets: dict[str, dict[str, Any]] = Field(description="its behavior sets, each with its settings of them")
    after: str = Field(default="", description="the flag that opens it; none: it is open from the start")


class PartsSettings(BaseModel):
    """The parts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    part: tuple[Part, ...] = Field(description="one coordinator each")


class AnySet(BaseModel):
    """The parts have the settings of behavior sets."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Parts:
    """One robot's coordinators."""

    Settings = PartsSettings
    SetSettings = AnySet
    nests = True

    @staticmethod
    def nested(settings: PartsSettings) -> Iterator[Nested]:
        """See `CoordinatorPlugin.nested`."""
        for k, part in enumerate(settings.part):
            yield Nested(("part", k, "parameters"), part.plugin, part.parameters)
            for name, motivation in part.sets.items():
                yield Nested(("part", k, "sets", name), part.plugin, motivation, "SetSettings")

    def __init__(
        self,
        settings: PartsSettings,
        sets: Sequence[tuple[str, str, AnySet]],
        table: NumberTable,
        decision_s: float,
        *,
        make: Make,
    ) -> None:
        """`sets`: name and task of each behavior set of this robot, in declared order."""
        self._settings = settings
        self._task_of = {name: task for name, task, _ in sets}
        self._make = make

    def begin(self, now: float, me: int, tasks: Sequence[Task], team: Sequence[Member], instance: int) -> None:
        """See `Coordinator.begin`."""
        self._nest = Nest(self._make)
        self._me, self._team, self._tasks = me, tuple(team), {task.id: task for task in tasks}
        self._choices: dict[int, Choice] = {}

    def _open(self, now: float, beliefs: Beliefs) -> None:
        for k, part in enumerate(self._settings.part, 1):
            if k not in self._nest.instances and (not part.after or beliefs.flag(part.after)):
                sets = tuple((name, self._task_of[name], own) for name, own in part.sets.items())
                tasks = tuple(self._tasks[task] for task in dict.fromkeys(task for _, task, _ in sets))
                opening = Opening(part.plugin, part.parameters, sets, tasks, self._team, self._me, now)
                self._nest.open(k, opening)

    def step(
        self, i: Inputs, beliefs: Beliefs, assess: Assess, heard: Sequence[Heard], sent: Sequence[Sent]
    ) -> Choice:
        """See `Coordinator.step`."""
        self._open(i.now, beliefs)
        leader = next((k for k, choice in sorted(self._choices.items()) if choice.run), None)

        def assess_busy(i: Inputs, beliefs: Beliefs, set: str, task: Task) -> Feedback:
            return Feedback(applicable=False, over=assess(i, beliefs, set, task).over)

        for k in sorted(self._nest.instances, key=lambda k: k != leader):
            judge = assess if leader in (None, k) else assess_busy
            self._choices[k] = self._nest.step(k, i, beliefs, judge, heard, sent)
            if leader is None and self._choices[k].run:
                leader = k
        return self._join()

    def _join(self) -> Choice:
        choices = [choice for _, choice in sorted(self._choices.items())]
        run = next((choice.run for choice in choices if choice.run), ())
        stated = [one for choice in choices for one in choice.statements]
        activity = [one for one in stated if one.kind == "activity" and one.fields[0]][:1]
        return Choice(
            run=run,
            statements=(*(activity or (Statement("activity", ("", "", 0.0)),)),
                        *(one for one in stated if one.kind != "activity")),
            events=tuple(event for choice in choices for event in choice.events),
            levels=tuple(level for choice in choices for level in choice.levels),
            finished=tuple(task for choice in choices for task in choice.finished),
        )  # fmt: skip

    def freeze(self) -> Json:
        """See `Coordinator.freeze`."""
        return {"nest": self._nest.freeze(), "choices": {str(k): to_plain(x) for k, x in self._choices.items()}}

    def thaw(self, state: Json) -> None:
        """See `Coordinator.thaw`; `begin` comes first."""
        assert isinstance(state, dict)
        self._nest.thaw(state["nest"])
        self._choices = {int(k): from_plain(Choice, plain) for k, plain in state["choices"].items()}


ROBOTD = {"robotd.coordinators": {"parts": Parts}}
