"""What an entry point of `robotd.coordinators` declares besides a `Coordinator`, each with a default."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Protocol, Self

from pydantic import BaseModel

from robotd.model.choice import Coordinator, MissionTerms, Nested
from robotd.model.drawing import Panel
from robotd.model.facts import FactKind
from robotd.model.plain import Json
from robotd.model.statements import StatementKind
from robotd.model.table import NumberTable
from robotd.model.value import value


@value
class Timing:
    """A teammate counts as lost after `silence_timeout_beats` (inf: never) and half a beat."""

    silence_timeout_beats: float


class SetTiming(Protocol):
    """When one behavior set takes up a task and leaves it; times in s, inf: never."""

    @property
    def unattended_s(self) -> float:
        """From the need to the start while no teammate is on the task."""

    @property
    def yields_s(self) -> float:
        """After so long at work it yields to a newer claim."""

    @property
    def gives_up_s(self) -> float:
        """After so long at work it gives up."""

    def beside_claim_s(self, teammate: str, timeout_s: float = ...) -> float:
        """From a claim of a teammate to the takeover from it; it is lost after `timeout_s` of silence."""

    def beside_attempts_s(self, teammate: str, teammates: Collection[str], gives_up_s: float) -> float:
        """The same beside one of `teammates` that gives up after `gives_up_s` and tries again at once."""


@dataclass
class Remarks:
    """What a coordinator says of its settings of a whole team: `warnings` and `notes` in words.

    `ratios`: numbers by robot and set, and `learning`: numbers by name, both for programs.
    """

    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    ratios: dict[str, dict[str, float]] = field(default_factory=dict)
    learning: dict[str, Any] = field(default_factory=dict)


Fault = tuple[tuple[str | int, ...], str, str]
"""The path of a setting, what is wrong, and what was expected, of an unknown name as `OneOf`."""


class OneOf(str):
    """What was expected where the name `given` is none of `names`; a report of it suggests the nearest."""

    def __new__(cls, given: str, names: Iterable[str]) -> Self:
        known = sorted(names)
        made = super().__new__(cls, f"one of {', '.join(known)}" if known else "none: there are no such names")
        made.given, made.names = given, tuple(known)
        return made

    given: str
    names: tuple[str, ...]


TeamSettings = Mapping[str, Mapping[str, tuple[Any, bool]]]
"""By robot and behavior set: an instance of `SetSettings`, and whether its task is recurring."""


@value
class CoordinatorPlugin:
    """What a coordinator's class declares; `plugin_of` reads it, what the class does not have is as here.

    `settings` is an instance of `Settings` throughout. The class is made from settings, (set, task, SetSettings)
    of each behavior set, the number table and the period of decisions (s); with `RobotSettings` also from `own`,
    an instance of these, and with `nests` from `make`, a `robotd.model.choice.Make`.
    """

    make: Callable[..., Coordinator]
    Settings: type[BaseModel]
    """The model of its parameters."""
    SetSettings: type[BaseModel] | None = None
    """The model of its table of a behavior set."""
    TaskSettings: type[BaseModel] | None = None
    """The model of its table of a task, which enters the number table and its digest."""
    is_node: Callable[[Any], bool] = lambda terms: False
    """Whether no robot works on a task with these `TaskSettings` itself, but on others in its place."""
    resources_of: Callable[[Any], Collection[str]] = lambda terms: ()
    """What a task with these `TaskSettings` needs of a robot besides what its behavior sets need, and what a robot
    with these `RobotSettings` has besides what its board reports."""
    RobotSettings: type[BaseModel] | None = None
    """The model of its table of a robot or type of robot."""
    own_kinds: tuple[StatementKind, ...] = ()
    """Its own kinds of statements, numbered by the table in this order."""
    own_facts: Callable[[Any, NumberTable], tuple[FactKind, ...]] = lambda settings, table: ()
    """Its own facts, numbered by the table in this order."""
    agrees: Callable[[Any], Json] = lambda settings: None
    """Plain data that all robots must agree on, part of the digest; None: nothing."""
    check: Callable[[Any, MissionTerms], Iterable[Fault]] = lambda settings, terms: ()
    """The faults of several settings together: see `MissionTerms`."""
    nests: bool = False
    """It makes other coordinators."""
    nested: Callable[[Any], Iterable[Nested]] = lambda settings: ()
    """The tables of the others in its settings."""
    timing: Callable[[Any], Timing | None] = lambda settings: None
    """When it counts a teammate as lost."""
    set_timing: Callable[[Any, Any], SetTiming | None] = lambda settings, own: None
    """The times of a behavior set, `own` an instance of `SetSettings`."""
    drawing: Callable[[Any, NumberTable], Iterable[Panel]] = lambda settings, table: ()
    """Its plan as panels of one picture, for `robotd check --graph`."""
    remarks: Callable[[Any, TeamSettings, NumberTable], Remarks] = lambda settings, team, table: Remarks()
    """What a person should know of the settings of a team, with the tasks and the beat of `table`."""


def plugin_of(plugin: Any) -> CoordinatorPlugin:
    """What a plug-in's class declares."""
    names = (one.name for one in fields(CoordinatorPlugin))
    return CoordinatorPlugin(plugin, **{name: getattr(plugin, name) for name in names if hasattr(plugin, name)})
