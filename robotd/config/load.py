"""Reading robot and mission files: every fault of all files at once."""

from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from robotd.config.airtime import check_airtime
from robotd.config.cross import check_devices, check_mission, check_robot
from robotd.config.lookup import FOREIGN, Mission, format_error
from robotd.config.mission import MissionFile
from robotd.config.robot import RobotFile
from robotd.config.schema import format_value
from robotd.config.source import ConfigError, Problem, Source
from robotd.config.tables import check_plan, check_tables
from robotd.files.nearest import hint, nearest
from robotd.files.plugins import INSTALLED, Plugins, load_files
from robotd.model.value import value

__all__ = ["ConfigError", "Mission", "Problem", "Source", "find_mission", "load_mission", "load_robot"]


MISSIONS = resources.files("robotd") / "missions"


def mission_names() -> list[str]:
    """The installed missions, sorted."""
    files = (entry.name for entry in MISSIONS.iterdir())
    return sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml"))


def find_mission(name: str, beside: Path | None = None) -> Path:
    """The file of a mission: a path (relative to `beside`), or the name of one that was installed."""
    path = Path(name) if beside is None else beside / name
    if path.suffix or path.name != name or path.is_file():  # no mission has such a name
        return path
    installed = MISSIONS / f"{name}.toml"
    if installed.is_file():
        return Path(str(installed))
    names = mission_names()
    near = nearest(name, names)
    there = f"there are: {', '.join(names)}; or give a file" if names else "give a file"
    raise ConfigError([Problem(name, 0, "", f"no such mission{hint(near)} ({there})", nearest=near)])


def load_mission(
    path: Path,
    changes: Mapping[str, Any] | None = None,
    options: Mapping[str, str] | None = None,
    plugins: Sequence[str] = (),
) -> Mission:
    """The mission at `path`, with `changes` laid over it and plug-in files besides; ConfigError lists all faults.

    `changes` maps dotted keys to values as TOML gives them: {"world.width_m": 8}; `options` the same keys to what
    a fault of the value names as its place (the option of the command line that set it).
    """
    source = Source.read(path)
    for key, new in (changes or {}).items():
        source.override(tuple(key.split(".")), new, (options or {}).get(key, f"{key}={format_value(new)}"))
    named = source.data.get("plugins", [])
    if plugins and isinstance(named, list):
        files = [str(Path(file).resolve()) for file in plugins]
        source.override(("plugins",), [*named, *files], " ".join(f"--plugin {file}" for file in plugins))
    return mission_of(source, path.parent)


def mission_of(source: Source, folder: Path) -> Mission:
    """A mission from what was read; ConfigError with all faults."""
    plugins = _plugins(source, folder)
    content = source.validate(MissionFile, source.data)
    draft = content if content is not None else source.draft(MissionFile)
    if draft is not None:
        check_mission(draft, source)
    check_tables(source, plugins)
    if content is not None and not source.problems:
        check_plan(content, plugins, source)
    if source.problems or content is None:
        raise ConfigError(source.problems)
    return Mission(content, source.file, plugins)


@value
class RobotReading:
    """All that could be made of a robot file; `robot` without its faulty keys, None where nothing is left."""

    source: Source
    robot: RobotFile | None
    mission: Mission | None
    plugins: Plugins
    problems: list[Problem]

    def check_team(self, *, here: bool = False) -> None:
        """Add why the team cannot hold its beat on this modem and, if `here`, which devices are not there."""
        known = len(self.source.problems)
        if here and self.robot is not None:
            check_devices(self.robot, self.source)
        if self.robot is not None and self.mission is not None:
            content = self.mission.content
            check_airtime(self.robot, content.radio.beat_s, len(content.team), self.plugins, self.source)
        self.problems.extend(self.source.problems[known:])


def read_robot(path: Path, *, here: bool = True, options: Mapping[str, str] | None = None) -> RobotReading:
    """The robot at `path` with the faults of its file and of its mission's; ConfigError where it is no TOML.

    `here`: on the robot's own computer, so that the key file must be there. `options` maps dotted keys to what a
    fault of them names as its place: the option of the command line that put them into the file.
    """
    source = Source.read(path)
    source.overrides = {tuple(key.split(".")): option for key, option in (options or {}).items()}
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
    plugins = INSTALLED
    for index, name in enumerate(named) if isinstance(named, list) else ():
        try:
            plugins = load_files([folder / name], plugins) if isinstance(name, str) else plugins
        except FOREIGN as error:
            source.fault(("plugins", index), f"cannot be loaded: {format_error(error)}")
    return plugins
