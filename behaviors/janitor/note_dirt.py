"""Always on: report every area of which the dirt sensor reads something else than is believed.

An area's fact is a scalar of its name: 1 for anything left to do, 0 for clean. Without one it counts as dirty:
that there is work is why the robots were sent. What one robot senses is news for all, so that a floor that was
clean and is not any more is done again (paper 000, section IV-D, the third of three ways).
"""

from __future__ import annotations

from pydantic import BaseModel

from behaviors.parts import Nothing, Out, Part, Percept
from robotd.model.beliefs import Beliefs
from robotd.model.facts import Fact

KINDS = ("garbage", "dust", "dirt")  # of sights that are readings of a dirt sensor


def dirty(beliefs: Beliefs, area: str) -> bool:
    """Whether there is work left in an area, as far as the team knows."""
    fact = beliefs.facts.get(area)
    return fact is None or fact.value[0] > 0.0


class NoteDirt(Part[Nothing, BaseModel]):
    """The behavior of one robot; areas that the mission has no scalar fact for are passed over."""

    name = "note-dirt"
    initial = Nothing

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        if not i.senses.sights:
            return None
        known = {fact.name for fact in beliefs.table.facts if fact.kind == "scalar"}
        facts = tuple(
            Fact(sight.label, (float(sight.size > 0.0),))
            for sight in i.senses.sights
            if sight.kind in KINDS and sight.label in known and sight.size is not None
            and (sight.label not in beliefs.facts or dirty(beliefs, sight.label) != (sight.size > 0.0))
        )  # fmt: skip
        return Out(facts=facts) if facts else None
