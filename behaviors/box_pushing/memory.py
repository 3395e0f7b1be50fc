"""What the behaviors of a push share: the ends and their counts, and what a set remembers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from robotd.model.beliefs import Beliefs

OTHER = {"left": "right", "right": "left"}
LONG_AGO = -1e9  # s
SEEN_M = 0.6  # what is seen nearer than this at a front or side sensor is taken for the box


def name_count(end: str) -> str:
    """The fact that counts the pushes at an end."""
    return f"pushed-{end}"


def find_last_push(beliefs: Beliefs, end: str) -> float:
    """When the last push at an end was over, own clock, s; -inf where none is known."""
    fact = beliefs.facts.get(name_count(end))
    return fact.since if fact is not None else -math.inf


@dataclass(slots=True)
class Pushes:
    end: str = ""
    here: bool = False  # it faces the box at this set's end
    mine: bool = False  # it is the end where it faced the box last
    reported: bool = False  # this push is over and counted
    put_at: float = -1.0  # since when it is on its wheels (-1: it is lifted)
    came_at: float = LONG_AGO  # when a teammate was received for the first time, or after a long silence
    heard: dict[str, float] = field(default_factory=dict)  # by teammate's number: when it was received last
