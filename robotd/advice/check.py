"""All faults of a robot or mission file, and the advice on it."""

import dataclasses
import socket
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from robotd.advice.advice import Advice, advise_mission, advise_robot
from robotd.config.load import ConfigError, Mission, Problem, Source, find_mission, load_mission, read_robot
from robotd.config.mission import MissionFile
from robotd.config.robot import RobotFile


@dataclasses.dataclass(frozen=True)
class Report:
    """The result of a check; `kind`: robot, mission, or '' if unknown; `team`: its robots."""

    file: str
    kind: str
    name: str
    problems: list[Problem]
    advice: Advice
    team: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {
            "file": self.file,
            "kind": self.kind or None,
            "name": self.name,
            "ok": not self.problems,
            "problems": [dataclasses.asdict(problem) for problem in self.problems],
            **self.advice.as_json(),
        }


class Changes(NamedTuple):
    """What options change of a mission: values by key, the option of each, and further files with plug-ins."""

    values: Mapping[str, Any] = MappingProxyType({})
    named: Mapping[str, str] = MappingProxyType({})
    plugins: Sequence[str] = ()

    def load(self, path: Path) -> Mission:
        """The mission with them; ConfigError."""
        return load_mission(path, self.values, self.named, self.plugins)


UNCHANGED = Changes()


def check(
    name: str, *, here: bool = True, running: Callable[[], Collection[str]] = tuple, changes: Changes = UNCHANGED
) -> Report:
    """All about a robot file, a mission file, or an installed mission, which `changes` are of.

    `here`: on the robot's own computer, where `running` gives the names of the robots that run now.
    """
    try:
        path = Path(name) if Path(name).is_file() else find_mission(name)
        kind = kind_of(Source.read(path))
        return _check_robot(path, running if here else None) if kind == "robot" else _check_mission(path, changes)
    except ConfigError as error:
        return Report(name, "", "", error.problems, Advice())


def kind_of(source: Source) -> str:
    """robot or mission, by the keys that stand at the top; ConfigError where neither has any of them."""
    keys = set(source.data)
    robot, mission = set(RobotFile.model_fields), set(MissionFile.model_fields)
    as_robot, as_mission = len(keys & (robot - mission)), len(keys & (mission - robot))
    if as_robot == as_mission == 0:
        message = "neither a robot file (one has [board]) nor a mission file (one has [team], [tasks], [sets])"
        raise ConfigError([Problem(source.file, 0, "", message)])
    return "robot" if as_robot >= as_mission else "mission"


def _check_robot(path: Path, running: Callable[[], Collection[str]] | None) -> Report:
    here = running is not None
    reading = read_robot(path, here=here)
    reading.check_team(here=here)
    robot, mission, name = reading.robot, reading.mission, str(reading.source.data.get("name", ""))
    if reading.problems or robot is None or mission is None:
        return Report(str(path), "robot", name, sorted(reading.problems), Advice())
    advice = advise_robot(robot, mission, reading.plugins)
    if running is not None and robot.name not in running():
        advice.warnings += _find_taken(robot)
    return Report(str(path), "robot", name, [], advice, tuple(mission.content.team))


def _find_taken(robot: RobotFile) -> list[str]:
    """What another program uses and `robotd run` would need now: its TCP ports."""
    return [
        f"{what} on {part.host} port {part.port}: {why}; robotd run starts without it and tries again"
        for what, part in (("HTTP", robot.http), ("Foxglove", robot.foxglove))
        if part.enabled and part.port and (why := taken(part.host, part.port))
    ]


def taken(host: str, port: int) -> str:
    """Why this computer cannot listen there now; '' where it can."""
    try:
        probe(host, port)
    except OSError as error:
        return error.strerror or str(error)
    return ""


def probe(host: str, port: int) -> None:
    """OSError where this computer cannot listen there now."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the daemon does
        one.bind((host, port))


def _check_mission(path: Path, changes: Changes) -> Report:
    try:
        mission = changes.load(path)
    except ConfigError as error:
        return Report(str(path), "mission", "", error.problems, Advice())
    content = mission.content
    return Report(str(path), "mission", content.name, [], advise_mission(mission), tuple(content.team))
