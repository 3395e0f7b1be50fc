"""Reading robot and mission files: every fault at once, each with file, line, key, and what was expected."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from robotd.config.mission import MissionFile
from robotd.config.robot import RobotFile
from robotd.plugins import Plugins, UnknownPlugin, load_files
from robotd.toml_lines import TomlSyntaxError, line_of, read

T = TypeVar("T")
Path_ = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One fault of a configuration file."""

    file: str
    line: int
    key: str
    message: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.key}: {self.message}" if self.key else f"{where}: {self.message}"


class ConfigError(Exception):
    """A configuration that cannot be used; `problems` holds every fault that was found."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = sorted(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


@dataclass
class Source:
    """A TOML file as read, and the faults found in it."""

    file: str
    text: str
    data: dict[str, Any]
    problems: list[Problem] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> Source:
        """The file at `path`; ConfigError where it is missing or is no TOML."""
        try:
            text, data = read(path.read_bytes())
        except OSError as error:
            raise ConfigError([Problem(str(path), 0, "", f"cannot be read: {error.strerror}")]) from None
        except TomlSyntaxError as error:
            raise ConfigError([Problem(str(path), error.line, "", f"not TOML: {error.reason}")]) from None
        return cls(str(path), text, data)

    def fault(self, path: Path_, message: str) -> None:
        """Note a fault at a key."""
        self.problems.append(Problem(self.file, line_of(self.text, path), _dotted(path), message))

    def validate(self, kind: type[T], data: Any, at: Path_ = ()) -> T | None:
        """`data`, found at key path `at`, as a `kind`; None, with the faults noted, where it does not fit."""
        try:
            return TypeAdapter(kind).validate_python(data)
        except ValidationError as error:
            for found in error.errors(include_url=False):
                self.fault((*at, *found["loc"]), _explain(found, kind))
            return None


def _dotted(path: Path_) -> str:
    return ".".join(str(part) for part in path)


def _explain(error: Mapping[str, Any], kind: Any) -> str:
    """Pydantic's finding in the words of a person who edits the file."""
    if error["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        valid = sorted(_keys_at(kind, error["loc"]))
        near = difflib.get_close_matches(str(error["loc"][-1]), valid, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(valid)}"
        return f"unknown key; {hint}"
    if error["type"] == "missing":
        return f"this key is required; {_description(kind, error['loc'])}".rstrip("; ")
    about = _description(kind, error["loc"])
    message = error["msg"].removeprefix("Value error, ").removeprefix("Input ")
    given = f", not {error['input']!r:.60}" if not isinstance(error["input"], dict | list) else ""
    return f"{message}{given}" + (f" ({about})" if about else "")


def _model_at(kind: Any, path: Path_) -> Any:
    for part in path:
        kind = _inner(kind, part)
    return kind


def _inner(kind: Any, part: str | int) -> Any:
    fields = getattr(kind, "model_fields", None)
    if fields is not None:
        return fields[part].annotation if part in fields else None
    arguments = [a for a in getattr(kind, "__args__", ()) if a is not type(None) and a is not Ellipsis]
    return arguments[-1] if arguments else None


def _keys_at(kind: Any, path: Path_) -> list[str]:
    return list(getattr(_model_at(kind, path[:-1]), "model_fields", ()))


def _description(kind: Any, path: Path_) -> str:
    fields = getattr(_model_at(kind, path[:-1]), "model_fields", {})
    found = fields.get(path[-1])
    return found.description or "" if found is not None else ""


@dataclass(frozen=True)
class Mission:
    """A mission that holds together: its file's content, where it came from, and its plug-ins."""

    content: MissionFile
    source: str
    plugins: Plugins

    def as_data(self) -> dict[str, Any]:
        """The content as plain JSON, for a run log."""
        return self.content.model_dump(mode="json")


def find_mission(name: str, beside: Path | None = None) -> Path:
    """The file of a mission: a path (relative to `beside`), or the name of one that was installed."""
    path = Path(name) if beside is None else beside / name
    if path.suffix == ".toml" or path.is_file():
        return path
    installed = resources.files("robotd") / "missions" / f"{name}.toml"
    if installed.is_file():
        return Path(str(installed))
    folder = resources.files("robotd") / "missions"
    names = sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ConfigError(
        [Problem(name, 0, "", f"no such mission{hint} (there are: {', '.join(names)}; or give a file)")]
    )


def load_mission(path: Path, changes: Mapping[str, Any] | None = None) -> Mission:
    """The mission at `path`, with `changes` ({"world.width_m": 8}) laid over it; ConfigError with all faults."""
    source = Source.read(path)
    for key, value in (changes or {}).items():
        _lay(source, key, value)
    return mission_of(source, path.parent)


def mission_of(source: Source, folder: Path) -> Mission:
    """A mission from what was read; ConfigError with all faults."""
    plugins = _plugins(source, folder)
    content = source.validate(MissionFile, source.data)
    if content is not None:
        from robotd.config.cross import check_mission

        check_mission(content, source, plugins)
    if source.problems or content is None:
        raise ConfigError(source.problems)
    return Mission(content, source.file, plugins)


def load_robot(path: Path) -> tuple[RobotFile, Mission]:
    """The robot at `path` and its mission; ConfigError with the faults of both files."""
    source = Source.read(path)
    plugins = _plugins(source, path.parent)
    robot = source.validate(RobotFile, source.data)
    problems = source.problems
    mission = None
    name = source.data.get("mission")
    if isinstance(name, str):
        try:
            mission = load_mission(find_mission(name, path.parent))
        except ConfigError as error:
            problems += error.problems
    if robot is not None:
        from robotd.config.cross import check_robot

        check_robot(robot, mission, source, plugins, path.parent)
    if problems or robot is None or mission is None:
        raise ConfigError(problems)
    return robot, mission


def _plugins(source: Source, folder: Path) -> Plugins:
    names = source.data.get("plugins", ())
    try:
        return load_files(folder / name for name in names if isinstance(name, str))
    except (OSError, ValueError, ImportError, SyntaxError) as error:
        source.fault(("plugins",), f"cannot be loaded: {error}")
        return Plugins()


def _lay(source: Source, key: str, value: Any) -> None:
    table: Any = source.data
    *parents, last = key.split(".")
    for part in parents:
        table = table.setdefault(part, {}) if isinstance(table, dict) else None
    if not isinstance(table, dict):
        source.fault(tuple(key.split(".")), "--set: this is not a key of a table")
        return
    table[last] = value


def plugin_settings(
    plugins: Plugins, group: str, name: str, data: Any, source: Source, at: Path_, settings: str = "Settings"
) -> tuple[Any, Any] | None:
    """A plug-in and its own table validated; None, with the faults noted, where either is wrong."""
    try:
        plugin = plugins.get(group, name)
    except UnknownPlugin as error:
        source.fault(at, str(error))
        return None
    found = source.validate(getattr(plugin, settings), data, at)
    return None if found is None else (plugin, found)
