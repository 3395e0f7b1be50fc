"""The scenario events of a run: those of the mission file and those of the command line."""

from __future__ import annotations

from collections.abc import Sequence

from robotd.config.events import ScenarioEvent, check, parse
from robotd.config.load import ConfigError, Mission, Problem
from robotd.config.task_order import check_order, split_order


def script_of(mission: Mission, events: Sequence[str]) -> list[ScenarioEvent]:
    """The mission's own events and `events`; ConfigError names every one that cannot happen."""
    own = [ScenarioEvent(e.at_s, e.verb, e.who, e.arg) for e in mission.content.event]
    problems: list[Problem] = []
    script: list[ScenarioEvent] = []
    for where, key, made in ((mission.source, "event", own), ("--event", "", list(events))):
        for entry in made:
            try:
                event = parse(entry) if isinstance(entry, str) else entry
                check(event, mission.content.team, mission.content.tasks, mission.content.named_resources())
                if event.verb == "add-task":
                    _check_added(event, mission)
            except ValueError as error:
                problems.append(Problem(where, 0, key, str(error)))
            else:
                script.append(event)
    if problems:
        raise ConfigError(problems)
    return script


def _check_added(event: ScenarioEvent, mission: Mission) -> None:
    try:
        check_order(split_order(event.arg), mission.content, mission.plugins)
    except ValueError as error:
        raise ValueError(f"{event}: {error}") from None
