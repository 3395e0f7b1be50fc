"""Experiments by name, of entry points and plug-in files, and those that a TOML file describes.

A file has a mission, and factors with their levels, or cells with names; or it names an experiment.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import Field

from robotd.config.load import ConfigError, Source, find_mission
from robotd.config.mission import Name, Strict
from robotd.experiments.base import Cell, Experiment, SeedRule, log_path
from robotd.experiments.jobs import LONGEST_S, MOST_RUNS
from robotd.experiments.missions import MissionExperiment, format_level
from robotd.experiments.scenario import Scenario
from robotd.files.nearest import unknown
from robotd.files.plugins import Plugins, UnknownPlugin, load_files
from robotd.files.toml import line_of

GROUP = "robotd.experiments"
Levels = list[Any] | dict[str, Any]
Factor = tuple[str, Any, tuple[str | int, ...]]
"""A factor, its level, and its place in the file."""
MOST = 1000  # cells: more is a slip in the factors, not an experiment that a person waits for
TEXTS = ("events", "board", "radio", "robots")


class FigureTable(Strict):
    """A figure over a factor: a panel for each measure, a line for each combination of the other factors."""

    over: str = Field(description="the factor along the axis")
    measures: tuple[str, ...] = Field(
        default=("duration_s", "duplicated_work_s"), min_length=1, description="columns of runs.csv"
    )


class RunKeys(Strict):
    """The keys that every experiment file has; None: the experiment's own."""

    plugins: tuple[str, ...] = Field(default=(), description="Python files with plug-ins, relative to this one")
    runs: int | None = Field(default=None, ge=1, le=MOST_RUNS, description="runs of each cell")
    seed: int | None = Field(default=None, ge=0, description="what the seeds of all runs are drawn from")
    seeds: SeedRule | None = Field(default=None, description="how: drawn from seed and run, or counted up")
    time_limit_s: float | None = Field(
        default=None, gt=0, le=LONGEST_S, description="real time that one run may take, s"
    )

    @property
    def given(self) -> dict[str, Any]:
        """What is given of an experiment's fields."""
        found = {"runs": self.runs, "seed": self.seed, "seeds": self.seeds, "limit_s": self.time_limit_s}
        return {key: value for key, value in found.items() if value is not None}


class NamedFile(RunKeys):
    """The keys of a file that names an experiment of a plug-in, or an installed one with other numbers."""

    experiment: str = Field(min_length=1, description="the experiment's name")


class MissionFile(RunKeys):
    """The keys of a file that describes an experiment on a mission."""

    name: Name = Field(description="what the experiment is called")
    title: str = Field(default="", description="the question that it asks")
    mission: str = Field(min_length=1, description="a mission file, relative to this one, or an installed mission")
    logs: int = Field(default=1, ge=0, le=MOST_RUNS, description="of each cell's runs, how many keep their logs")
    set: dict[str, Any] = Field(default={}, description="factors that all cells have alike")
    factors: dict[str, Levels] = Field(
        default={}, description="by factor its levels: a list, or a table of levels with names"
    )
    cells: dict[str, dict[str, Any]] = Field(default={}, description="by cell its factors")
    baseline: str | dict[str, Any] = Field(
        default={}, description="by factor the level that cells are compared with, or a cell (default: the first)"
    )
    figure: FigureTable | None = Field(default=None, description="a figure over a factor")


def experiment_names() -> list[str]:
    """The names of all installed experiments, sorted."""
    return Plugins().names(GROUP)


def find_experiment(name: str, files: Sequence[Path] = ()) -> Experiment:
    """The experiment called `name`, installed or of one of the plug-in `files`.

    LookupError names the nearest and all there are; ValueError: a file is no plug-in, or what has that name is no
    instance of a class derived from `Experiment`.
    """
    found = load_files(files).get(GROUP, name)
    if not isinstance(found, Experiment):
        raise ValueError(f"{name}: expected an instance of a class derived from Experiment, found {found!r:.80}")
    return replace(found, plugins=[str(path.resolve()) for path in files]) if files else found


def read_experiment(path: Path) -> Experiment:
    """The experiment of the file at `path`; ConfigError with all faults."""
    source = Source.read(path)
    if "experiment" in source.data:
        return _named_experiment(source, path.parent)
    return _mission_experiment(source, path)


def _named_experiment(source: Source, folder: Path) -> Experiment:
    content = source.validate(NamedFile, source.data)
    if content is None or source.problems:
        raise ConfigError(source.problems)
    files = [folder / name for name in content.plugins]
    try:
        return replace(find_experiment(content.experiment, files), **content.given)
    except UnknownPlugin as error:
        source.fault(("experiment",), str(error))
    except Exception as error:  # noqa: BLE001 - a plug-in's own code runs here: whatever it raises is a fault of it
        source.fault(("plugins",), f"{type(error).__name__}: {error}")
    raise ConfigError(source.problems)


