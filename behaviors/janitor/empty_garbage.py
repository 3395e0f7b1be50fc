"""Empty the garbage: at each bin until it reads empty (paper 000, section IV-D: some robots drop litter by it)."""

from __future__ import annotations

from behaviors.janitor.cleaning import CleaningSet


class EmptyGarbage(CleaningSet):
    """The behavior set."""

    needs = ("mobile", "positioning", "dirt-sensor", "tipper")
