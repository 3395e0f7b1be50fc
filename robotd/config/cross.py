"""Checks across keys: names that must exist, numbers and ports that must differ, keys that must be readable."""

import contextlib
import math
import os
import socket
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any

from boards.contract import plugin_of
from radio.link import BASE_STATION
from robotd.config.airtime import check_band
from robotd.config.events import check, event_of
from robotd.config.lookup import Mission, find_plugin
from robotd.config.mission import MissionFile
from robotd.config.robot import AddOnPart, BoardPart, RadioPart, RobotFile
from robotd.config.schema import Path_
from robotd.config.source import Source
from robotd.files import keyfile
from robotd.files.nearest import hint, nearest
from robotd.files.plugins import Plugins
from robotd.model.facts import LONGEST_BEATS, MAX_FACTS
from robotd.transport.address import FORMS, LINES, Address, parse_address, scheme_of
from robotd.transport.zenoh import missing

PORTS = "serial:///dev/serial/by-id/..., /dev/... or tcp://host:port"
UNNAMED = "PUT-THE-"  # part of a port that is still to be replaced
RESERVED = {
    "all": "scenario events address all robots by it",
    "default": "tables of values per teammate use it for all other teammates",
    BASE_STATION: "it is the base station's name in key files and events",
}
COMPLETES = ("flag", "count")  # the kinds of fact whose change can mean that a task was completed


def check_mission(mission: MissionFile, source: Source) -> None:
    """Note every fault of a mission whose keys are all of the right kind, or of what is left of one."""
    for name, table in (("team", mission.team), ("tasks", mission.tasks), ("facts", mission.facts)):
        _numbers_differ(name, table, source)
    for name in RESERVED.keys() & mission.team:
        source.fault(("team", name), f"no robot can be called {name!r}: {RESERVED[name]}", "another name")
    if len(mission.facts) > MAX_FACTS:
        source.fault(("facts",), f"{len(mission.facts)} facts; a team's frames carry at most {MAX_FACTS}")
    for name, task in mission.tasks.items():
        if task.completion:
            _check_completion(mission, source, ("tasks", name, "completion"), task.completion)
    for index, fact in enumerate(mission.goal.facts or ()):
        _check_completion(mission, source, ("goal", "facts", index), fact)
    for name, own in mission.sets.items():
        source.is_known(("sets", name, "task"), "task", own.task, source.names("tasks"))
    _check_conditions(mission, source)
    _check_changes(mission, source)
    robots, tasks, resources = source.names("team"), source.names("tasks"), mission.named_resources()
    for index, event in enumerate(mission.event):
        try:
            check(event_of(event), robots, tasks, resources, box=mission.world.get("box") is not None)
        except ValueError as error:
            source.fault(("event", index), str(error))
    _check_durations(mission, source)


def _check_durations(mission: MissionFile, source: Source) -> None:
    """A coordinator's durations are sent in beats, which saturate: at 5.5 minutes with a beat of 0.1 s."""
    most_s = LONGEST_BEATS * mission.radio.beat_s
    tables: dict[Path_, Mapping[str, Any]] = {("coordinator", "parameters"): mission.coordinator.parameters}
    tables |= {("sets", name, "motivation"): own.motivation for name, own in mission.sets.items()}
    tables |= {("tasks", name, "terms"): task.terms for name, task in mission.tasks.items()}
    for path, key, value in ((path, *item) for path, table in tables.items() for item in table.items()):
        if key.endswith("_s") and isinstance(value, int | float) and most_s < value < math.inf:
            message = f"{value:g} s are longer than {LONGEST_BEATS} beats, which frames can carry"
            source.fault((*path, key), message, f"at most {most_s:g}, or a longer beat_s in [radio]")


def _numbers_differ(name: str, table: Mapping[str, Any], source: Source) -> None:
    owners: dict[int, str] = {}
    for key, entry in sorted(table.items(), key=lambda item: bool(source.option_at((name, item[0], "number")))):
        other = owners.setdefault(entry.number, key)
        if other != key:
            source.fault((name, key, "number"), f"{entry.number} is the number of {other!r} already")


def _check_completion(mission: MissionFile, source: Source, at: Path_, name: str) -> None:
    """The fact must be a flag or a count, whose change means that something is completed."""
    fact = mission.facts.get(name)
    if source.is_known(at, "fact", name, source.names("facts")) and fact and fact.kind not in COMPLETES:
        source.fault(at, f"{name!r} is a {fact.kind}; expected a flag or count", "a flag or count")


