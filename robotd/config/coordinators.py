"""The tables of a mission that coordinators bring: the one in force, and those that `--coordinator` may choose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from radio.codec import Codec
from robotd.config.lookup import find_plugin, model_of, table_of
from robotd.config.mission import CoordinatorFile, MissionFile
from robotd.config.schema import Path_
from robotd.config.source import Source
from robotd.config.tables import GROUPS, Table, changes_of, check_change, table, tables
from robotd.files.plugins import Plugins
from robotd.model.choice import MissionTerms
from robotd.model.coordinator_plugin import CoordinatorPlugin, plugin_of

GROUP = "robotd.coordinators"


def check_coordinators(source: Source, plugins: Plugins) -> None:
    """Note every fault of tables that coordinators bring, whatever is wrong with the rest of the file."""
    in_force = table(source.data, "coordinator").get("name", CoordinatorFile().name)
    mentioned: dict[str, Path_] = {in_force: ("coordinator", "name")} if isinstance(in_force, str) else {}
    for path in _keyed(source.data):
        mentioned.setdefault(str(path[-1]), path)
    for name, path in mentioned.items():
        plugin = find_plugin(plugins, GROUP, name, source, path)
        if plugin is not None:
            _check_one(plugin_of(plugin), name, plugins, source, in_force=name == in_force)


def _keyed(data: Table) -> Iterator[Path_]:
    """The paths of all tables that are keyed by a coordinator."""
    for name in table(data, "coordinators"):
        yield ("coordinators", name)
    for group in ("tasks", "sets", *GROUPS):
        for key, own in tables(data, group):
            yield from ((group, key, "terms", name) for name in table(own, "terms"))
            yield from (
                (group, key, "sets", changed, "terms", name)
                for changed, change in tables(own, "sets")
                for name in table(change, "terms")
            )


def _check_one(plugin: CoordinatorPlugin, name: str, plugins: Plugins, source: Source, *, in_force: bool) -> None:
    """The tables of one coordinator; of one that is not in force, those that name it."""
    data = source.data
    if name in table(data, "coordinators"):
        own, at = table(table(data, "coordinators"), name), ("coordinators", name)
        _check_nested(plugin, source.validate(plugin.Settings, own, at), at, plugins, source)
    elif in_force:
        own, at = table(table(data, "coordinator"), "parameters"), ("coordinator", "parameters")
        _check_nested(plugin, source.validate(plugin.Settings, own, at), at, plugins, source)
    for task, own in tables(data, "tasks"):
        _check_terms(plugin.TaskSettings, own, ("tasks", task), name, source, in_force=in_force)
    for set_name, own in tables(data, "sets"):
        _check_set(plugin, name, set_name, own, source, in_force=in_force)
    for group in GROUPS:
        for who, own in tables(data, group):
            base = _type_terms(data, who, name) if group == "robots" else {}
            _check_terms(plugin.RobotSettings, own, (group, who), name, source, base, in_force=in_force)


def _check_nested(
    coordinator: CoordinatorPlugin, settings: Any, at: Path_, plugins: Plugins, source: Source
) -> None:
    """Note every fault of the coordinators inside a coordinator, whose settings (None: faulty) are from `at`."""
    for inner in coordinator.nested(settings) if settings is not None else ():
        where = (*at, *inner.path)
        found = find_plugin(plugins, GROUP, inner.plugin, source, where)
        if found is None:
            continue
        plugin = plugin_of(found)
        model = plugin.Settings if inner.model == "Settings" else plugin.SetSettings
        own = source.validate(model, inner.table, where) if model is not None else None
        if inner.model == "Settings":
            _check_nested(plugin, own, where, plugins, source)


def _type_terms(data: Table, robot: str, name: str) -> Table:
    kind = table(table(data, "team"), robot).get("type")
    return table(table(table(table(data, "types"), str(kind)), "terms"), name)


def _check_terms(
    kind: type[BaseModel] | None, own: Table, at: Path_, name: str, source: Source, base: Table | None = None, *,
    in_force: bool,
) -> None:  # fmt: skip
    given = name in table(own, "terms")
    path = (*at, "terms", name)
    if kind is None and given:
        source.fault(path, f"coordinator {name!r} has no settings of {at[0]}", "no table here")
    elif kind is not None and (given or in_force):
        source.validate(kind, {**(base or {}), **table(table(own, "terms"), name)}, path)


def _check_set(
    plugin: CoordinatorPlugin, name: str, set_name: str, own: Table, source: Source, *, in_force: bool
) -> None:
    """Its settings of a set stand in `terms`, or, if it is in force, in `motivation`."""
    at = ("sets", set_name)
    kind = plugin.SetSettings
    keyed = name in table(own, "terms")
    if kind is None or keyed or not in_force:
        _check_terms(kind, own, at, name, source, in_force=False)
    else:
        source.validate(kind, table(own, "motivation"), (*at, "motivation"))
    for path, change in changes_of(source.data, set_name):
        if kind is None and name in table(change, "terms"):
            source.fault((*path, "terms", name), f"coordinator {name!r} has no settings of sets", "no table here")
        elif kind is not None and keyed:
            base, new = table(table(own, "terms"), name), table(table(change, "terms"), name)
            check_change(kind, base, new, source, (*path, "terms", name))
        elif kind is not None and in_force:
            check_change(
                kind, table(own, "motivation"), table(change, "motivation"), source, (*path, "motivation")
            )


def check_plan(mission: MissionFile, plugins: Plugins, source: Source) -> None:
    """Note what the coordinator in force finds wrong with its settings of a mission that is sound otherwise.

    Its statement kinds and facts must have room in the table and in a record; then its `check` is asked.
    """
    name = mission.coordinator.name
    coordinator = plugin_of(plugins.get(GROUP, name))
    try:
        number_table = table_of(mission, plugins)
        Codec(number_table)
    except ValueError as error:
        source.fault(("coordinator", "name"), f"{name!r} cannot be used: {error}")
        return
    terms = MissionTerms(
        number_table,
        {task: model_of(coordinator.TaskSettings, mission.terms_of_task(task)) for task in mission.tasks},
        {
            own: (entry.task, model_of(coordinator.SetSettings, mission.terms_of_set(entry)))
            for own, entry in mission.sets.items()
        },
        {robot: model_of(coordinator.RobotSettings, mission.terms_of_robot(robot)) for robot in mission.team},
    )
    for path, message, expected in coordinator.check(coordinator.Settings(**mission.parameters), terms):
        source.fault(_path_of(path, name, mission), message, expected)


def _path_of(path: Path_, name: str, mission: MissionFile) -> Path_:
    """Where the settings at `path`, as a coordinator's `check` names it, stand in the file."""
    group, *rest = path
    if group == "parameters":
        return (
            ("coordinators", name, *rest) if name in mission.coordinators else ("coordinator", "parameters", *rest)
        )
    holder, *keys = rest
    if group == "sets" and name not in mission.sets[str(holder)].terms:
        return ("sets", holder, "motivation", *keys)
    return (group, holder, "terms", name, *keys)
