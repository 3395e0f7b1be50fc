"""Putting a robot's mind together from its mission."""

from collections.abc import Mapping, Sequence
from typing import Any

from behaviors.engine import Behaviors
from robotd.config.explain import build_model
from robotd.config.lookup import model_of, table_of
from robotd.config.mission import MissionFile
from robotd.config.tuning import tuned
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
    named = [(name, entry.task, None) for name, entry in own.items()]
    decision_s = control.ticks_per_decision / control.tick_hz

    def remake(words: Sequence[str]) -> Coordinator:
        changed = tuned(mission, words) if words else mission
        name, own_tables = changed.coordinator.name, _OwnTables(changed, robot)
        return _coordinator(plugins, name, changed.parameters, named, table, decision_s, own_tables)

    return Mind(
        table,
        mission.team[robot].number,
        remake(()),
        Behaviors(layers, sets),
        Permission(start, base_station_timeout_s),
        control.ticks_per_decision,
        Conditions(mission.conditions),
        remake,
    )


class _OwnTables:
    """What a mission file has for a coordinator of one robot, the one in force or one inside it, by its name."""

    def __init__(self, mission: MissionFile, robot: str) -> None:
        self._mission, self._robot, self._sets = mission, robot, mission.sets_of(robot)

    def of_robot(self, name: str) -> Mapping[str, Any]:
        return self._mission.terms_of_robot(self._robot, name)

    def of_set(self, own: str, name: str) -> Mapping[str, Any]:
        return self._mission.terms_of_set(self._sets[own], name)


def _coordinator(
    plugins: Plugins,
    name: str,
    parameters: Mapping[str, Any],
    sets: Sequence[tuple[str, str, Any]],
    table: NumberTable,
    decision_s: float,
    own: _OwnTables,
) -> Coordinator:
    """A coordinator, not begun; one that nests others is given what makes them.

    `sets`: set, task, and the table of its motivation; None: that of the mission file.
    """
    plugin = plugin_of(plugins.get("robotd.coordinators", name))
    tables = [(one, task, own.of_set(one, name) if given is None else given) for one, task, given in sets]
    terms = [(one, task, model_of(plugin.SetSettings, given)) for one, task, given in tables]

    def make(
        name: str, parameters: Mapping[str, Any], sets: Sequence[tuple[str, str, Any]], instance: int
    ) -> Coordinator:
        if instance not in INSTANCES:
            raise ValueError(f"instance {instance} of coordinator {name!r}; expected 1 to {INSTANCES[-1]}")
        return _coordinator(plugins, name, parameters, sets, table, decision_s, own)

    more = {"own": plugin.RobotSettings(**own.of_robot(name))} if plugin.RobotSettings is not None else {}
    nesting = {"make": make} if plugin.nests else {}
    return plugin.make(plugin.Settings(**parameters), terms, table, decision_s, **more, **nesting)


def _made(plugins: Plugins, name: str, parameters: Mapping[str, Any]) -> Any:
    plugin = plugins.get("robotd.behaviors", name)
    return plugin(plugin.Settings(**parameters))


def mind_of_part(part: Mapping[str, Any], robot: str, plugins: Plugins | None = None) -> Mind:
    """The mind that a part line of a run log describes, not begun; for `replay`."""
    own, mission = part["robots"][robot], build_model(MissionFile, part["mission"], "the log's mission, ")
    return build_mind(mission, plugins or Plugins(), robot, own["start"], own["leash_s"])
