"""What one tick of a robot decided, and whether it may move: the value types that people and logs are given."""

from __future__ import annotations

from dataclasses import dataclass

from robotd.model.beliefs import Beliefs
from robotd.model.choice import Choice
from robotd.model.command import ActionResult, Command


@dataclass(frozen=True, slots=True)
class State:
    """A word, why, and what a person can do about it ('' nothing needs doing)."""

    word: str
    reason: str
    next_step: str
    may_move: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """What one tick decided.

    `choice` is None between decisions; `wanted` is within the body's limits, and still if the robot is stopped;
    `state` is as people see it; `condition`: the one that holds, in words.
    """

    choice: Choice | None
    acted: ActionResult
    wanted: Command
    beliefs: Beliefs
    state: State
    condition: str = ""
