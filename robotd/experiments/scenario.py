"""What one cell of an experiment changes in a mission, and the simulation of it."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from robotd.config.load import ConfigError, Mission, Problem, Source, find_mission, mission_of
from robotd.experiments.measure import Measure, row_of
from robotd.experiments.rows import RunRow
from robotd.files.nearest import unknown
from robotd.model.plain import Json
from robotd.sim.activity_trace import Outcome
from robotd.sim.director import script_of
from robotd.sim.parts import Parts, parts_of
from robotd.sim.simulation import simulate

CAST = ("events", "board", "radio")
OPTIONS = (*CAST, "coordinator", "robots")
"""Factors that are no key of the mission file, as the options of `robotd sim` that they are called after."""


@dataclass(frozen=True)
class Scenario:
    """A mission (a path, or an installed one's name) with its changes: `factors` by option or dotted key.

    `files`: plug-ins beside the mission's own. `levels`: by factor the name of its level, where it has one;
    `fixed`: factors that all cells share. `places`: by factor its place in the file, for messages.
    """

    mission_file: str
    factors: Mapping[str, Any] = field(default_factory=dict)
    files: Sequence[str] = ()
    places: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, str] = field(default_factory=dict)
    fixed: Collection[str] = ()

    @cached_property
    def mission(self) -> Mission:
        """The mission as changed, read once per process; ConfigError with all faults at their factors' places."""
        source = Source.read(find_mission(self.mission_file))
        folder = Path(source.file).parent
        changes, problems = self._changes(source.data, folder)
        places = {"coordinator.name": self._place("coordinator"), "team": self._place("robots")}
        places |= {key: self._place(key) for key in ("plugins", *self.factors)}
        for key, value in changes.items():
            source.override(tuple(key.split(".")), value, places[key] if key in places else self._place("robots"))
        try:
            mission = mission_of(source, folder)
            script_of(mission, [])
        except ConfigError as error:
            raise ConfigError([*problems, *error.problems, *self._faults_beside(error.problems)]) from None
        problems += self._faults(mission)
        if problems:
            raise ConfigError(problems)
        return mission

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "mission"}

    def changed(self, factors: Mapping[str, Any]) -> Self:
        """The same with these factors, which go before its own."""
        return replace(self, factors={**self.factors, **factors})

    def run(
        self, seed: int, log: Path | None, measure: Measure | None = None,
        learned: Mapping[str, Json] | None = None,
    ) -> tuple[RunRow, Outcome]:  # fmt: skip
        """The row of a run, with `measure`'s own columns, and how it ended; `learned`: see `simulate`."""
        mission, measure = self.mission, measure or Measure()
        outcome = simulate(
            mission, seed, events=self.events, log=log, parts=self._parts(mission), learned=learned, watch=measure
        )
        row = row_of(outcome, measure, mission.content.coordinator.name)
        return {**row, **measure.columns(outcome)}, outcome

    def describe(self) -> bytes:
        """All that a run depends on beside its seed."""
        folder, plugins = Path(self.mission.source).parent, self.mission.content.plugins
        data = {**self.mission.as_data(), "plugins": [(folder / p).read_text(encoding="utf-8") for p in plugins]}
        options = {name: self.factors[name] for name in CAST if name in self.factors}
        return json.dumps([data, options], sort_keys=True).encode()

    @property
    def events(self) -> list[str]:
        """What happens beside the mission's own events."""
        return _texts(self.factors.get("events", ()))

    def _place(self, factor: str) -> str:
        return self.places.get(factor, f"the factor {factor!r}")

    def _changes(self, data: Mapping[str, Any], folder: Path) -> tuple[dict[str, Any], list[Problem]]:
        """The mission's keys that differ, and what is wrong with the team that was asked for."""
        changes = {key: value for key, value in self.factors.items() if key not in OPTIONS}
        if "coordinator" in self.factors:
            changes["coordinator.name"] = self.factors["coordinator"]
        if self.files:
            changes["plugins"] = [*data.get("plugins", ()), *(str(Path(name).resolve()) for name in self.files)]
        problems: list[Problem] = []
        if "robots" in self.factors:
            team, wanted = data.get("team", {}), _texts(self.factors["robots"])
            wrong = [unknown("robot", name, team) for name in wanted if name not in team]
            if not wanted:
                wrong.append(f"no robot; there are: {', '.join(team)}")
            problems = [self._problem("robots", text) for text in wrong]
            if not problems:
                for key in ("team", "robots"):
                    changes[key] = {name: own for name, own in data.get(key, {}).items() if name in wanted}
        return changes, problems

    def _problem(self, factor: str, message: str) -> Problem:
        return Problem(self._place(factor), 0, factor, message)

    def _parts(self, mission: Mission, options: Sequence[str] = ("board", "radio")) -> Parts:
        """Which boards and radios the robots have, by these of the options; ValueError."""
        given = {name: _texts(self.factors.get(name, ())) for name in options}
        return parts_of(mission, given.get("board", ()), given.get("radio", ()), all_bytes=False)

    def _faults_beside(self, found: Sequence[Problem]) -> list[Problem]:
        """What is wrong with events, boards and radios in the mission without the factors that `found` is about.

        What is wrong in the mission itself may come of the team's members; where it does not, nothing is reported,
        nor where plug-ins are wrong, which may bring the boards.
        """
        wrong = {problem.file for problem in found}
        left = {key: value for key, value in self.factors.items() if key in CAST or self._place(key) not in wrong}
        if len(left) == len(self.factors):
            left.pop("robots", None)
        if len(left) == len(self.factors) or self._place("plugins") in wrong:
            return []
        try:
            replace(self, factors=left).mission  # noqa: B018 - for its faults
        except ConfigError as error:
            return [problem for problem in error.problems if problem.key in CAST]
        return []

    def _faults(self, mission: Mission) -> list[Problem]:
        problems = []
        for event in self.events:
            try:
                script_of(mission, [event])
            except ConfigError as error:
                problems += [self._problem("events", found.message) for found in error.problems]
        for option in ("board", "radio"):
            try:
                self._parts(mission, [option])
            except ValueError as error:
                problems.append(self._problem(option, str(error).partition(": ")[2]))
        return problems


def _texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
