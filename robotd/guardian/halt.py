"""Stopping the motors behind ports that no running daemon looks after: blocking, and bounded whatever they do."""

import socket
import sys
import threading
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from boards.contract import plugin_of
from robotd.files.plugins import Plugins, UnknownPlugin, load_files
from robotd.model.serial import LineSettings
from robotd.timing import clock
from robotd.transport.address import Address, line_address
from robotd.transport.connection import reason_of
from robotd.transport.serial import serial_port
from robotd.transport.tty import write_last

LOAD_S = 3.0  # for each file with plug-ins
LIMIT_S = 3.0  # for all ports together: they are halted side by side
CONNECT_S = 2.0
Build = Callable[[Callable[..., Any], Mapping[str, Any], str], Any]
BY_HAND = "mend it, or use robotd halt PORT --board NAME"
T = TypeVar("T")


class Target(NamedTuple):
    """A port, how it is opened, and the halt of the board behind it."""

    address: Address
    line: LineSettings
    halt: bytes


class Parts(NamedTuple):
    """The ports that can be halted, and in words what is wrong with the others."""

    targets: list[Target]
    problems: list[str]


def _build(kind: Callable[..., Any], data: Mapping[str, Any], where: str) -> Any:
    return kind(**data)


def target(
    port: str, board: str, parameters: Mapping[str, Any], plugins: Plugins, build: Build = _build
) -> Target | None:
    """The target for a board or add-on at `port`; None for one without a port or motors. ValueError, with why."""
    try:
        plugin = plugins.get("robotd.boards", board)
        if not plugin_of(plugin).needs_port:
            return None
        device = plugin(build(plugin.Settings, parameters, f"{board}: "))
    except (UnknownPlugin, ValueError) as error:
        raise ValueError(str(error)) from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a plug-in may raise anything
        raise ValueError(f"{board} cannot be used: {type(error).__name__}: {error}") from None
    return Target(line_address(port), device.line, device.halt) if device.halt else None


def parts_of(robot_file: Path, build: Build = _build) -> Parts:
    """The board and add-ons of a robot file, of which nothing else need be right.

    A board that is installed needs none of the file's plug-ins, so that these can hinder no halt but their own.
    `build` makes settings of a table (kind, table, prefix of messages). ValueError if the parts cannot be found
    at all, OSError if the file cannot be read.
    """
    try:
        data = tomllib.loads(robot_file.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{robot_file}: {error}; {BY_HAND}") from None
    found = Parts([], [])
    installed, own = Plugins(), None
    known = installed.names("robotd.boards")
    listed = [data.get("board", {}), *_if(list, data.get("add_ons"))]
    for part in sorted(listed, key=lambda part: _if(dict, part).get("name") not in known):
        if not isinstance(part, dict) or not isinstance(part.get("name"), str):
            found.problems.append(f"{robot_file}: a board or add-on without a name; {BY_HAND}")
            continue
        plugins = installed
        if part["name"] not in known:
            plugins = own = own or _load_plugins(robot_file, _if(list, data.get("plugins")), found.problems)
        try:
            parameters = _if(dict, part.get("parameters"))
            one = target(str(part.get("port", "")), part["name"], parameters, plugins, build)
        except ValueError as error:
            found.problems.append(f"{robot_file}: {error}; {BY_HAND}")
            continue
        if one is not None:
            found.targets.append(one)
    return found


def _if(kind: type[T], value: object) -> T:
    """`value` where it is of that kind; else an empty one."""
    return value if isinstance(value, kind) else kind()


def _load_plugins(robot_file: Path, names: Iterable[object], problems: list[str]) -> Plugins:
    """The plug-ins of the files that can be loaded; a problem for each other, also one that does not end."""
    good: list[Path] = []
    out = sys.stdout
    for path in [robot_file.parent / name for name in names if isinstance(name, str)]:
        outcome = [f"it is not loaded within {LOAD_S:g} s"]
        loading = threading.Thread(target=_try_to_load, args=(path, outcome), daemon=True)
        loading.start()
        loading.join(LOAD_S)
        sys.stdout = out  # which it leaves to standard error while it loads
        if outcome[-1]:
            problems.append(f"{robot_file}: plug-in {path.name}: {outcome[-1]}")
        else:
            good.append(path)
    return load_files(good)


def _try_to_load(path: Path, outcome: list[str]) -> None:
    try:
        load_files([path])
        outcome.append("")
    except Exception as error:  # noqa: BLE001 - a plug-in may raise anything
        outcome.append(f"{type(error).__name__}: {error}")


def halt_all(targets: Iterable[Target]) -> dict[str, str]:
    """Halt every target, side by side; for each address what went wrong, '' if its halt has left."""
    outcomes: dict[str, str] = {}
    threads = []
    for one in targets:
        outcomes[str(one.address)] = f"did not take the halt within {LIMIT_S:g} s"
        threads.append(threading.Thread(target=_note, args=(one, outcomes), daemon=True))
        threads[-1].start()
    end = clock.monotonic() + LIMIT_S
    for thread in threads:
        thread.join(max(0.0, end - clock.monotonic()))
    return dict(outcomes)


def _note(one: Target, outcomes: dict[str, str]) -> None:
    """Halt one target, and note why it failed."""
    try:
        halt(one)
        outcomes[str(one.address)] = ""
    except OSError as error:
        outcomes[str(one.address)] = reason_of(error)


def halt(one: Target) -> None:
    """Write the halt ahead of all that is queued, and wait until it has left; OSError if it does not.

    Neither lock of a serial port is asked for, as the program that holds it may be the one that hangs.
    """
    if not one.address.path:
        with socket.create_connection((one.address.host, one.address.port), CONNECT_S) as link:
            link.sendall(one.halt)
            link.shutdown(socket.SHUT_WR)
            return
    port = serial_port(one.address, one.line, exclusive=False)
    try:
        write_last(port.fileno(), one.halt)
    finally:
        port.close()