def _mission_experiment(source: Source, path: Path) -> MissionExperiment:
    content = source.validate(MissionFile, source.data) or source.draft(MissionFile)
    if content is None:
        raise ConfigError(source.problems)
    if bool(content.factors) == bool(content.cells) and not source.problems:
        source.fault(("cells" if content.cells else "factors",), "expected either [factors] or [cells.NAME]")
    scenarios = _named(content, source) if content.cells else _crossed(content, source)
    mission = _mission(content.mission, path.parent, source) or ""
    files = [str(path.parent / name) for name in content.plugins]
    place = {"plugins": f"{source.file}:{line_of(source.text, ('plugins',))}"}
    made = {
        name: replace(found, mission_file=mission, files=files, places={**place, **found.places})
        for name, found in scenarios.items()
    }
    _check_cells(made, source)
    if source.problems:
        raise ConfigError(source.problems)
    figure = content.figure or FigureTable(over="")
    found = MissionExperiment(
        name=content.name, title=content.title or content.name, scenarios=made, logged=content.logs,
        over=figure.over, over_measures=figure.measures, **content.given,
    )  # fmt: skip
    found = replace(found, baselines=_baselines(content.baseline, found.cells(), source))
    if content.figure is not None and figure.over not in found.factors:
        source.fault(("figure", "over"), unknown("factor", figure.over, found.factors))
    if source.problems:
        raise ConfigError(source.problems)
    return found


def _baselines(given: str | dict[str, Any], cells: Sequence[Cell], source: Source) -> dict[str, str]:
    """By cell the one that it is compared with: all factors alike, but those of `given` at its level."""
    names = [cell.name for cell in cells]
    if isinstance(given, str):
        if given not in names:
            source.fault(("baseline",), unknown("cell", given, names))
        return dict.fromkeys(names, given)
    wanted = {key: str(format_level(level)) for key, level in given.items()}
    for key, level in wanted.items():
        levels = list(dict.fromkeys(str(cell.factors[key]) for cell in cells if key in cell.factors))
        factors = [name for cell in cells for name in cell.factors]
        if level not in levels:
            wrong = unknown("level", level, levels) if levels else unknown("factor", key, factors)
            source.fault(("baseline", key), wrong)
    by_factors = {_levels_of(cell.factors): cell.name for cell in cells}
    found = {cell.name: by_factors.get(_levels_of({**cell.factors, **wanted})) for cell in cells} if given else {}
    return {name: other for name, other in found.items() if other is not None}


def _levels_of(factors: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((key, str(level)) for key, level in factors.items()))


def _mission(name: str, folder: Path, source: Source) -> str | None:
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


def _check_cells(cells: Mapping[str, Scenario], source: Source) -> None:
    names: dict[Path, str] = {}
    for cell, scenario in cells.items():
        other = names.setdefault(log_path(Path(), cell, 1), cell)
        if other != cell:
            source.fault((), f"the logs of cells {other!r} and {cell!r} would have one name; call one otherwise")
        try:
            if scenario.mission_file:
                scenario.mission  # noqa: B018 - for its faults
        except ConfigError as error:
            source.problems += [found for found in error.problems if found not in source.problems]


def _named(content: MissionFile, source: Source) -> dict[str, Scenario]:
    return {
        name: _scenario(content, source, [(key, value, ("cells", name, key)) for key, value in own.items()], {})
        for name, own in content.cells.items()
    }


def _crossed(content: MissionFile, source: Source) -> dict[str, Scenario]:
    for key, levels in content.factors.items():
        if not levels:
            source.fault(("factors", key), "it has no level; expected one at least")
    axes = [_levels(key, levels) for key, levels in content.factors.items() if levels]
    count = math.prod(map(len, axes))
    if count > MOST:
        source.fault(("factors",), f"{count} cells; expected at most {MOST}")
        return {}
    scenarios: dict[str, Scenario] = {}
    for combination in itertools.product(*axes):
        name = ", ".join(f"{key}={word}" for key, _, word, _ in combination)
        if name in scenarios:
            source.fault(("factors",), f"two levels are called alike: {name}; name them in a table")
        levels = {key: word for key, _, word, _ in combination if isinstance(content.factors[key], dict)}
        own: list[Factor] = [(key, value, ("factors", key, at)) for key, at, _, value in combination]
        scenarios[name] = _scenario(content, source, own, levels)
    return scenarios


def _levels(key: str, levels: Levels) -> list[tuple[str, int | str, str, Any]]:
    """A factor's levels: the place of each in its list or table, what it is called, and what it is."""
    if isinstance(levels, dict):
        return [(key, name, name, value) for name, value in levels.items()]
    return [(key, n, str(format_level(value)), value) for n, value in enumerate(levels)]


def _scenario(content: MissionFile, source: Source, own: Sequence[Factor], levels: Mapping[str, str]) -> Scenario:
    """A cell with its `own` levels and those of [set]; one that cannot be any is noted and left out."""
    factors: dict[str, Any] = {}
    places: dict[str, str] = {}
    for key, value, at in (*((key, value, ("set", key)) for key, value in content.set.items()), *own):
        texts = value if isinstance(value, list) else [value]
        if key in TEXTS and not all(isinstance(text, str) for text in texts):
            hint = '; a key of the mission is written with quotes: "radio.loss"' if key == "radio" else ""
            source.fault(at, f"expected a text, or a list of texts{hint}", "a list of texts")
        elif key == "coordinator" and not isinstance(value, str):
            source.fault(at, "expected a coordinator's name in quotes", "a name in quotes")
        else:
            if key in factors:
                source.fault(at, f"{key} has a level in [set] too, for all cells; expected it in one place")
            factors[key], places[key] = value, f"{source.file}:{line_of(source.text, at)}"
    return Scenario("", factors, (), places, levels, content.set)


def is_file(name: str) -> bool:
    """True for what names a file rather than an experiment."""
    return name.endswith(".toml") or Path(name).is_file()