def _check_conditions(mission: MissionFile, source: Source) -> None:
    """The set of a condition is its own: no coordinator may choose it."""
    owners = {name: f"the set of [sets.{name}]" for name in source.names("sets")}
    for name, one in mission.conditions.items():
        if one.set in owners:
            message = f"{one.set!r} is {owners[one.set]} already; expected a set of this condition's own"
            source.fault(("conditions", name, "set"), message, "another name, with the plug-in as `behavior`")
        owners.setdefault(one.set, f"the set of [conditions.{name}]")


def _check_changes(mission: MissionFile, source: Source) -> None:
    members = source.data.get("team", {})
    types = {str(entry.get("type", "")) for entry in members.values() if isinstance(entry, dict)}
    for group, what, known, changes in (("types", "type of the team", types, mission.types),
                                        ("robots", "robot of the team", members, mission.robots)):  # fmt: skip
        for name, change in changes.items():
            source.is_known((group, name), what, name, known)
            for own in change.sets:
                source.is_known((group, name, "sets", own), "behavior set", own, source.names("sets"))
            for own in change.conditions:
                source.is_known((group, name, "conditions", own), "condition", own, source.names("conditions"))
            for index, own in enumerate(change.without):
                source.is_known((group, name, "without", index), "behavior set", own, source.names("sets"))


def check_robot(
    robot: RobotFile, mission: Mission | None, source: Source, plugins: Plugins, folder: Path, *, here: bool
) -> None:
    """Note every fault of a robot file whose keys are all of the right kind, or of what is left of one.

    `here`: on the robot's own computer, where the key file must be. A port whose device is away is no fault: a
    robot waits for it.
    """
    if mission is not None:
        source.is_known(("name",), "robot of the mission's team", robot.name, mission.content.team)
    owners: dict[str | Address, tuple[Path_, str]] = {}  # the first part with a resource, or on a port
    for at, part in each_device(robot):
        plugin = check_part(part, source, plugins, at)
        if plugin is not None and isinstance(part, BoardPart):
            _check_kind(part, plugin, owners, source, at)
        button = plugin is None or part is not robot.board or plugin_of(plugin).start_button
        if robot.start == "button" and not button:
            source.fault(("start",), f"board {part.name!r} has no start button", '"command" or "at-boot"')
        with contextlib.suppress(ValueError):
            other, owner = owners.setdefault(place_of(part.port), (at, part.name))
            if other != at:
                by = ".".join(map(str, (*other, "port")))
                message = f"{part.port} is the port of {owner!r} already, by {by}: each part has its own"
                source.fault((*at, "port"), message, "another port")
    if robot.radio.name != "none":
        check_band(robot.radio, plugins, source)
        if here:
            numbers = mission.content.numbers() if mission is not None else {}
            check_key(folder / robot.radio.key_file, robot.name, numbers, source)
    if robot.http.token_file and here:
        check_tokens(folder / robot.http.token_file, folder / robot.radio.key_file, source)


def place_of(port: str) -> Address:
    """Where a port leads, however it is written: links are followed, its rate is left out. ValueError."""
    address = parse_address(port)
    path = os.path.realpath(address.path) if address.path else ""
    return replace(address, path=path, host=address.host.lower(), baud=None)


def _check_kind(
    part: BoardPart, plugin: Any, owners: dict[str | Address, tuple[Path_, str]], source: Source, at: Path_
) -> None:
    """Note a board among the add-ons, an add-on as board, and two add-ons with the same resource."""
    is_add_on, among_add_ons = plugin_of(plugin).add_on, isinstance(part, AddOnPart)
    if is_add_on and not among_add_ons:
        message = f"{part.name!r} is an add-on: it belongs under [[add_ons]], beside a board"
        source.fault((*at, "name"), message, "a board")
    elif among_add_ons and not is_add_on:
        message = f"{part.name!r} is a board, and a robot has one, under [board]"
        source.fault((*at, "name"), message, "an add-on")
    for resource in plugin.adds if is_add_on and among_add_ons else ():
        other, owner = owners.setdefault(resource, (at, part.name))
        if other != at:
            message = f"the {resource} comes from {owner!r} already"
            source.fault((*at, "name"), message, "another add-on, or none")


def check_part(part: BoardPart | RadioPart, source: Source, plugins: Plugins, at: Path_) -> Any | None:
    """Note the faults of a board or radio, at its key path; its plug-in, None where there is none."""
    group = "robotd.radios" if isinstance(part, RadioPart) else "robotd.boards"
    plugin = find_plugin(plugins, group, part.name, source, (*at, "name"))
    if plugin is not None:
        source.validate(plugin.Settings, part.parameters, (*at, "parameters"))
        _check_port(part, plugin, source, at)
    return plugin


