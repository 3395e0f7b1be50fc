"""A folder for each robot of a mission: its robot file, the mission with its plug-ins, the team's keys."""

import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from boards.contract import plugin_of
from robotd.config.cross import UNNAMED
from robotd.config.load import ConfigError, Mission, Problem, Source, read_robot
from robotd.files import keyfile
from robotd.files.options import by_robot, split_pair
from robotd.files.toml import as_toml, quote, value_of

ROBOT, MISSION, KEY = "robot.toml", "mission.toml", "team.key"
PUT = f"serial:///dev/serial/by-id/{UNNAMED}{{}}-HERE"  # a port that `robotd check` finds missing on the robot
NETWORKS = {
    "udp": "udp://239.255.77.1:8422?interface=wlan0",  # an address of those kept for one site (RFC 2365)
    "zenoh": f"zenoh://tcp/{UNNAMED}ROUTER-HERE:7447",
}
TABLES = ("", "board", "board.parameters", "radio", "radio.parameters", "http", "log")
HTTP = 8420  # a robot's status has this port plus its number, so that several can run on one computer
EXAMPLE = "radio.region=eu868"
AS = f"KEY=VALUE, as {EXAMPLE}"

Tables = dict[str, dict[str, str]]
"""Tables of a robot file by name, each with its keys and their values as TOML."""


@dataclass(frozen=True)
class Change:
    """A dotted key of a robot file with its value as TOML, and the option that sets it; '': none."""

    key: str
    value: str
    option: str = ""


def robot_tables(robot: str, mission: Mission, board: Change, radio: Change, *changes: Change) -> Tables:
    """The tables of a new robot file, whose ports are still to be named.

    ValueError for a change that would make a value of a table, or a table of a value.
    """
    tables: Tables = {name: {} for name in TABLES}
    tables[""] = {"name": quote(robot), "mission": quote(MISSION)}
    if mission.content.plugins:  # a board or radio of theirs must be named in the robot file too
        tables[""]["plugins"] = f"[{', '.join(map(quote, mission.content.plugins))}]"
    for table, part in (("board", board), ("radio", radio)):
        tables[table]["name"] = part.value
        port = _port(mission, table, value_of(part.value))
        if port:
            tables[table]["port"] = quote(port)
    if value_of(radio.value) != "none":
        tables["radio"]["key_file"] = quote(KEY)
    tables["http"]["port"] = str(HTTP + mission.content.team[robot].number)
    for change in changes:
        _refuse_misfit(change, tables)
        table, _, name = change.key.rpartition(".")
        tables.setdefault(table, {})[name] = change.value
    return tables


def _refuse_misfit(change: Change, tables: Tables) -> None:
    key = change.key
    if any(keys and (name == key or name.startswith(f"{key}.")) for name, keys in tables.items()):
        raise ValueError(f"{change.option}: {key} is a table of the robot file; expected {key}.KEY=VALUE")
    for outer in _outer(key):
        table, _, name = outer.rpartition(".")
        if name in tables.get(table, {}):
            raise ValueError(f"{change.option}: {outer} is no table of the robot file, but a value; expected {AS}")


