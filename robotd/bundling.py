"""One folder for each robot of a mission: its robot file, the mission with its plug-ins, the team's keys."""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from robotd import keyfile
from robotd.config.airtime import check_airtime
from robotd.config.cross import UNNAMED
from robotd.config.load import ConfigError, Mission, Problem, read_robot
from robotd.config.schema import nearest
from robotd.wire import schemes_of

ROBOT, MISSION, KEY = "robot.toml", "mission.toml", "team.key"
PUT = f"serial:///dev/serial/by-id/{UNNAMED}{{}}-HERE"  # a port that `robotd check` finds missing on the robot
NETWORKS = {
    "udp": "udp://239.255.77.1:8422?interface=wlan0",  # an address of those kept for one site (RFC 2365)
    "zenoh": f"zenoh://tcp/{UNNAMED}ROUTER-HERE:7447",
}
TABLES = ("", "board", "board.parameters", "radio", "radio.parameters", "http", "log")

Changes = Iterable[tuple[str, str]]
"""Dotted keys of a robot file, each with its value as TOML."""

Tables = dict[str, dict[str, str]]
"""Tables of a robot file by name, each with its keys and their values as TOML."""


def robot_tables(robot: str, mission: Mission, board: str, radio: str, changes: Changes) -> Tables:
    """What a robot file begins with: the ports are still to be named."""
    tables: Tables = {name: {} for name in TABLES}
    tables[""] = {"name": json.dumps(robot), "mission": json.dumps(MISSION)}
    if mission.content.plugins:  # a board or radio of theirs must be named in the robot file too
        tables[""]["plugins"] = json.dumps(mission.content.plugins)
    for table, part in (("board", board), ("radio", radio)):
        tables[table]["name"] = json.dumps(part)
        port = _port(mission, table, part)
        if port:
            tables[table]["port"] = json.dumps(port)
    if radio != "none":
        tables["radio"]["key_file"] = json.dumps(KEY)
    for key, value in changes:
        table, _, name = key.rpartition(".")
        tables.setdefault(table, {})[name] = value
    return tables


def robot_text(robot: str, number: int, mission: str, tables: Mapping[str, Mapping[str, str]]) -> str:
    """The robot file of these tables."""
    about = f"# Robot {robot}, number {number}, of the mission {mission}. Name its ports, then:"
    lines = [about, f"# robotd check {ROBOT}"]
    for name, table in tables.items():
        if table and name:
            lines += ["", f"[{name}]"]
        lines += [f"{key} = {value}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def change_of(text: str) -> tuple[str, str]:
    """KEY=VALUE as (key, value as TOML); a value that is no TOML is a text. ValueError where there is no `=`."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip("."):
        raise ValueError(f"--set {text}: expected KEY=VALUE, as radio.region=eu868")
    try:
        tomllib.loads(f"x = {value}")
    except tomllib.TOMLDecodeError:
        value = json.dumps(value)
    return key, value


def fill(folder: Path, source: Path, mission: Mission, key: str, robot_file: str) -> None:
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


def check(folder: Path, meant: Path) -> None:
    """ConfigError with every fault of a robot's folder, told as of the folder that it is meant to be.

    Ports whose devices are elsewhere are no faults; a beat that the team cannot hold on this radio is one.
    """
    reading = read_robot(folder / ROBOT)
    problems = list(reading.problems)
    if not problems and reading.robot is not None and reading.mission is not None:
        content = reading.mission.content
        check_airtime(reading.robot, content.radio.beat_s, len(content.team), reading.plugins, reading.source)
        problems = reading.source.problems
    if problems:
        where = (str(folder), str(meant))
        raise ConfigError([
            replace(problem, file=problem.file.replace(*where), message=problem.message.replace(*where))
            for problem in problems
        ])  # fmt: skip


def move(fresh: Path, folder: Path) -> None:
    """Put the files of a fresh folder in their place, each whole at any time and as private as it is."""
    for path in sorted(fresh.rglob("*")):
        target = folder / path.relative_to(fresh)
        if path.is_dir():
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)


def chosen(option: str, robots: Iterable[str], texts: Iterable[str], default: str) -> dict[str, str]:
    """`[ROBOT=]NAME` options by robot; ValueError names an unknown robot."""
    found = dict.fromkeys(robots, default)
    for text in texts:
        robot, equals, name = text.rpartition("=")
        if equals and robot not in found:
            near = nearest(robot, found)
            hint = f"; did you mean {near!r}?" if near else ""
            raise ValueError(f"{option} {text}: no robot of the mission is called {robot!r}{hint}")
        found.update({robot: name} if equals else dict.fromkeys(found, name))
    return found


def _port(mission: Mission, table: str, name: str) -> str:
    """The port that stands in a robot file until somebody names it; '' where the part needs none."""
    group = f"robotd.{table}s"
    if name == "none" or name not in mission.plugins.names(group):
        return ""
    plugin: Any = mission.plugins.get(group, name)
    if not getattr(plugin, "needs_port", False):
        return ""
    return NETWORKS.get(schemes_of(plugin)[0]) or PUT.format("BOARD" if table == "board" else "MODEM")
