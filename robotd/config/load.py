"""Reading robot and mission files: every fault of all files at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from robotd.config.mission import MissionFile
from robotd.config.robot import RobotFile
from robotd.config.schema import Path_, nearest, shown
from robotd.config.source import ConfigError, Problem, Source
from robotd.files.plugins import Plugins, UnknownPlugin, load_files
from robotd.model.choice import Nests
from robotd.model.facts import FactKind
from robotd.model.statements import StatementKind
from robotd.model.table import NumberTable

__all__ = ["ConfigError", "Mission", "Problem", "Source", "find_mission", "load_mission", "load_robot"]

FOREIGN = (
    ArithmeticError, AssertionError, AttributeError, ImportError, LookupError, NameError, OSError, RuntimeError,
    SyntaxError, TypeError, ValueError,
)  # fmt: skip
"""What somebody's own plug-in file may raise while it is imported; each is that file's fault, told as such."""


@dataclass(frozen=True)
class Mission:
    """A mission that holds together: its file's content, where it came from, and its plug-ins."""

    content: MissionFile
    source: str
    plugins: Plugins
    warnings: tuple[str, ...] = ()  # keys with a former name, also of the robot file that was read with it

    @cached_property
    def table(self) -> NumberTable:
        """The number table that all robots must share."""
        return table_of(self.content, self.plugins)

    def as_data(self) -> dict[str, Any]:
        """The content as plain JSON, for a run log."""
        return self.content.model_dump(mode="json")


def table_of(content: MissionFile, plugins: Plugins) -> NumberTable:
    """A mission's number table, with what its coordinator brings; UnknownPlugin."""
    coordinator = plugins.get("robotd.coordinators", content.coordinator.name)
    return extended(content.table(), coordinator, content.coordinator.parameters, plugins)


def extended(table: NumberTable, coordinator: Any, parameters: Mapping[str, Any], plugins: Plugins) -> NumberTable:
    """`table` with the statement kinds and facts of a coordinator and of those inside it, each once.

    ValueError where they have no room.
    """
    kinds: dict[StatementKind, None] = {}
    facts: dict[FactKind, None] = {}
    for one, own in ((coordinator, parameters), *each_nested(coordinator, parameters, plugins)):
        own_facts = getattr(one, "own_facts", None)
        kinds |= dict.fromkeys(getattr(one, "own_kinds", ()))
        facts |= dict.fromkeys(own_facts(one.Settings(**own), table) if own_facts is not None else ())
    return table.extended(tuple(kinds), tuple(facts))


def each_nested(
    coordinator: Any, parameters: Mapping[str, Any], plugins: Plugins
) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """The coordinators inside a coordinator with such parameters, and theirs, each with its parameters."""
    settings = coordinator.Settings(**parameters)
    for inner in coordinator.nested(settings) if isinstance(coordinator, Nests) else ():
        if inner.model == "Settings":
            plugin = plugins.get("robotd.coordinators", inner.plugin)
            yield plugin, inner.table
            yield from each_nested(plugin, inner.table, plugins)


def find_mission(name: str, beside: Path | None = None) -> Path:
    """The file of a mission: a path (relative to `beside`), or the name of one that was installed."""
    path = Path(name) if beside is None else beside / name
    if path.suffix == ".toml" or path.is_file():
        return path
    folder = resources.files("robotd") / "missions"
    installed = folder / f"{name}.toml"
    if installed.is_file():
        return Path(str(installed))
    names = sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))
    near = nearest(name, names)
    hint = f"; did you mean {near!r}?" if near else ""
    there = f"there are: {', '.join(names)}; or give a file" if names else "give a file"
    raise ConfigError([Problem(name, 0, "", f"no such mission{hint} ({there})", nearest=near)])


def load_mission(
    path: Path, changes: Mapping[str, Any] | None = None, options: Mapping[str, str] | None = None
) -> Mission:
    """The mission at `path`, with `changes` laid over it; ConfigError with all faults.

    `changes` maps dotted keys to values as TOML gives them: {"world.width_m": 8}; `options` the same keys to what
    a fault of the value names as its place (the option of the command line that set it).
    """
    source = Source.read(path)
    for key, value in (changes or {}).items():
        source.lay(tuple(key.split(".")), value, (options or {}).get(key, f"{key}={shown(value)}"))
    return mission_of(source, path.parent)


