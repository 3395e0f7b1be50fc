"""What is wrong with a behavior graph, a team hierarchy or a library that are sound key by key."""

from collections.abc import Callable, Collection, Iterator, Mapping

from motivation.bite.graph import hierarchy
from motivation.bite.interactions import KINDS_OF, Library
from motivation.bite.interactions.nested import NestedAllocation
from motivation.bite.settings import ALL, BiteSettings, NodeSettings
from motivation.bite.words import LEVELS, MOST_CHOICES, NODES
from motivation.graphs import reach, ring
from robotd.model.choice import INSTANCES, MissionTerms
from robotd.model.coordinator_plugin import Fault, OneOf

DEEPEST = 4  # interaction behaviors that use one another


def faults(settings: BiteSettings, mission: MissionTerms, library: Library) -> Iterator[Fault]:
    """The faults of all settings; those that later checks rest on end the search."""
    robots = set(mission.table.robots.values())
    found = [*_team_faults(settings, robots), *_names(settings, mission), *_library_faults(settings, library)]
    yield from found
    if not found:
        yield from _shape(settings)
        for name, own in settings.graph.items():
            for key, message, expected in _points(own, settings, library):
                yield ("parameters", "graph", name, key), message, expected
        yield from _nested_twice(settings, mission.unique)


def _team_faults(settings: BiteSettings, robots: Collection[str]) -> Iterator[Fault]:
    for name, members in settings.teams.items():
        at = ("parameters", "teams", name)
        if name == ALL or name in robots:
            yield at, "every hierarchy has the whole team and each robot already", "another name"
        for one in members:
            if one not in robots and one not in settings.teams and one != ALL:
                yield at, f"no robot or sub-team {one!r}", OneOf(one, [*robots, *settings.teams])
        if not members:
            yield at, "it is empty", OneOf("", robots)
        if way := ring(name, lambda one: settings.teams.get(one, ())):
            yield at, f"it contains itself: {' > '.join(way)}", "no cycle"


def _names(settings: BiteSettings, mission: MissionTerms) -> Iterator[Fault]:
    graph, tasks = settings.graph, [entry.task.id for entry in mission.table.tasks]
    if settings.start not in graph:
        message = f"no behavior {settings.start!r}" if settings.start else "execution begins nowhere"
        yield ("parameters", "start"), message, OneOf(settings.start, graph)
    if len(graph) > NODES:
        yield ("parameters", "graph"), f"{len(graph)} behaviors", f"at most {NODES}"
    teams = hierarchy(settings.teams, mission.table.robots.values())
    for name, own in graph.items():
        at = ("parameters", "graph", name)
        if name not in tasks:
            yield at, f"the mission has no task {name!r}, in [tasks.{name}]", OneOf(name, tasks)
        for key, names in (("first", own.first), ("next", own.next)):
            for one in names:
                if one not in graph:
                    yield (*at, key), f"no behavior {one!r}", OneOf(one, graph)
            if len(set(names)) < len(names) or len(names) > MOST_CHOICES:
                yield (*at, key), "a behavior is named twice or there are too many", f"{MOST_CHOICES} at most"
        if own.team and own.team not in teams:
            yield (*at, "team"), f"no sub-team {own.team!r} in the hierarchy", OneOf(own.team, teams)


def _shape(settings: BiteSettings) -> Iterator[Fault]:
    """Cycles in decomposition, behaviors that execution never reaches, chains that meet, paths too long."""
    graph = settings.graph
    below = _below(settings)
    for name in graph:
        if way := ring(name, lambda one: below[one]):
            message = f"it would be its own ancestor: {' > '.join(way)}"
            yield ("parameters", "graph", name, "first"), message, "no cycle of decomposition"
            return
    reached = reach([settings.start], lambda one: (*graph[one].first, *graph[one].next))
    for name in graph:
        if name not in reached:
            message = f"execution from {settings.start!r} never reaches it"
            yield ("parameters", "graph", name), message, "an edge to it"
    for name, own in graph.items():
        chains = [one for head in own.first for one in _chain(graph, head)]
        for one in sorted({one for one in chains if chains.count(one) > 1}):
            message = f"{one!r} is in two of its chains"
            yield ("parameters", "graph", name, "first"), message, "chains that do not meet"
    for name, level in levels(settings).items():
        if level > LEVELS:
            yield ("parameters", "graph", name), f"it is on level {level}", f"at most {LEVELS} levels"


