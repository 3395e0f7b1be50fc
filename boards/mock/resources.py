"""The parts and resources of a body by its settings alone: a check of a mission needs no physics."""

from __future__ import annotations

from boards.mock import anatomy as r2
from boards.mock.hulls import HULLS
from boards.mock.settings import BodySettings


def absent_parts(body: BodySettings) -> list[str]:
    """The parts that a body was never fitted with."""
    lacks = (*HULLS[body.hull].lacks, *body.lacks, *(r2.BODILY if body.fixed else ()))
    return [part for name in lacks for part in r2.parts_of(name)]


def resources_of(body: BodySettings) -> dict[str, tuple[str, ...]]:
    """The resources that a body was fitted with and the parts of each, sorted."""
    fitted = ((r2.DIRT_SENSOR, body.tools), ("camera", body.camera), ("laser", body.laser))
    own = (*body.tools, *(part for part, there in fitted if there), *body.resources)
    absent = set(absent_parts(body))
    found = {**r2.RESOURCES, **{name: (name,) for name in own}}
    return {name: parts for name, parts in sorted(found.items()) if not absent & set(parts)}
