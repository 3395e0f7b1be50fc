"""The tables of a mission that plug-ins and the simulated world bring, checked whatever is wrong with the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from behaviors.parts import Behavior, BehaviorSet
from boards.mock.settings import BodySettings, WorldSettings
from robotd.config.lookup import B, find_behavior
from robotd.config.schema import Path_
from robotd.config.source import Source
from robotd.files.plugins import Plugins

GROUPS = ("types", "robots")  # tables that change sets, and give bodies, by name
Table = Mapping[str, Any]


def check_tables(source: Source, plugins: Plugins) -> None:
    """Note every fault of settings that plug-ins and the simulated world bring; what is no table is left alone."""
    data = source.data
    for name, layer in tables(data, "layers"):
        _check_behavior(plugins, Behavior, ("layers", name), layer, source)
    for kind, default in (("conditions", "set"), ("sets", "")):
        for name, own in tables(data, kind):
            behavior = _check_behavior(plugins, BehaviorSet, (kind, name), own, source, default)
            if behavior is None:
                continue
            base = table(own, "parameters")
            for at, change in changes_of(data, name, kind):
                check_change(behavior.Settings, base, table(change, "parameters"), source, (*at, "parameters"))
    _check_world(source)


def table(holder: Any, key: str) -> Table:
    """The table at `key` of what may be a table; empty where there is none."""
    found = holder.get(key) if isinstance(holder, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def tables(holder: Any, key: str) -> Iterator[tuple[str, Table]]:
    """The tables in the table at `key`, by name."""
    for name, inner in table(holder, key).items():
        if isinstance(inner, Mapping):
            yield name, inner


def _check_behavior(
    plugins: Plugins, kind: type[B], at: tuple[str, str], own: Table, source: Source, default: str = ""
) -> type[B] | None:
    """Note the faults of a behavior's table; `default`: the key that names the plug-in instead of `behavior`."""
    key = "behavior" if "behavior" in own else default
    name, where = (own.get(key), (*at, key)) if key else (at[1], at)
    if not isinstance(name, str):
        return None
    found = find_behavior(plugins, kind, name, source, where)
    if found is not None:
        source.validate(found.Settings, table(own, "parameters"), (*at, "parameters"))
    return found


def changes_of(data: Table, changed: str, kind: str = "sets") -> Iterator[tuple[tuple[str, ...], Table]]:
    """What types and robots change of a set, or of a condition (`kind`), each with its key path."""
    for group in GROUPS:
        for robot, change in tables(data, group):
            for name, own in tables(change, kind):
                if name == changed:
                    yield (group, robot, kind, name), own


def check_change(kind: Any, base: Table, own: Table, source: Source, at: Path_) -> None:
    """A table over another: the faults that the change itself brings."""
    trial = Source(source.file, source.text, source.data)
    if own and trial.validate(kind, base) is not None:
        source.validate(kind, {**base, **own}, at)


def _check_world(source: Source) -> None:
    world = source.validate(WorldSettings, table(source.data, "world"), ("world",))
    if isinstance(world, WorldSettings):
        _check_aims(world, source)
    for group in GROUPS:
        for name, change in tables(source.data, group):
            source.validate(BodySettings, table(change, "body"), (group, name, "body"))


def _check_aims(world: WorldSettings, source: Source) -> None:
    """What the goal asks of a world that does not have it would be brought about from the start."""
    there = {
        "delivered": world.spills,
        "clean": world.areas,
        "box": world.box,
        "finish": world.finish.y_m is not None,
        "touched": world.pucks,
    }
    asked = table(source.data, "goal").get("world")
    for k, aim in enumerate(asked if isinstance(asked, list | tuple) else ()):
        if aim in there and not there[aim]:
            has = [name for name, thing in there.items() if thing]
            source.fault(
                ("goal", "world", k), f"[world] has nothing for {aim!r}", f"one of {', '.join(has) or 'none'}"
            )
