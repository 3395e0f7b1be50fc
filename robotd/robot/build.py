"""Putting a robot's mind together from its mission."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from behaviors.engine import Behaviors
from robotd.config.explain import made
from robotd.config.load import table_of
from robotd.config.mission import MissionFile
from robotd.files.plugins import Plugins
from robotd.robot.conditions import Condition, Conditions
from robotd.robot.mind import Mind
from robotd.robot.permission import Permission


def build_mind(
    mission: MissionFile, plugins: Plugins, robot: str, start: str, base_station_timeout_s: float = 0.0
) -> Mind:
    """The mind of `robot`, not begun; `start` and `base_station_timeout_s` as in its robot file."""
    table = table_of(mission, plugins)
    own = mission.sets_of(robot)
    layers = {
        name: _made(plugins, layer.behavior or name, layer.parameters) for name, layer in mission.layers.items()
    }
    sets = {name: _made(plugins, entry.behavior or name, entry.parameters) for name, entry in own.items()}
    for one in mission.conditions.values():
        sets[one.set] = _made(plugins, one.behavior or one.set, one.parameters)
    coordinator = plugins.get("robotd.coordinators", mission.coordinator.name)
    settings = coordinator.Settings(**mission.coordinator.parameters)
    motivations = [(name, entry.task, coordinator.SetSettings(**entry.motivation)) for name, entry in own.items()]
    decision_s = mission.control.ticks_per_decision / mission.control.tick_hz
    return Mind(
        table,
        mission.team[robot].number,
        coordinator(settings, motivations, table, decision_s),
        Behaviors(layers, sets),
        Permission(start=start, base_station_timeout_s=base_station_timeout_s),
        mission.control.ticks_per_decision,
        Conditions(
            [
                Condition(name, one.sense, one.below, one.until, one.set, one.between_tasks)
                for name, one in mission.conditions.items()
            ]
        ),
    )


def _made(plugins: Plugins, name: str, parameters: Mapping[str, Any]) -> Any:
    plugin = plugins.get("robotd.behaviors", name)
    return plugin(plugin.Settings(**parameters))


def mind_of_part(part: Mapping[str, Any], robot: str, plugins: Plugins | None = None) -> Mind:
    """The mind that a part line of a run log describes, not begun; for `replay`."""
    own = part["robots"][robot]
    return build_mind(
        made(MissionFile, part["mission"], "the log's mission, "),
        plugins or Plugins(),
        robot,
        own["start"],
        own["leash_s"],
    )
