"""What behaviors are made of: their settings, their bases, behavior sets; and what `signals` has."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from behaviors.signals import (
    AHEAD,
    BELOW,
    CHANNELS,
    DIAGONAL,
    FAR,
    SIDE,
    SLANT,
    Drive,
    Eyes,
    Out,
    Percept,
    Wire,
    by_sector,
)  # fmt: skip
from robotd.model.beliefs import Beliefs
from robotd.model.facts import Fact
from robotd.model.tasks import Feedback, Task

__all__ = [
    "AHEAD", "BELOW", "CHANNELS", "DIAGONAL", "FAR", "SIDE", "SLANT", "TASK", "Behavior", "BehaviorPlugin",
    "BehaviorSet", "Drive", "Eyes", "Nothing", "OnTask", "Out", "Part", "Percept", "S", "Settings", "SingleSet",
    "Wire", "by_sector", "complete", "fact", "setting", "why_done",
]  # fmt: skip
S = TypeVar("S")
C = TypeVar("C")
B = TypeVar("B", bound="Behavior[Any]")


class Settings(BaseModel):
    """A behavior's own table in the mission file: every key known, with unit, range, default and meaning.

    A key that names a task or a fact of the mission says so by `setting(names=TASK)`, or `names=fact(KIND)`; then
    a name that the mission does not have is a fault of the file.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)


def setting(default: Any, meaning: str, names: JsonDict | None = None, **limits: Any) -> Any:
    """A key of `Settings`: its default (`...`: required), its meaning, what it names, its limits as in `Field`."""
    return Field(default, description=meaning, json_schema_extra=names, **limits)


TASK: JsonDict = {"names": "task"}
"""Of a key of `Settings`: it names a task of the mission, or several."""


def fact(kind: str) -> JsonDict:
    """Of a key of `Settings`: it names a fact of this kind, or several."""
    return {"names": "fact", "kind": kind}


@dataclass(slots=True)
class Nothing:
    """The state of a behavior that remembers nothing."""


class BehaviorPlugin(Protocol):
    """What the class of a behavior plug-in declares: of a layer (a `Behavior`) or of a set (a `BehaviorSet`).

    `Settings` is the model of its table in the mission file, and it is constructed from one. `needs` names the
    resources without which it cannot work, `args` the arguments that it reads of its task, each with the values
    that it knows (none: any will do).
    """

    Settings: ClassVar[type[BaseModel]] = Settings
    needs: tuple[str, ...] = ()
    args: Mapping[str, tuple[str, ...]] = MappingProxyType({})


class Behavior(BehaviorPlugin, Generic[S]):
    """A small behavior. `state` is a dataclass of plain values with a default each: all that it remembers."""

    name: str = ""
    wires: tuple[Wire, ...] = ()

    def __init__(self, state: S) -> None:
        self.state = state

    def enter(self, now: float, task: Task | None) -> None:
        """Its set becomes active (layers: the run opens)."""

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        raise NotImplementedError

    def leave(self, now: float, why: str) -> None:
        """Its set hibernates."""


@dataclass(slots=True)
class OnTask:
    """The state of a `Part` that needs to know the task that its set is on; '' in layers and before the first."""

    task: str = ""


class Part(Behavior[S], Generic[S, C]):
    """A behavior made with its `settings`, or with its set, whose state is `initial` again at each `enter`."""

    initial: type[S]

    def __init__(self, settings: C) -> None:
        super().__init__(self.initial())
        self.settings = settings

    def enter(self, now: float, task: Task | None) -> None:
        self.state = self.initial()
        if isinstance(self.state, OnTask) and task is not None:
            self.state.task = task.id


class BehaviorSet(BehaviorPlugin, Generic[S]):
    """A named group of behaviors, wholly active or hibernating, lowest first, on one task at a time.

    `memory` is what its behaviors share and what outlives a hibernation, within one run: a dataclass of plain
    values with a default each.
    """

    behaviors: tuple[Behavior[Any], ...] = ()

    def __init__(self, memory: S) -> None:
        self.memory = memory

    def lacking(self, i: Percept) -> tuple[str, ...]:
        """The resources that it needs now and that are not there."""
        return i.capabilities.lacking(self.needs)

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        """How it judges `task` now; `done` counts only while it is active on the task.

        Where it does not apply `why` says what it waits for: a fact, a reading, that the task is done.
        """
        raise NotImplementedError

    def enter(self, now: float, task: Task) -> None:
        """It becomes active on `task`."""
        for behavior in self.behaviors:
            behavior.enter(now, task)

    def leave(self, now: float, why: str) -> None:
        """It hibernates."""
        for behavior in self.behaviors:
            behavior.leave(now, why)


class SingleSet(BehaviorSet[Nothing], Generic[B]):
    """A set of one behavior, `one`, made with the set's settings."""

    behavior: type[B]

    def __init__(self, settings: Any) -> None:
        super().__init__(Nothing())
        self.one = self._make(settings)
        self.behaviors = (self.one,)

    def _make(self, settings: Any) -> B:
        return self.behavior(settings)


LIFTED = "it is lifted off the floor"


def is_known(fact: str) -> str:
    """Why a set does not apply whose task is done."""
    return f"the task is done: {fact} is known"


def why_done(beliefs: Beliefs, task: str) -> str:
    """Why a set does not apply: the completion of the mission's `task` is known, a flag; '' while it is not."""
    entry = beliefs.table.task_entries.get(task)
    known = entry is not None and bool(entry.completion) and beliefs.flag(entry.completion)
    return is_known(entry.completion) if known and entry is not None else ""


def complete(beliefs: Beliefs, task: str) -> tuple[Fact, ...]:
    """What is asserted when a task of the mission is done: its completion, once more where it is a count."""
    entry = beliefs.table.task_entries.get(task)
    if entry is None or not entry.completion:
        return ()
    kind = beliefs.table.fact(entry.completion).kind
    return (Fact(entry.completion, (beliefs.count(entry.completion) + 1.0,) if kind == "count" else ()),)
