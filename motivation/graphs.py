"""Ways through graphs that mission files hold: task trees, orders, teams, interactions."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def reach(begin: Sequence[T], edges: Callable[[T], Iterable[T]]) -> list[T]:
    """What can be reached along edges, without repetition, in order of discovery."""
    found, left = dict.fromkeys(begin), list(begin)
    while left:
        for one in edges(left.pop(0)):
            if one not in found:
                found[one] = None
                left.append(one)
    return list(found)


def ring(start: T, edges: Callable[[T], Iterable[T]]) -> list[T]:
    """A way along edges from `start` back to it; empty where there is none."""
    ways, seen = [[start]], set[T]()
    while ways:
        way = ways.pop(0)
        for one in edges(way[-1]):
            if one == start:
                return [*way, one]
            if one not in seen:
                seen.add(one)
                ways.append([*way, one])
    return []