def each_device(robot: RobotFile) -> Iterator[tuple[Path_, BoardPart | RadioPart]]:
    """The board, the add-ons and the radio (unless it is `none`), each with its key path."""
    yield ("board",), robot.board
    for index, part in enumerate(robot.add_ons):
        yield ("add_ons", index), part
    if robot.radio.name != "none":
        yield ("radio",), robot.radio


def _check_port(part: BoardPart | RadioPart, plugin: Any, source: Source, at: Path_) -> None:
    schemes = plugin_of(plugin).schemes
    expected = ", or ".join([PORTS] * (LINES[0] in schemes) + [FORMS[x] for x in schemes if x not in LINES])
    if part.port and scheme_of(part.port) not in ("", *schemes):
        message = f"{part.name!r} is not reached over {part.port}; expected {expected}"
        source.fault((*at, "port"), message, expected)
    elif part.port:
        try:
            parse_address(part.port)
        except ValueError as error:
            source.fault((*at, "port"), str(error), expected)
    elif plugin_of(plugin).needs_port and not source.is_misspelt((*at, "port")):
        message = f"this key is required: {part.name!r} is reached over a port, expected {expected}"
        source.fault((*at, "port"), message, expected)


def check_devices(robot: RobotFile, source: Source) -> None:
    """Note every port whose device, or the package for it, is not there now, or that is still to be named."""
    for at, part in each_device(robot):
        try:
            address = parse_address(part.port)
        except ValueError:
            continue
        path = address.path
        check_network(part.port, address, source, at)
        interfaces = sorted(name for _, name in socket.if_nameindex()) if address.interface else []
        if address.interface not in ("", *interfaces):
            expected = f"one of {', '.join(interfaces)}"
            message = f"no network interface is called {address.interface!r}; expected {expected}"
            source.fault((*at, "port"), message, expected, nearest(address.interface, interfaces))
        if path and not Path(path).exists():
            beside = sorted(str(entry) for entry in Path(path).parent.glob("*"))
            there = f": {', '.join(beside[:8])}" if beside and path.startswith("/dev/serial/") else ""
            near, expected = nearest(path, beside), f"a device that is plugged in{there}"
            source.fault((*at, "port"), f"{path} is not there; expected {expected}{hint(near)}", expected, near)


def check_network(port: str, address: Address, source: Source, at: Path_) -> None:
    """Note a network that is still to be named, or whose package is not installed; a device is none."""
    if not address.path and UNNAMED in port:
        source.fault((*at, "port"), f"{port} is still to be named", FORMS[address.scheme])
    elif address.endpoints and missing():
        source.fault((*at, "port"), missing(), "that package")


def check_key(path: Path, name: str, numbers: Mapping[str, int], source: Source) -> None:
    """Note why the key file at `path` is none that `name` can sign with; `numbers`: the team's, by name."""

    def read() -> str:
        if keyfile.read(path, numbers).of(numbers.get(name, 0)):
            return ""
        return f"{path} holds no key for {name!r}; add one with: robotd keygen {quote(str(path))} --robot {name}"

    _check_secret(path, "make one for the whole team with", read, source, ("radio", "key_file"))


def check_tokens(path: Path, key_file: Path, source: Source) -> None:
    """Note why the file at `path` holds no tokens for HTTP. They are sent readable: none is of `key_file`."""

    def read() -> str:
        tokens, keys = _keys_in(path), set[bytes]()
        with contextlib.suppress(OSError, keyfile.KeyFileError):  # noted where the radio needs it
            keys = _keys_in(key_file)
        if not tokens & keys:
            return ""
        return f"{path} holds a key that signs frames, of {key_file}; make others with: robotd keygen http.token"

    _check_secret(path, "make one with", read, source, ("http", "token_file"))


def _keys_in(path: Path) -> set[bytes]:
    return {key for keys in keyfile.lines_of(keyfile.text_of(path)).values() for key in keys}


def _check_secret(path: Path, make: str, read: Callable[[], str], source: Source, at: Path_) -> None:
    """Note what is wrong with a file of secrets: what `read` returns, and that others can read it."""
    faults, mode = [], 0
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode)
        faults += [fault] if (fault := read()) else []
    except keyfile.KeyFileError as error:
        faults.append(f"{path}: {error}")
    except OSError:
        mode = 0
        faults.append(f"{path} cannot be read; {make}: robotd keygen {quote(str(path))}")
    if mode & 0o077:
        faults.append(f"{path} can be read by others (mode {mode:04o}); run: chmod 0600 {quote(str(path))}")
    if faults:
        source.fault(at, "; ".join(faults))
