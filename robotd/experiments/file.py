"""An experiment that a TOML file describes: a mission, factors and their levels, or cells with names."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import Field

from robotd.config.load import ConfigError, Source, find_mission
from robotd.config.mission import Name, Strict
from robotd.experiments.contract import log_path
from robotd.experiments.missions import LIMIT_S, MissionExperiment, shown
from robotd.experiments.plan import LONGEST_S, MOST_RUNS
from robotd.experiments.scenario import Scenario
from robotd.files.toml import line_of
from robotd.model.plain import Json

Levels = list[Any] | dict[str, Any]
MOST = 1000  # cells: more is a slip in the factors, not an experiment that anybody waits for
TEXTS = ("events", "board", "radio", "robots")


class ExperimentFile(Strict):
    """The keys of the file."""

    name: Name = Field(description="what the experiment is called")
    title: str = Field(default="", description="the question that it asks")
    mission: str = Field(min_length=1, description="a mission file, relative to this one, or an installed mission")
    plugins: tuple[str, ...] = Field(default=(), description="Python files with plug-ins, relative to this one")
    runs: int = Field(default=10, ge=1, le=MOST_RUNS, description="runs of each cell")
    seed: int = Field(default=1, ge=0, description="the seed of each cell's first run")
    time_limit_s: float = Field(
        default=LIMIT_S, gt=0, le=LONGEST_S, description="real time that one run may take, s"
    )
    logs: int = Field(default=1, ge=0, le=MOST_RUNS, description="of each cell's runs, how many keep their logs")
    set: dict[str, Any] = Field(default={}, description="factors that all cells have alike")
    factors: dict[str, Levels] = Field(
        default={}, description="by factor its levels: a list, or a table of levels with names"
    )
    cells: dict[str, dict[str, Any]] = Field(default={}, description="by cell its factors")


def read_experiment(path: Path) -> MissionExperiment:
    """The experiment of the file at `path`; ConfigError with all faults."""
    source = Source.read(path)
    content = source.validate(ExperimentFile, source.data) or source.draft(ExperimentFile)
    if content is None:
        raise ConfigError(source.problems)
    if bool(content.factors) == bool(content.cells) and not source.problems:
        source.fault(("cells" if content.cells else "factors",), "expected either [factors] or [cells.NAME]")
    scenarios = _named(content, source) if content.cells else _crossed(content, source)
    mission = _mission(content.mission, path.parent, source) or ""
    files = [str(path.parent / name) for name in content.plugins]
    place = {"plugins": f"{source.file}:{line_of(source.text, ('plugins',))}"}
    made = {
        name: replace(found, mission=mission, files=files, places={**place, **found.places})
        for name, found in scenarios.items()
    }
    _logs_differ(made, source)
    for scenario in made.values() if mission else ():
        _try(scenario, source)
    if source.problems:
        raise ConfigError(source.problems)
    return MissionExperiment(
        content.name, content.title or content.name, made,
        runs=content.runs, seed=content.seed, limit_s=content.time_limit_s, logged=content.logs,
    )  # fmt: skip


def _mission(name: str, folder: Path, source: Source) -> str | None:
    """The path of the mission; None where it cannot be found, which is noted."""
    beside = folder / name
    if beside.is_file():
        return str(beside)
    if name.endswith(".toml"):
        source.fault(("mission",), f"{beside}: there is no such file")
        return None
    try:
        return str(find_mission(name))
    except ConfigError as error:
        source.fault(("mission",), error.problems[0].message)
        return None


def _logs_differ(cells: Iterable[str], source: Source) -> None:
    """Note cells whose logs would have one name."""
    names: dict[Path, str] = {}
    for cell in cells:
        other = names.setdefault(log_path(Path(), cell, 1), cell)
        if other != cell:
            source.fault((), f"the logs of cells {other!r} and {cell!r} would have one name; call one otherwise")


def _try(scenario: Scenario, source: Source) -> None:
    """Note what is wrong with a cell, once for all cells that share it."""
    try:
        scenario.load()
    except ConfigError as error:
        for found in error.problems:
            if found not in source.problems:
                source.problems.append(found)


def _named(content: ExperimentFile, source: Source) -> dict[str, Scenario]:
    scenarios = {}
    for name, own in content.cells.items():
        factors, places = _common(content, source)
        for key, value in own.items():
            _set(factors, places, key, value, ("cells", name, key), source)
        scenarios[name] = Scenario("", factors, (), places)
    return scenarios


def _crossed(content: ExperimentFile, source: Source) -> dict[str, Scenario]:
    """Every combination of the factors' levels, the last factor changing fastest."""
    for key, levels in content.factors.items():
        if not levels:
            source.fault(("factors", key), "it has no level; expected one at least")
    axes = [
        [(key, at, word, value) for at, word, value in _levels(levels)]
        for key, levels in content.factors.items() if levels
    ]  # fmt: skip
    count = 1
    for axis in axes:
        count *= len(axis)
    if count > MOST:
        source.fault(("factors",), f"{count} cells; expected at most {MOST}")
        return {}
    scenarios: dict[str, Scenario] = {}
    for combination in itertools.product(*axes):
        factors, places = _common(content, source)
        for key, at, _, value in combination:
            _set(factors, places, key, value, ("factors", key, at), source)
        name = ", ".join(f"{key}={word}" for key, _, word, _ in combination)
        if name in scenarios:
            source.fault(("factors",), f"two levels are called alike: {name}; name them in a table")
        scenarios[name] = Scenario("", factors, (), places)
    return scenarios


def _levels(levels: Levels) -> list[tuple[int | str, str, Any]]:
    """Where each level stands in its list or table, what it is called, and what it is."""
    if isinstance(levels, dict):
        return [(name, name, value) for name, value in levels.items()]
    return [(n, str(shown(value)), value) for n, value in enumerate(levels)]


def _common(content: ExperimentFile, source: Source) -> tuple[dict[str, Any], dict[str, str]]:
    factors: dict[str, Any] = {}
    places: dict[str, str] = {}
    for key, value in content.set.items():
        _set(factors, places, key, value, ("set", key), source)
    return factors, places


def _set(
    factors: dict[str, Any],
    places: dict[str, str],
    key: str,
    value: Json,
    at: tuple[str | int, ...],
    source: Source,
) -> None:
    """A factor's level, and where it stands; one that cannot be any is noted and left out."""
    is_texts = isinstance(value, str) or (isinstance(value, list) and all(isinstance(v, str) for v in value))
    if key in TEXTS and not is_texts:
        hint = '; a key of the mission is written with quotes: "radio.loss"' if key == "radio" else ""
        source.fault(at, f"expected a text, or a list of texts{hint}", "a list of texts")
        return
    if key == "coordinator" and not isinstance(value, str):
        source.fault(at, "expected a coordinator's name in quotes", "a name in quotes")
        return
    if key in factors:
        source.fault(at, f"{key} has a level in [set] too, for all cells; expected it in one place")
    factors[key], places[key] = value, f"{source.file}:{line_of(source.text, at)}"


def is_file(name: str) -> bool:
    """True for what names a file rather than an experiment."""
    return name.endswith(".toml") or Path(name).is_file()
