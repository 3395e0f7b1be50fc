"""Dust: where dust is sensed or nobody has been yet, until none is."""

from __future__ import annotations

from behaviors.janitor.cleaning import CleaningSet


class Dust(CleaningSet):
    """The behavior set."""

    needs = ("mobile", "positioning", "dirt-sensor", "duster")
