"""The three structures as in figure 1 of paper 004: behavior graph, team hierarchy, interaction behaviors."""

import itertools
from collections.abc import Iterable, Iterator, Mapping

from motivation.bite.checks import levels
from motivation.bite.interactions import Interaction, Library
from motivation.bite.settings import ALL, BiteSettings
from motivation.graphs import reach
from robotd.model.drawing import Arrow, Box, Panel


def panels(settings: BiteSettings, library: Library, robots: Iterable[str]) -> Iterator[Panel]:
    """Of settings without faults."""
    yield _behaviors(settings)
    yield _hierarchy(settings.teams, list(robots))
    used = [name for own in settings.graph.values() for name in (own.decide, own.allocate, own.terminate) if name]
    yield _protocols(library, reach([*dict.fromkeys(used)], lambda one: library[one].uses))


def _behaviors(settings: BiteSettings) -> Panel:
    """Each behavior with its sub-team and protocols; its layer is the level that it is on."""
    boxes, arrows = [], []
    for name, depth in levels(settings).items():
        own = settings.graph[name]
        keys = ("team", "decide", "allocate", "terminate")
        lines = ["begins here"] if name == settings.start else []
        lines += [f"{key}: {getattr(own, key)}" for key in keys if getattr(own, key)]
        boxes.append(Box(name, depth - 1, tuple(lines)))
        arrows += [Arrow(name, one, "down") for one in own.first]
        arrows += [Arrow(name, one, "then") for one in own.next]
    return Panel("behavior graph", tuple(boxes), tuple(arrows))


def _hierarchy(teams: Mapping[str, tuple[str, ...]], robots: list[str]) -> Panel:
    """The whole team has the sub-teams and robots that no other sub-team has."""
    within = {one for members in teams.values() for one in members}
    members = {ALL: tuple(one for one in (*teams, *robots) if one not in within), **teams}
    depth = dict.fromkeys(members, 0)
    for _ in members:  # as often as the longest way down is long
        for team, below in members.items():
            depth |= {one: max(depth[one], depth[team] + 1) for one in below if one in members}
    last = max(depth.values()) + 1
    boxes = [*(Box(one, layer) for one, layer in depth.items()), *(Box(one, last) for one in robots)]
    arrows = (Arrow(team, one, "down") for team, below in members.items() for one in below)
    return Panel("team hierarchy", tuple(boxes), tuple(arrows))


def _protocols(library: Mapping[str, Interaction], names: Iterable[str]) -> Panel:
    """Each interaction behavior with its steps below it."""
    boxes, arrows = [], []
    for name in names:
        steps = [f"{name}: {step}" for step in library[name].steps]
        boxes += [Box(one, k) for k, one in enumerate((name, *steps))]
        arrows += [Arrow(name, one, "down") for one in steps[:1]]
        arrows += [Arrow(one, after, "then") for one, after in itertools.pairwise(steps)]
        arrows += [Arrow(name, one, "uses") for one in library[name].uses]
    return Panel("interaction behaviors", tuple(boxes), tuple(arrows))
