"""Whose turn it is where two groups leapfrog: one bounds while the other waits, by counts alone.

A group is some slots, each with a count fact: how many bounds have been made in it. A bound of the group is over
once all its slots have made it; then it is the other group's turn. Counts only grow and are asserted at a
standstill, so that however late they are received no two groups move: a robot that has not received one waits.
"""

from __future__ import annotations

from collections.abc import Sequence

from behaviors import parts
from robotd.model.beliefs import Beliefs


class GroupsSettings(parts.Settings):
    """The two groups, as a robot of one of them sees them."""

    own: tuple[str, ...] = parts.setting(
        ..., "the counts of the own group's slots", min_length=1, names=parts.fact("count")
    )
    other: tuple[str, ...] = parts.setting(
        ..., "the counts of the other group's slots", min_length=1, names=parts.fact("count")
    )
    first: bool = parts.setting(default=False, meaning="whether the own group makes the first bound")


def bounds(beliefs: Beliefs, slots: Sequence[str]) -> int:
    """How many bounds a group has finished."""
    return min(beliefs.count(slot) for slot in slots)


def own_turn(beliefs: Beliefs, groups: GroupsSettings) -> bool:
    """Whether the own group may bound: it has made fewer bounds, or as many and was the first."""
    own, other = bounds(beliefs, groups.own), bounds(beliefs, groups.other)
    return own < other or (own == other and groups.first)