def _outer(key: str) -> list[str]:
    """The tables that a dotted key lies in, the outermost first."""
    parts = key.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def robot_text(robot: str, number: int, mission: str, tables: Mapping[str, Mapping[str, str]]) -> str:
    """The text of a robot file with these tables, whose values are TOML."""
    about = f"# Robot {robot}, number {number}, of the mission {mission}. Name its ports, then:"
    lines = [about, f"# robotd check {ROBOT}"]
    for name, table in tables.items():
        if table and name:
            lines += ["", f"[{name}]"]
        lines += [f"{key} = {value}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def change_of(text: str) -> Change:
    """The change of `--set KEY=VALUE`; a value that is not TOML is a string. ValueError."""
    key, value = split_pair(text, "--set", EXAMPLE)
    option = f"--set {text}"
    for part in key.split("."):
        if not re.fullmatch(r"[A-Za-z0-9_-]+", part):
            raise ValueError(f"{option}: {part!r} is no key of a robot file; expected {AS}")
    try:
        return Change(key, as_toml(value), option)
    except ValueError as error:
        raise ValueError(f"{option}: {error}") from None


def find_ignored(path: Path, given: Iterable[Change]) -> list[str]:
    """The options whose values are not those of the robot file at `path`; ConfigError where it is no TOML."""
    data = Source.read(path).data
    last = {change.key: change for change in given}
    return [change.option for change in last.values() if _at(data, change.key) != value_of(change.value)]


def _at(data: Any, key: str) -> Any:
    """The value at a dotted key; None where there is none."""
    for part in key.split("."):
        data = data.get(part) if isinstance(data, dict) else None
    return data


def fill_folder(folder: Path, source: Path, mission: Mission, key: str, robot_file: str) -> None:
    """Write a robot's files to an empty folder; OSError, ConfigError where a plug-in is not beside the mission."""
    folder.mkdir(parents=True)
    (folder / ROBOT).write_text(robot_file, encoding="utf-8")
    shutil.copyfile(source, folder / MISSION)
    for name in mission.content.plugins:
        if Path(name).is_absolute() or ".." in Path(name).parts:
            problem = f"{name} lies outside the mission's folder: move it beside the mission, to go along"
            raise ConfigError([Problem(str(source), 0, "plugins", problem)])
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source.parent / name, folder / name)
    keyfile.write(folder / KEY, key)


def check_folder(folder: Path, meant: Path, given: Sequence[Change] = ()) -> None:
    """ConfigError with every fault of a robot's folder, reported as of the folder `meant`.

    Ports whose devices are elsewhere are no faults; a beat that the team cannot hold on this radio is one. A fault
    of what an option has `given` is reported of the option.
    """
    reading = read_robot(folder / ROBOT, options=_places(given))
    reading.check_team()
    if reading.problems:
        where = (str(folder), str(meant))
        raise ConfigError([replace(one, file=one.file.replace(*where), message=one.message.replace(*where))
                           for one in reading.problems])  # fmt: skip


def _places(given: Iterable[Change]) -> dict[str, str]:
    """The option behind each key or table, the outer before the inner; an option that names a part
    brings its whole table."""
    places = [(table, change.option) for change in given for table in _outer(change.key) if table not in TABLES]
    places += [(change.key.removesuffix(".name"), change.option) for change in given]
    return dict(sorted(places, key=lambda place: place[0].count(".")))


def replace_files(fresh: Path, folder: Path) -> None:
    """Put the files of a fresh folder in their place, each whole at any time and as private as it is."""
    for path in sorted(path for path in fresh.rglob("*") if path.is_file()):
        target = folder / path.relative_to(fresh)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)


def parts_by_robot(part: str, robots: Iterable[str], texts: Iterable[str], default: str) -> dict[str, Change]:
    """The `[ROBOT=]NAME` options of a part, board or radio, by robot; ValueError names an unknown robot."""
    key, robots = f"{part}.name", list(robots)
    given = {robot: Change(key, quote(name), option)
             for robot, (name, option) in by_robot(f"--{part}", robots, texts).items()}  # fmt: skip
    return {robot: given.get(robot, Change(key, quote(default))) for robot in robots}


def _port(mission: Mission, table: str, name: str) -> str:
    """The placeholder for the port of a part in a robot file; '' where it needs none."""
    group = f"robotd.{table}s"
    if name == "none" or name not in mission.plugins.names(group):
        return ""
    plugin = plugin_of(mission.plugins.get(group, name))
    if not plugin.needs_port:
        return ""
    return NETWORKS.get(plugin.schemes[0]) or PUT.format("BOARD" if table == "board" else "MODEM")
