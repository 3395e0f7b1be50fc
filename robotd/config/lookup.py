"""A mission with its plug-ins, and finding plug-ins by the keys that name them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

from pydantic import BaseModel

from behaviors.parts import Behavior, BehaviorPlugin
from robotd.config.mission import MissionFile
from robotd.config.schema import Path_
from robotd.config.source import Source
from robotd.files.plugins import Plugins, UnknownPlugin
from robotd.files.refusal import advise_install
from robotd.model.coordinator_plugin import CoordinatorPlugin, plugin_of
from robotd.model.facts import FactKind
from robotd.model.statements import StatementKind
from robotd.model.table import NumberTable

COORDINATORS = "robotd.coordinators"
B = TypeVar("B", bound=BehaviorPlugin)
FOREIGN = (
    ArithmeticError, AssertionError, AttributeError, ImportError, LookupError, NameError, OSError, RuntimeError,
    SyntaxError, TypeError, ValueError,
)  # fmt: skip
"""What a plug-in file may raise while it is imported; each is reported as a fault of the file."""


@dataclass(frozen=True)
class Mission:
    """A mission without faults: its file's content, where it came from, and its plug-ins."""

    content: MissionFile
    source: str
    plugins: Plugins

    @cached_property
    def table(self) -> NumberTable:
        """The number table that all robots must share."""
        return table_of(self.content, self.plugins)

    def as_data(self) -> dict[str, Any]:
        """The content as plain JSON, for a run log."""
        return self.content.model_dump(mode="json")


def table_of(content: MissionFile, plugins: Plugins) -> NumberTable:
    """A mission's number table, with its coordinator's kinds and facts (see `CoordinatorPlugin`).

    UnknownPlugin, ValueError where it cannot be.
    """
    every = [*_each_coordinator(content.coordinator.name, content.parameters, plugins)]
    table = _with_terms(content, every)
    kinds: dict[StatementKind, None] = {}  # of it and of those inside it, each once
    facts: dict[FactKind, None] = {}
    plans = []
    for one, plugin, settings in every:
        kinds |= dict.fromkeys(plugin.own_kinds)
        facts |= dict.fromkeys(plugin.own_facts(settings, table))
        agreed = plugin.agrees(settings)
        plans += [[one, agreed]] if agreed is not None else []
    plan = _canonical(plans if len(plans) > 1 else plans[0]) if plans else ""
    return table.extended(tuple(kinds), tuple(facts), plan)


def _with_terms(content: MissionFile, every: Sequence[tuple[str, CoordinatorPlugin, Any]]) -> NumberTable:
    """The mission's table with the terms of each task: the coordinator's, and those given to one inside it."""
    table, tasks = content.table(), []
    (_, outer, _), *inside = every
    models = {"": outer.TaskSettings} | {name: plugin.TaskSettings for name, plugin, _ in inside}
    for entry in table.tasks:
        terms: dict[str, Any] = {}
        for name, model in models.items():
            own = content.terms_of_task(entry.task.id, name)
            if model is not None and (own or not name):
                terms |= model(**own).model_dump(mode="json")
        tasks.append(replace(entry, terms=_canonical(terms) if terms else ""))
    return replace(table, tasks=tuple(tasks))


def _each_coordinator(
    name: str, parameters: Mapping[str, Any], plugins: Plugins
) -> Iterator[tuple[str, CoordinatorPlugin, Any]]:
    """A coordinator with such parameters, and those inside it: name, plug-in and settings of each."""
    plugin = plugin_of(plugins.get(COORDINATORS, name))
    settings = plugin.Settings(**parameters)
    yield name, plugin, settings
    for inner in plugin.nested(settings):
        if inner.model == "Settings" and inner.tasks != ():
            yield from _each_coordinator(inner.plugin, inner.table, plugins)


def _canonical(data: Any) -> str:
    """Plain data as JSON, the same text whatever the order of its keys."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


def format_error(error: BaseException) -> str:
    """What went wrong in a plug-in's file: what to install, the message, or class and message."""
    if isinstance(error, ImportError) and (advice := advise_install(error)):
        return advice
    return str(error) if isinstance(error, ValueError | OSError) else f"{type(error).__name__}: {error}"


def find_plugin(plugins: Plugins, group: str, name: str, source: Source, at: Path_) -> Any | None:
    """The plug-in called `name`, as the key at `at` has it; None, with the fault noted, where there is none."""
    try:
        plugin = plugins.get(group, name)
    except UnknownPlugin:
        source.is_known(at, group.partition(".")[2].rstrip("s"), name, plugins.names(group))
    except FOREIGN as error:
        source.fault(at, f"{name!r} cannot be loaded: {format_error(error)}")
    else:
        if getattr(plugin, "Settings", None) is not None:
            return plugin
        source.fault(at, f"{name!r} is no plug-in of {group}: it has no Settings")
    return None


def find_behavior(plugins: Plugins, kind: type[B], name: str, source: Source, at: Path_) -> type[B] | None:
    """The behavior plug-in called `name`, a layer (`Behavior`) or a set (`BehaviorSet`); see `find_plugin`."""
    found = find_plugin(plugins, "robotd.behaviors", name, source, at)
    if found is None or (isinstance(found, type) and issubclass(found, kind)):
        return found
    what = "layer" if kind is Behavior else "behavior set"
    source.fault(at, f"{name!r} is no {what}: expected a class derived from `{kind.__name__}`", f"a {what}")
    return None


def model_of(kind: type[BaseModel] | None, data: Mapping[str, Any]) -> Any:
    """An instance of a plug-in's model, of a table that fits; None where the plug-in has no such table."""
    return None if kind is None else kind(**data)
