"""The behavior graph <B, S, V, b0> and the team hierarchy (paper 004, Control Structures), from the settings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from motivation.bite.settings import ALL, BiteSettings, NodeSettings
from motivation.graphs import reach

T = TypeVar("T")
ROOT = 0  # in place of a parent: the chain that begins with b0


@dataclass(frozen=True, slots=True)
class Node:
    """A behavior: its number on the air, its edges by number, and the robots that execute it jointly.

    `team` is empty where it is no team behavior. `own` has its protocols.
    """

    name: str
    number: int
    first: tuple[int, ...]
    next: tuple[int, ...]
    team: frozenset[int]
    own: NodeSettings

    @property
    def is_joint(self) -> bool:
        return bool(self.team)

    @property
    def splits(self) -> bool:
        """Whether its children are allocated."""
        return len(self.first) > 1


@dataclass(frozen=True)
class Graph:
    """Behaviors by number, from 1 in the order of their names, and b0; made of settings without faults."""

    nodes: Mapping[int, Node]
    start: int

    def __getitem__(self, number: int) -> Node:
        return self.nodes[number]

    @cached_property
    def named(self) -> dict[str, Node]:
        return {node.name: node for node in self.nodes.values()}

    @cached_property
    def chains(self) -> dict[tuple[int, int], int]:
        """By parent and behavior the first behavior of the chain that it is in, below that parent."""
        heads = {ROOT: (self.start,), **{node.number: node.first for node in self.nodes.values()}}
        return {
            (parent, member): head
            for parent, firsts in heads.items()
            for head in firsts
            for member in reach([head], lambda one: self.nodes[one].next)
        }

    def chain(self, parent: int, node: int) -> int:
        """The first behavior of the chain below `parent` that `node` is in; 0 where it is in none."""
        return self.chains.get((parent, node), 0)


def graph_of(settings: BiteSettings, robots: Mapping[int, str]) -> Graph:
    """The graph that the settings describe; `robots`: names by number."""
    numbers = {name: k for k, name in enumerate(sorted(settings.graph), 1)}
    teams = hierarchy(settings.teams, robots.values())
    by_name = {name: number for number, name in robots.items()}
    nodes = {}
    for name, number in numbers.items():
        own = settings.graph[name]
        team = frozenset(by_name[one] for one in teams[own.team]) if own.team else frozenset()
        first, following = (tuple(numbers[one] for one in names) for names in (own.first, own.next))
        nodes[number] = Node(name, number, first, following, team, own)
    return Graph(nodes, numbers[settings.start])


def hierarchy(teams: Mapping[str, Sequence[str]], robots: Iterable[str]) -> dict[str, frozenset[str]]:
    """The robots of each sub-team: those of the file, the whole team, and each robot by itself.

    Names that are not there and rings are passed over.
    """
    names = tuple(robots)
    found = {name: frozenset([name]) for name in names} | {ALL: frozenset(names)}
    for team in teams:
        below = reach([team], lambda one: tuple(teams.get(one, ())))
        found[team] = frozenset(names if ALL in below else (one for one in below if one in names))
    return found
