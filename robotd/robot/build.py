"""Putting a robot's mind together from its mission."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from behaviors.engine import Behaviors
from robotd.config.explain import made
from robotd.config.lookup import model_of, table_of
from robotd.config.mission import MissionFile
from robotd.files.plugins import Plugins
from robotd.model.choice import INSTANCES, Coordinator
from robotd.model.coordinator_plugin import plugin_of
from robotd.model.table import NumberTable
from robotd.robot.conditions import Conditions
from robotd.robot.mind import Mind
from robotd.robot.permission import Permission


def build_mind(
    mission: MissionFile, plugins: Plugins, robot: str, start: str, base_station_timeout_s: float = 0.0
) -> Mind:
    """The mind of `robot`, not begun; `start` and `base_station_timeout_s` as in its robot file."""
    table, control = table_of(mission, plugins), mission.control
    layers = {
        name: _made(plugins, layer.behavior or name, layer.parameters) for name, layer in mission.layers.items()
    }
    own = mission.sets_of(robot)
    sets = {name: _made(plugins, entry.behavior or name, entry.parameters) for name, entry in own.items()}
    for name, one in mission.conditions.items():
        sets[one.set] = _made(plugins, one.behavior or one.set, mission.condition_parameters(robot, name))
    terms = [(name, entry.task, mission.terms_of_set(entry)) for name, entry in own.items()]
    decision_s = control.ticks_per_decision / control.tick_hz
    of_robot = partial(mission.terms_of_robot, robot)
    return Mind(
        table,
        mission.team[robot].number,
        _coordinator(plugins, mission.coordinator.name, mission.parameters, terms, table, decision_s, of_robot),
        Behaviors(layers, sets),
        Permission(start, base_station_timeout_s),
        control.ticks_per_decision,
        Conditions(mission.conditions),
    )


def _coordinator(
    plugins: Plugins,
    name: str,
    parameters: Mapping[str, Any],
    sets: Sequence[tuple[str, str, Any]],
    table: NumberTable,
    decision_s: float,
    of_robot: Callable[[str], Mapping[str, Any]],
) -> Coordinator:
    """A coordinator, not begun; one that nests others is given what makes them.

    `of_robot`: this robot's table of a coordinator, by its name.
    """
    plugin = plugin_of(plugins.get("robotd.coordinators", name))
    own = [(name, task, model_of(plugin.SetSettings, terms)) for name, task, terms in sets]

    def make(
        name: str, parameters: Mapping[str, Any], sets: Sequence[tuple[str, str, Any]], instance: int
    ) -> Coordinator:
        if instance not in INSTANCES:
            raise ValueError(f"instance {instance} of coordinator {name!r}; expected 1 to {INSTANCES[-1]}")
        return _coordinator(plugins, name, parameters, sets, table, decision_s, of_robot)

    more = {"own": plugin.RobotSettings(**of_robot(name))} if plugin.RobotSettings is not None else {}
    nesting = {"make": make} if plugin.nests else {}
    return plugin.make(plugin.Settings(**parameters), own, table, decision_s, **more, **nesting)


def _made(plugins: Plugins, name: str, parameters: Mapping[str, Any]) -> Any:
    plugin = plugins.get("robotd.behaviors", name)
    return plugin(plugin.Settings(**parameters))


def mind_of_part(part: Mapping[str, Any], robot: str, plugins: Plugins | None = None) -> Mind:
    """The mind that a part line of a run log describes, not begun; for `replay`."""
    own, mission = part["robots"][robot], made(MissionFile, part["mission"], "the log's mission, ")
    return build_mind(mission, plugins or Plugins(), robot, own["start"], own["leash_s"])
