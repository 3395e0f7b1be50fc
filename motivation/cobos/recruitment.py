"""Algorithm 2, recruitment: a team that is too small visits other places and makes its task known there."""

from collections.abc import Collection


def places(task: int, known: Collection[int], tour: str) -> tuple[int, ...]:
    """The visiting list of `task`: the idle place, then the known tasks of lower priority, the lowest first.

    `tour` "all" adds those of higher priority, the nearest in priority first.
    """
    lower = sorted((one for one in known if one > task), reverse=True)
    higher = sorted((one for one in known if one < task), reverse=True)
    return (0, *lower, *(higher if tour == "all" else ()))
