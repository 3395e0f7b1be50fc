"""`robotd halt`: stop the motors behind ports, whatever was running."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from robotd.files.paths import installed_robot
from robotd.files.refusal import Refusal, refuse_on
from robotd.guardian import halt_cache

if TYPE_CHECKING:
    from robotd.guardian.halt import Parts, Target


def add_arguments(parser: argparse.ArgumentParser) -> None:
    ports = "ports as in a robot file, or robot files for all of theirs (default: the installed robot file)"
    plugged = "of a robot file's ports halt the one that this device is, if any: what udev starts"
    parser.add_argument("targets", metavar="PORT|ROBOT.toml", nargs="*", help=ports)
    parser.add_argument("--board", metavar="NAME", help="what is behind the ports that are named here")
    parser.add_argument("--plugged", metavar="DEVICE", help=plugged)


def run(args: argparse.Namespace) -> int:
    """Exit status: 0 once every halt has left, 1 if one could not (it is reported), 2 for bad usage.

    Whatever is wrong with some of the ports, the others are halted first; those of the halt cache before a
    plug-in is loaded.
    """
    if args.plugged is not None:
        with refuse_on(ValueError):
            return _report(_halt_plugged(args.plugged, args.targets or [str(installed_robot())]))
    if not args.targets and not installed_robot().exists():
        raise Refusal(
            "name a port and its board (robotd halt /dev/ttyUSB0 --board r2), or a robot file "
            f"(robotd halt robot.toml); no robot is installed here, as {installed_robot()} is not there"
        )
    cached, names = _halt_cached(args.targets or [str(installed_robot())])
    failed = _report(cached)
    if not names:
        return failed
    from robotd.guardian.halt import halt_all

    found = _find_parts(names, args.board)
    if not found.targets and not found.problems and not cached:
        print("no port to halt: these boards have none")
    failed |= _report(halt_all(one for one in found.targets if one.address.path not in cached))
    if found.problems:
        raise Refusal("\n".join(found.problems))
    return failed


def _halt_cached(names: Sequence[str], device: str = "") -> tuple[dict[str, str], list[str]]:
    """Halt the ports in the caches of robot files, those of one `device` alone where it is given.

    The outcome by port, and the names whose ports are not all in a cache.
    """
    caches = {name: halt_cache.read_cache(Path(name)) for name in names if name.endswith(".toml")}
    entries = [entry for cache in caches.values() if cache for entry in cache.ports]
    outcomes = {one.path: _halt(one) for one in entries if not device or os.path.realpath(one.path) == device}
    return outcomes, [name for name in names if not (cache := caches.get(name)) or not cache.complete]


def _report(outcomes: Mapping[str, str]) -> int:
    """Report how each halt went; the exit status."""
    for address, trouble in outcomes.items():
        print(f"{address}: {trouble or 'halted'}", file=sys.stderr if trouble else sys.stdout)
    return 1 if any(outcomes.values()) else 0


def _halt_plugged(device: str, robot_files: Sequence[str]) -> dict[str, str]:
    """Halt what of the robots is behind `device`; what went wrong by port, nothing where it is none of theirs."""
    real = os.path.realpath(device)
    outcomes, others = _halt_cached(robot_files, real)
    for robot_file in others if not outcomes else ():
        outcomes |= _halt_by_plugin(real, Path(robot_file))
    if not outcomes:
        print(f"{device}: no board of {', '.join(robot_files)} is behind it")
    return outcomes


def _halt(entry: halt_cache.Entry) -> str:
    try:
        halt_cache.halt(entry)
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _halt_by_plugin(device: str, robot_file: Path) -> dict[str, str]:
    """The same without a cache: the board's plug-in has its halt."""
    from robotd.config.explain import build_model
    from robotd.guardian.halt import halt_all, parts_of

    found = parts_of(robot_file, build_model)
    paths = ((one, one.address.path) for one in found.targets)
    outcomes = halt_all(one for one, path in paths if path and os.path.realpath(path) == device)
    return {**outcomes, **dict.fromkeys(found.problems, "not halted")}


def _find_parts(names: Sequence[str], board: str | None) -> Parts:
    from robotd.config.explain import build_model
    from robotd.guardian.halt import Parts, parts_of

    found = Parts([], [])
    for name in names:
        try:
            with refuse_on(ValueError):
                if name.endswith(".toml"):
                    parts = parts_of(Path(name), build_model)
                    found.targets.extend(parts.targets)
                    found.problems.extend(parts.problems)
                else:
                    found.targets.append(_at_port(name, board))
        except Refusal as error:
            found.problems.append(str(error))
    return found


def _at_port(port: str, board: str | None) -> Target:
    from robotd.files.plugins import Plugins
    from robotd.guardian.halt import target

    if board is None:
        names = ", ".join(Plugins().names("robotd.boards"))
        raise ValueError(f"name what is behind {port}: --board NAME, one of {names}")
    one = target(port, board, {}, Plugins())
    if one is None:
        raise ValueError(f"{board} has no port, or no motors behind it")
    return one
