"""Task coverage: which robots of a team can do which task (paper 000, definition 2 and condition 1)."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from robotd.config.load import Mission
from robotd.config.lookup import model_of
from robotd.model.coordinator_plugin import CoordinatorPlugin, plugin_of
from robotd.model.value import value


@value
class Coverage:
    """Which robots can do one task, by name.

    `able`: the behavior sets with which a robot can do it. `missing`: what a robot that has sets for it, and can
    do it with none of them, does not have. `needs`: what each set for the task needs.
    """

    able: dict[str, tuple[str, ...]]
    missing: dict[str, tuple[str, ...]]
    needs: dict[str, tuple[str, ...]]

    def as_json(self) -> dict[str, Any]:
        """For `--json`: names alone, sorted, and what is missing by robot."""
        return {
            "robots": sorted(self.able),
            "needs": sorted({need for needs in self.needs.values() for need in needs}),
            "lacking": sorted(self.missing),
            "sets": {robot: list(names) for robot, names in sorted(self.able.items())},
            "missing": {robot: list(parts) for robot, parts in sorted(self.missing.items())},
        }


@value
class Body:
    """The resources that a body is built with, and those that it may report once it answers."""

    built: frozenset[str]
    optional: frozenset[str] = frozenset()

    def lacks(self, needs: Iterable[str]) -> set[str]:
        """The needed resources that it certainly does not have."""
        return set(needs) - self.built - self.optional

    def unknown(self, needs: Iterable[str]) -> set[str]:
        """The needed resources that it may have."""
        return set(needs) & self.optional - self.built


def coverage(mission: Mission, bodies: Mapping[str, Body] | None = None) -> dict[str, Coverage]:
    """Which robots can do each task, in declared order; robots not in `bodies` as they are simulated.

    Tasks that no robot works on itself are left out.
    """
    known = bodies or {}
    everyone = {
        name: known.get(name) or _simulated(mission.content.body_of(name)) for name in mission.content.team
    }
    content = mission.content
    plugin = plugin_of(mission.plugins.get("robotd.coordinators", content.coordinator.name))
    terms_of = {task: model_of(plugin.TaskSettings, content.terms_of_task(task)) for task in content.tasks}
    team = {robot: _member(mission, robot, plugin, everyone[robot]) for robot in sorted(content.team)}
    return {
        task: _of_task(task, set(plugin.resources_of(terms)), team)
        for task, terms in terms_of.items() if not plugin.is_node(terms)
    }  # fmt: skip


class _Member(NamedTuple):
    """A robot: its body, the resources that it has besides, and what each of its sets needs, by task."""

    body: Body
    has: frozenset[str]
    needs: Mapping[str, Mapping[str, tuple[str, ...]]]


def _member(mission: Mission, robot: str, plugin: CoordinatorPlugin, body: Body) -> _Member:
    needs: dict[str, dict[str, tuple[str, ...]]] = {}
    for name, own in mission.content.sets_of(robot).items():
        behavior = mission.plugins.get("robotd.behaviors", own.behavior or name)
        needs.setdefault(own.task, {})[name] = behavior.needs
    has = plugin.resources_of(model_of(plugin.RobotSettings, mission.content.terms_of_robot(robot)))
    return _Member(body, frozenset(has), needs)


def _of_task(task: str, wanted: set[str], team: Mapping[str, _Member]) -> Coverage:
    able: dict[str, tuple[str, ...]] = {}
    missing: dict[str, tuple[str, ...]] = {}
    all_needs: dict[str, tuple[str, ...]] = {}
    for robot, member in team.items():
        needs = {name: (*of, *sorted(wanted - set(of))) for name, of in member.needs.get(task, {}).items()}
        lacks = member.body.lacks({need for each in needs.values() for need in each}) - member.has
        fit = tuple(name for name, of in needs.items() if not lacks & set(of))
        all_needs.update(needs)
        if fit:
            able[robot] = fit
        elif needs:
            missing[robot] = tuple(sorted(lacks))
    return Coverage(able, missing, all_needs)


def coverage_warnings(of: Mapping[str, Coverage], robots: int) -> list[str]:
    """The tasks that no robot, or a single one of `robots`, can do."""
    warnings = []
    for task, own in of.items():
        able = sorted(own.able)
        if not able:
            lack = "; ".join(f"{robot} lacks {', '.join(parts)}" for robot, parts in sorted(own.missing.items()))
            why = f": {lack}" if lack else ": no robot has a behavior set for it"
            warnings.append(f"no robot of the team can do {task!r}{why}")
        elif len(able) == 1 and robots > 1:
            warnings.append(f"only {able[0]} can do {task!r}: if it fails, the task stays undone")
    return warnings


def _simulated(settings: Mapping[str, Any]) -> Body:
    from boards.mock.settings import BodySettings, resources_of

    return Body(frozenset(resources_of(BodySettings(**settings))))