def mission_of(source: Source, folder: Path) -> Mission:
    """A mission from what was read; ConfigError with all faults."""
    from robotd.config.cross import check_mission
    from robotd.config.names import check_names
    from robotd.config.tables import check_tables

    plugins = _plugins(source, folder)
    content = source.validate(MissionFile, source.data)
    draft = content if content is not None else source.draft(MissionFile)
    if draft is not None:
        check_mission(draft, source)
    check_tables(source, plugins)
    if draft is not None:
        check_names(draft, plugins, source)
    if source.problems or content is None:
        raise ConfigError(source.problems)
    return Mission(content, source.file, plugins, tuple(source.warnings.values()))


@dataclass(frozen=True)
class RobotReading:
    """All that could be made of a robot file; `robot` without its faulty keys, None where nothing is left."""

    source: Source
    robot: RobotFile | None
    mission: Mission | None
    plugins: Plugins
    problems: list[Problem]


def read_robot(path: Path, *, here: bool = True, options: Mapping[str, str] | None = None) -> RobotReading:
    """The robot at `path` with the faults of its file and of its mission's; ConfigError where it is no TOML.

    `here`: on the robot's own computer, so that the key file must be there. `options` maps dotted keys to what a
    fault of them names as its place: the option of the command line that put them into the file.
    """
    from robotd.config.cross import check_robot

    source = Source.read(path)
    source.laid = {tuple(key.split(".")): option for key, option in (options or {}).items()}
    plugins = _plugins(source, path.parent)
    robot = source.validate(RobotFile, source.data) or source.draft(RobotFile)
    mission, problems = None, []
    name = source.data.get("mission")
    if isinstance(name, str):
        try:
            mission = load_mission(find_mission(name, path.parent))
        except ConfigError as error:
            problems = _about_mission(error, source)
    if robot is not None:
        check_robot(robot, mission, source, plugins, path.parent, here=here)
    if mission is not None:
        mission = replace(mission, warnings=(*source.warnings.values(), *mission.warnings))
    return RobotReading(source, robot, mission, plugins, sorted([*source.problems, *problems]))


def _about_mission(error: ConfigError, source: Source) -> list[Problem]:
    """A mission that is not there is a fault of the line that names it; its own faults keep their lines."""
    own = [problem for problem in error.problems if problem.line]
    for problem in error.problems:
        if not problem.line:
            source.fault(("mission",), f"{problem.file}: {problem.message}", "a mission file", problem.nearest)
    return own


def load_robot(path: Path) -> tuple[RobotFile, Mission]:
    """The robot at `path` and its mission; ConfigError with the faults of both files."""
    reading = read_robot(path)
    if reading.problems or reading.robot is None or reading.mission is None:
        raise ConfigError(reading.problems)
    return reading.robot, reading.mission


def _plugins(source: Source, folder: Path) -> Plugins:
    """The plug-ins of the files that can be loaded; the others are faults."""
    named = source.data.get("plugins")
    names = enumerate(named) if isinstance(named, list) else ()
    files = [(index, folder / name) for index, name in names if isinstance(name, str)]
    try:
        return load_files(path for _, path in files)
    except FOREIGN:
        return load_files([path for index, path in files if _loads(path, index, source)])


def _loads(path: Path, index: int, source: Source) -> bool:
    try:
        load_files([path])
    except FOREIGN as error:
        source.fault(("plugins", index), f"cannot be loaded: {_told_error(error)}")
        return False
    return True


def _told_error(error: BaseException) -> str:
    return str(error) if isinstance(error, ValueError | OSError) else f"{type(error).__name__}: {error}"


def find_plugin(plugins: Plugins, group: str, name: str, source: Source, at: Path_) -> Any | None:
    """The plug-in called `name`, as the key at `at` has it; None, with the fault noted, where there is none."""
    valid = plugins.names(group)
    try:
        plugin = plugins.get(group, name)
    except UnknownPlugin as error:
        source.fault(at, str(error), f"one of {', '.join(valid)}", nearest(name, valid))
    except FOREIGN as error:
        source.fault(at, f"{name!r} cannot be loaded: {_told_error(error)}")
    else:
        if settings_of(plugin) is not None:
            return plugin
        source.fault(at, f"{name!r} is no plug-in of {group}: it has no Settings")
    return None


def settings_of(plugin: Any, settings: str = "Settings") -> Any:
    """The model of a plug-in's own table; None where it has none."""
    return getattr(plugin, settings, None)
