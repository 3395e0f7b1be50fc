"""What a mission file sets for BITE: the behavior graph, the team hierarchy, and the library of interactions."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from motivation.settings import Name, Parameters, Table

ALL = "all"  # the whole team, which every hierarchy has


class NodeSettings(Table):
    """A behavior of the graph, called like a task of the mission, and the protocols of its points."""

    first: tuple[Name, ...] = Field(
        default=(), description="decomposition: the first behaviors of the chains below it, all of which must end"
    )
    next: tuple[Name, ...] = Field(default=(), description="the behaviors that may follow; several are a choice")
    team: str = Field(
        default="", description="the sub-team that executes it jointly, or `all`; '' is no team behavior"
    )
    decide: str = Field(default="", description="how a team chooses among several in `next`")
    allocate: str = Field(default="", description="how a team divides over several in `first`")
    terminate: str = Field(default="", description="how a team ends it")
    inform: Literal["broadcast", "none"] = Field(
        default="none",
        description="whether a robot that senses its end, or what may follow, informs those that execute it",
    )
    wait: bool = Field(
        default=False, description="at its end wait until something in `next` is enabled; else its parent ends"
    )


class InteractionSettings(Table):
    """An interaction behavior of the library."""

    protocol: str = Field(
        description="vote, leader, agreed, by-sight, market, nested, all, first, alone, reallocate, or one of "
        "your own"
    )
    teller: str = Field(
        default="", description="the interaction that decides who counts the votes; '' the lowest number present"
    )
    window_beats: float = Field(
        default=6.0, gt=0, le=1000, description="after so long without an answer it proceeds without those silent"
    )
    looks: int = Field(
        default=2,
        ge=1,
        le=100,
        description="by-sight: a robot takes a child that was the best in so many decisions",
    )
    coordinator: str = Field(default="", description="nested: the coordinator inside, such as `alliance`")
    parameters: Mapping[str, Any] = Field(default={}, description="nested: its parameters")
    leader: str = Field(
        default="", description="nested: the parameter that names the robot of the lowest number present"
    )
    motivation: Mapping[str, Any] = Field(
        default={}, description="nested: its table of every behavior set; none: each has its own"
    )
    sets: Mapping[str, Mapping[str, Any]] = Field(
        default={}, description="nested: what differs in the table of a child, by name"
    )


class BiteSettings(Parameters):
    """What all robots must agree on; `[coordinator.parameters.graph.NAME]`, `.teams`, `.interactions.NAME`."""

    start: str = Field(default="", description="the behavior where execution begins")
    graph: Mapping[Name, NodeSettings] = Field(default={}, description="behaviors by name")
    teams: Mapping[Name, tuple[str, ...]] = Field(
        default={}, description="sub-teams by name: robots and other sub-teams"
    )
    interactions: Mapping[Name, InteractionSettings] = Field(
        default={}, description="interaction behaviors besides the built-in ones, called like their protocol"
    )
    silence_beats: float = Field(
        default=8.0, ge=3, le=100, description="beats of silence after which a teammate counts as gone"
    )
    listen_beats: float = Field(
        default=1.5, ge=0, le=100, description="so long a robot that begins, or begins again, listens first"
    )
    start_beats: float = Field(
        default=0.0,
        ge=0,
        le=50,
        description="from the announcement of a choice to the common start, in beats; more covers lost frames",
    )


class TaskTerms(Table):
    """What holds for a task."""

    structure: bool = Field(
        default=False, description="a behavior that only holds others together: no behavior set works on it"
    )
