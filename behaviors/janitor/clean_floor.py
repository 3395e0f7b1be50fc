"""Clean the floor: to and fro over it with the broom until no dirt is sensed, and again whenever some is."""

from __future__ import annotations

from behaviors.janitor.cleaning import CleaningSet


class CleanFloor(CleaningSet):
    """The behavior set."""

    needs = ("mobile", "positioning", "dirt-sensor", "broom")
