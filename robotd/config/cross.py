"""What no single key can say: names that must exist, numbers that must differ, and the plug-ins' own tables."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robotd.config.load import Mission, Source, plugin_settings
from robotd.config.mission import MissionFile
from robotd.config.robot import BoardPart, RobotFile
from robotd.model.facts import MAX_FACTS
from robotd.plugins import Plugins, unknown


def check_mission(mission: MissionFile, source: Source, plugins: Plugins) -> None:
    """Note every fault of a mission whose keys are all of the right kind."""
    for name, table in (("team", mission.team), ("tasks", mission.tasks), ("facts", mission.facts)):
        _numbers_differ(name, table, source)
    if len(mission.facts) > MAX_FACTS:
        source.fault(("facts",), f"{len(mission.facts)} facts; a team's frames carry at most {MAX_FACTS}")
    _check_tasks(mission, source)
    _check_changes(mission, source)
    _check_plugins(mission, source, plugins)
    _check_world(mission, source)


def _numbers_differ(name: str, table: Mapping[str, Any], source: Source) -> None:
    owners: dict[int, str] = {}
    for key, entry in table.items():
        other = owners.setdefault(entry.number, key)
        if other != key:
            source.fault((name, key, "number"), f"{entry.number} is the number of {other!r} already")


def _check_tasks(mission: MissionFile, source: Source) -> None:
    for name, task in mission.tasks.items():
        if not task.completion:
            continue
        fact = mission.facts.get(task.completion)
        if fact is None:
            source.fault(("tasks", name, "completion"), unknown("fact", task.completion, mission.facts))
        elif fact.kind not in ("flag", "count"):
            source.fault(
                ("tasks", name, "completion"), f"{task.completion!r} is a {fact.kind}; expected a flag or count"
            )
    for name, own in mission.sets.items():
        if own.task not in mission.tasks:
            source.fault(("sets", name, "task"), unknown("task", own.task, mission.tasks))


def _check_changes(mission: MissionFile, source: Source) -> None:
    types = {member.type for member in mission.team.values()}
    for name in mission.robots:
        if name not in mission.team:
            source.fault(("robots", name), unknown("robot of the team", name, mission.team))
    for name in mission.types:
        if name not in types:
            source.fault(("types", name), unknown("type of the team", name, types))
    for group, changes in (("types", mission.types), ("robots", mission.robots)):
        for name, change in changes.items():
            for own in change.sets:
                if own not in mission.sets:
                    source.fault((group, name, "sets", own), unknown("behavior set", own, mission.sets))
            for own in change.without:
                if own not in mission.sets:
                    source.fault((group, name, "without"), unknown("behavior set", own, mission.sets))


def _check_plugins(mission: MissionFile, source: Source, plugins: Plugins) -> None:
    at: tuple[str, ...]
    for name, layer in mission.layers.items():
        at = ("layers", name, "parameters")
        plugin_settings(plugins, "robotd.behaviors", layer.behavior or name, layer.parameters, source, at)
    coordinator = mission.coordinator
    at = ("coordinator", "parameters")
    found = plugin_settings(plugins, "robotd.coordinators", coordinator.name, coordinator.parameters, source, at)
    for name, own in mission.sets.items():
        at = ("sets", name, "parameters")
        plugin_settings(plugins, "robotd.behaviors", own.behavior or name, own.parameters, source, at)
        if found is not None:
            source.validate(found[0].SetSettings, own.motivation, ("sets", name, "motivation"))
    if found is None or source.problems:
        return
    for group, changes in (("types", mission.types), ("robots", mission.robots)):
        for who, change in changes.items():
            for name, own_change in change.sets.items():
                _check_change(
                    mission, found[0].SetSettings, name, own_change, source, (group, who, "sets", name), plugins
                )


def _check_change(
    mission: MissionFile,
    settings: Any,
    name: str,
    change: Any,
    source: Source,
    at: tuple[str, ...],
    plugins: Plugins,
) -> None:
    base = mission.sets[name]
    source.validate(settings, {**base.motivation, **change.motivation}, (*at, "motivation"))
    laid = {**base.parameters, **change.parameters}
    plugin_settings(plugins, "robotd.behaviors", base.behavior or name, laid, source, (*at, "parameters"))


def _check_world(mission: MissionFile, source: Source) -> None:
    if not mission.world:
        return
    from boards.mock.settings import WorldSettings

    source.validate(WorldSettings, mission.world, ("world",))


def check_robot(robot: RobotFile, mission: Mission | None, source: Source, plugins: Plugins, folder: Path) -> None:
    """Note every fault of a robot file whose keys are all of the right kind."""
    if mission is not None and robot.name not in mission.content.team:
        source.fault(("name",), unknown("robot of the mission's team", robot.name, mission.content.team))
    parts: list[tuple[tuple[str | int, ...], BoardPart]] = [(("board",), robot.board)]
    parts += [(("add_ons", k), part) for k, part in enumerate(robot.add_ons)]
    for at, part in parts:
        found = plugin_settings(plugins, "robotd.boards", part.name, part.parameters, source, (*at, "parameters"))
        if found is not None and getattr(found[0], "needs_port", False):
            _check_port(part.port, source, (*at, "port"))
    if robot.radio.name != "none":
        radio, at = robot.radio, ("radio",)
        found = plugin_settings(
            plugins, "robotd.radios", radio.name, radio.parameters, source, (*at, "parameters")
        )
        if found is not None and getattr(found[0], "needs_port", False):
            _check_port(radio.port, source, (*at, "port"))
        _check_key(folder / radio.key_file, source)


def _check_port(port: str, source: Source, at: tuple[str | int, ...]) -> None:
    if not port:
        source.fault(at, "this device needs a port: serial:///dev/serial/by-id/..., /dev/... or tcp://host:port")
        return
    path = port.removeprefix("serial://").partition("?")[0]
    if not port.startswith("tcp://") and not Path(path).exists():
        source.fault(at, f"{path} is not there; plug the device in, or name one of /dev/serial/by-id/")


def _check_key(path: Path, source: Source) -> None:
    at = ("radio", "key_file")
    try:
        text = path.read_text(encoding="ascii").strip()
        mode = stat.S_IMODE(os.stat(path).st_mode)
    except (OSError, ValueError):
        source.fault(at, f"{path} cannot be read; make one for the whole team with: robotd keygen {path}")
        return
    if len(text) != 64 or not set(text.lower()) <= set("0123456789abcdef"):
        source.fault(at, f"{path} is not a key of 64 hexadecimal digits; make one with: robotd keygen")
    if mode & 0o077:
        source.fault(at, f"{path} can be read by others (mode {mode:04o}); run: chmod 0600 {path}")
