"""Names in what behaviors bring to a mission: tasks and facts that must exist, arguments that tasks must have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel

from behaviors.parts import BehaviorPlugin, BehaviorSet
from robotd.config.lookup import find_behavior
from robotd.config.mission import MissionFile
from robotd.config.schema import Path_
from robotd.config.source import Source
from robotd.files.nearest import nearest
from robotd.files.plugins import Plugins


class Named(NamedTuple):
    """A key that names something: its path in its table, whether a `task` or a `fact`, and what kind of fact."""

    path: Path_
    what: str
    kind: str
    name: str


def check_names(mission: MissionFile, plugins: Plugins, source: Source) -> None:
    """Note every name in settings of behavior sets that is nobody's, and every argument that their tasks lack."""
    nowhere = Source(source.file, source.text, source.data)  # what it cannot be made of is noted already
    for name, own in mission.sets.items():
        behavior = find_behavior(plugins, BehaviorSet, own.behavior or name, nowhere, ("sets", name))
        if behavior is not None:
            _check_args(behavior, name, own.task, mission, source)
            _check_changed(behavior.Settings, ("sets", name), own.parameters, mission, source)
    for name, one in mission.conditions.items():
        behavior = find_behavior(plugins, BehaviorSet, one.behavior or one.set, nowhere, ("conditions", name))
        if behavior is not None:
            _check_changed(behavior.Settings, ("conditions", name), one.parameters, mission, source)


def _check_changed(
    kind: Any, at: tuple[str, str], base: Mapping[str, Any], mission: MissionFile, source: Source
) -> None:
    """The names in the settings `base` of the set or condition at `at`, and in what types and robots change."""
    _check_settings(kind, base, base, at, mission, source)
    for group, changes in (("types", mission.types), ("robots", mission.robots)):
        for robot, change in changes.items():
            own = getattr(change, at[0]).get(at[1])
            if own is not None:
                new = own.parameters
                _check_settings(kind, {**base, **new}, new, (group, robot, *at), mission, source)


def _check_settings(
    kind: Any, whole: Mapping[str, Any], own: Mapping[str, Any], at: Path_, mission: MissionFile, source: Source
) -> None:
    """The names in the settings `whole`, of which the keys in `own` stand in the table of parameters at `at`."""
    settings = Source(source.file, source.text, source.data).validate(kind, whole)
    for named in _named(settings, ()) if isinstance(settings, BaseModel) else ():
        if named.path[0] not in own:
            continue
        place, there = (*at, "parameters", *named.path), source.names(f"{named.what}s")
        fact = mission.facts.get(named.name)
        if named.name not in there:
            source.fault_unknown(place, named.what, named.name, there)
        elif named.kind and fact is not None and fact.kind != named.kind:
            source.fault(place, f"{named.name!r} is a {fact.kind}; expected a {named.kind}", f"a {named.kind}")


def _named(settings: BaseModel, at: Path_) -> Iterator[Named]:
    for key, field in type(settings).model_fields.items():
        extra, value = field.json_schema_extra, getattr(settings, key)
        entries = enumerate(value) if isinstance(value, tuple) else [(None, value)]
        for index, entry in entries:
            path = (*at, key) if index is None else (*at, key, index)
            if isinstance(entry, BaseModel):
                yield from _named(entry, path)
            elif isinstance(extra, dict) and "names" in extra:
                yield Named(path, str(extra["names"]), str(extra.get("kind", "")), entry)


def _check_args(
    behavior: type[BehaviorPlugin], name: str, task: str, mission: MissionFile, source: Source
) -> None:
    """What set `name` reads of its task's arguments must be there, and be one of the values that it knows."""
    if task not in mission.tasks:
        return
    args, at = mission.tasks[task].args, ("tasks", task, "args")
    for key, values in behavior.args.items() if isinstance(behavior.args, Mapping) else ():
        expected = f"one of {', '.join(map(repr, values))}" if values else "a text"
        if key not in args:
            source.fault(at, f"set {name!r} reads {key!r}, which is not there; expected {expected}", expected)
        elif values and args[key] not in values:
            message = f"set {name!r} does not know {key} {args[key]!r}; expected {expected}"
            source.fault((*at, key), message, expected, nearest(args[key], values))