def _nested_twice(settings: BiteSettings, unique: Collection[str]) -> Iterator[Fault]:
    """Behaviors below another one with the same coordinator inside, of which a robot can have one at once."""

    def inside(name: str) -> str:
        found = settings.interactions.get(settings.graph[name].allocate)
        return found.coordinator if found is not None else ""

    graph = settings.graph
    for name in graph:
        below = reach(graph[name].first, lambda one: (*graph[one].first, *graph[one].next))
        for one in below:
            if inside(name) in unique and inside(one) == inside(name):
                message = f"{inside(name)!r} is inside {name!r} already, and a robot can have it once at a time"
                yield ("parameters", "graph", one, "allocate"), message, "another protocol"


def _chain(graph: Mapping[str, NodeSettings], *heads: str) -> list[str]:
    return reach(heads, lambda one: graph[one].next)


def _below(settings: BiteSettings) -> dict[str, list[str]]:
    """By behavior those of the chains below it."""
    return {name: _chain(settings.graph, *own.first) for name, own in settings.graph.items()}


def levels(settings: BiteSettings) -> dict[str, int]:
    """The lowest level of each behavior, from 1, of a graph whose decompositions have no cycle."""
    depths, level, depth = dict[str, int](), _chain(settings.graph, settings.start), 1
    below = _below(settings)
    while level:
        depths |= dict.fromkeys(level, depth)
        level, depth = list(dict.fromkeys(child for one in level for child in below[one])), depth + 1
    return depths


def _points(own: NodeSettings, settings: BiteSettings, library: Library) -> Iterator[tuple[str, str, str]]:
    """Points of interaction without a protocol, or with one that is of another kind."""
    needed = {
        "decide": bool(own.team) and (len(own.next) > 1 or (own.wait and bool(own.next))),
        "allocate": len(own.first) > 1,
        "terminate": bool(own.team),
    }
    for key, is_point in needed.items():
        name, kind = getattr(own, key), KINDS_OF[key]
        known = [one for one, made in library.items() if isinstance(made, kind)]
        if not name and is_point:
            yield key, "this point has no protocol", OneOf(name, known)
        elif name and name not in library:
            yield key, f"no interaction behavior {name!r}", OneOf(name, known)
        elif name and name not in known:
            yield key, f"{name!r} is for another kind of point", OneOf(name, known)
    if own.allocate in library and (most := library[own.allocate].most_children) < len(own.first):
        yield "allocate", f"{own.allocate!r} allocates at most {most} children", f"up to {most} in first"
    both = own.team and own.terminate in library and own.decide in library
    if both and library[own.terminate].is_alone and library[own.decide].talks:
        message = "a robot that ends alone cannot decide with others"
        yield "terminate", message, "another protocol, or one without messages for decide"


def _library_faults(settings: BiteSettings, library: Library) -> Iterator[Fault]:
    nested = [name for name, own in settings.graph.items()
              if own.allocate in library and isinstance(library[own.allocate], NestedAllocation)]  # fmt: skip
    if len(nested) > INSTANCES[-1]:
        message = f"{len(nested)} behaviors with a coordinator inside"
        yield ("parameters", "graph", nested[-1], "allocate"), message, f"at most {INSTANCES[-1]}"
    uses: Callable[[str], tuple[str, ...]] = lambda one: library[one].uses if one in library else ()  # noqa: E731
    for name, own in settings.interactions.items():
        at = ("parameters", "interactions", name)
        if name not in library:
            yield (*at, "protocol"), f"no protocol {own.protocol!r}", OneOf(own.protocol, library.protocols)
            continue
        for one in library[name].uses:
            if one not in library:
                yield (*at, "teller"), f"no interaction behavior {one!r}", OneOf(one, library)
            elif not isinstance(library[one], KINDS_OF["decide"]):
                yield (*at, "teller"), f"{one!r} does not decide", "an interaction behavior that decides"
        if way := ring(name, uses):
            yield (*at, "teller"), f"it uses itself: {' > '.join(way)}", "no cycle"
        elif (deep := _uses_deep(name, uses)) > DEEPEST:
            yield (*at, "teller"), f"{deep} interaction behaviors inside one another", f"at most {DEEPEST}"
        for key, message, expected in library[name].faults():
            yield (*at, key), message, expected


def _uses_deep(name: str, uses: Callable[[str], tuple[str, ...]]) -> int:
    return 1 + max((_uses_deep(one, uses) for one in uses(name)), default=0)
