"""The tables of a mission that plug-ins and the simulated world bring, checked whatever is wrong with the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from radio.codec import Codec
from robotd.config.load import Source, extended, find_plugin, settings_of
from robotd.config.mission import CoordinatorFile, MissionFile
from robotd.config.schema import Path_
from robotd.files.plugins import Plugins
from robotd.model.choice import Nests
from robotd.model.table import NumberTable

GROUPS = ("types", "robots")  # tables that change sets, and tell bodies, by name
EMPTY = NumberTable((), (), ())
Table = Mapping[str, Any]


def check_tables(source: Source, plugins: Plugins) -> None:
    """Note every fault of settings that plug-ins and the simulated world bring; what is no table is left alone."""
    data = source.data
    for name, layer in tables(data, "layers"):
        _check_behavior(plugins, ("layers", name), layer, source)
    for name, one in tables(data, "conditions"):
        _check_behavior(plugins, ("conditions", name), one, source, "set")
    coordinator = _coordinator(source, plugins)
    for name, own in tables(data, "sets"):
        behavior = _check_behavior(plugins, ("sets", name), own, source)
        kinds = {"parameters": settings_of(behavior), "motivation": settings_of(coordinator, "SetSettings")}
        if kinds["motivation"] is not None:
            source.validate(kinds["motivation"], table(own, "motivation"), ("sets", name, "motivation"))
        for at, change in _changes(data, name):
            for part, kind in kinds.items():
                if kind is not None:
                    _check_change(kind, table(own, part), table(change, part), source, (*at, part))
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


def _coordinator(source: Source, plugins: Plugins) -> Any | None:
    given = table(source.data, "coordinator")
    name = given.get("name", CoordinatorFile().name)
    if not isinstance(name, str):
        return None
    found = find_plugin(plugins, "robotd.coordinators", name, source, ("coordinator", "name"))
    if found is not None:
        settings = source.validate(settings_of(found), table(given, "parameters"), ("coordinator", "parameters"))
        if settings is not None and _check_nested(found, settings, ("coordinator", "parameters"), plugins, source):
            _check_own(found, name, table(given, "parameters"), plugins, source)
    return found


def _check_nested(coordinator: Any, settings: Any, at: Path_, plugins: Plugins, source: Source) -> bool:
    """Note every fault of the coordinators inside a coordinator, whose parameters are at `at`; false for any."""
    sound = True
    for inner in coordinator.nested(settings) if isinstance(coordinator, Nests) else ():
        where = (*at, *inner.path)
        plugin = find_plugin(plugins, "robotd.coordinators", inner.plugin, source, where)
        model = settings_of(plugin, inner.model) if plugin is not None else None
        own = source.validate(model, inner.table, where) if model is not None else None
        sound = sound and own is not None
        if own is not None and inner.model == "Settings":
            sound = _check_nested(plugin, own, where, plugins, source) and sound
    return sound


def _check_own(coordinator: Any, name: str, parameters: Table, plugins: Plugins, source: Source) -> None:
    """The statement kinds and facts that a coordinator brings must have room in the table and in a record."""
    declared = source.draft(MissionFile)
    try:
        Codec(extended(declared.table() if declared is not None else EMPTY, coordinator, parameters, plugins))
    except ValueError as error:
        source.fault(("coordinator", "name"), f"{name!r} cannot be used: {error}")


def _check_behavior(
    plugins: Plugins, at: tuple[str, str], own: Table, source: Source, default: str = ""
) -> Any | None:
    """Note the faults of a behavior's table; `default`: the key that names the plug-in instead of `behavior`."""
    key = "behavior" if "behavior" in own else default
    name, where = (own.get(key), (*at, key)) if key else (at[1], at)
    if not isinstance(name, str):
        return None
    found = find_plugin(plugins, "robotd.behaviors", name, source, where)
    if found is not None:
        source.validate(settings_of(found), table(own, "parameters"), (*at, "parameters"))
    return found


def _changes(data: Table, set_name: str) -> Iterator[tuple[tuple[str, ...], Table]]:
    for group in GROUPS:
        for who, change in tables(data, group):
            for name, own in tables(change, "sets"):
                if name == set_name:
                    yield (group, who, "sets", name), own


def _check_change(kind: Any, base: Table, own: Table, source: Source, at: Path_) -> None:
    """A table laid over another: the faults that the change itself brings."""
    trial = Source(source.file, source.text, source.data)
    if own and trial.validate(kind, base) is not None:
        source.validate(kind, {**base, **own}, at)


def _check_world(source: Source) -> None:
    from boards.mock.settings import BodySettings, WorldSettings

    source.validate(WorldSettings, table(source.data, "world"), ("world",))
    for group in GROUPS:
        for name, change in tables(source.data, group):
            source.validate(BodySettings, table(change, "body"), (group, name, "body"))
