"""`robotd sim MISSION`: a mission's whole team in a simulated world."""

from __future__ import annotations

import argparse
import errno
import json
import sys
from pathlib import Path
from typing import Any

from robotd.commands.earlier import replace_log, replace_processes
from robotd.config.events import VERBS
from robotd.config.load import ConfigError, Mission, find_mission, load_mission
from robotd.files.output import keep_stdout
from robotd.files.paths import folder_option
from robotd.files.state import FolderInUseError, lock_folder
from robotd.files.toml import value_of
from robotd.sim.activity_trace import Outcome


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `robotd sim`."""
    verbs = ", ".join(VERBS)
    parser.add_argument("mission", help="an installed mission's name, or a mission file")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same run (default 1)")
    parser.add_argument("--speed", metavar="FACTOR", help="of real time, such as 10; or max (default)")
    cut = "cut the run after so many seconds; exit status 0, but 1 if ticks raised"
    parser.add_argument("--duration", type=float, default=float("inf"), help=cut)
    many: dict[str, Any] = {"action": "append", "default": []}
    parser.add_argument("--event", **many, metavar='"AT VERB WHO [ARG]"', help=f"verbs: {verbs}")
    parser.add_argument("--set", **many, metavar="KEY=VALUE", help="change a key of the mission")
    parser.add_argument(
        "--board",
        **many,
        metavar="[ROBOT=]NAME[+ADD-ON]",
        help="mock, or a board with an emulator; a name that is none lists them",
    )
    parser.add_argument(
        "--radio", **many, metavar="[ROBOT=]NAME", help="mock, transparent, xbee, reyax, udp or zenoh"
    )
    bridge = "a base station bridges modems of different kinds, each kind in an air of its own"
    parser.add_argument("--base-station", action="store_true", help=bridge)
    parser.add_argument("--coordinator", help="the coordinator, in place of the mission's")
    parser.add_argument(
        "--plugin", **many, metavar="FILE", help="a Python file with plug-ins, besides the mission's"
    )
    parser.add_argument("--bytes", action="store_true", help="boards and modems speak real bytes to emulators")
    parser.add_argument("--processes", action="store_true", help="each robot is its own robotd run, in real time")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--log", metavar="FILE", help="the run log; none writes none (default: in --out)")
    where = "folder for what is written (default ./robotd-MISSION-SEED)"
    parser.add_argument("--out", metavar="DIR", type=folder_option, help=where)


def run(options: argparse.Namespace) -> int:
    """Exit status 0 accomplished, or cut by --duration with no tick raised; 1 neither; 2 bad usage or files.

    So a run cut by --duration in which ticks raised ends with 1: a robot whose tick raised stands still until
    acknowledged, and such a run says little.
    """
    try:
        changes = changes_of(options)
        speed = speed_of(options.speed or "max")
        if not options.duration > 0:
            raise ValueError(f"--duration {options.duration:g}: expected a positive number of seconds")
        if options.processes:
            _check_processes(options, speed)
        with keep_stdout(for_json=options.json):
            mission = load_mission(find_mission(options.mission), changes, options_of(options), options.plugin)
            for warning in mission.warnings:
                sys.stderr.write(f"warning: {warning}\n")
            outcome, replaced = (
                _as_processes(mission, options) if options.processes else _in_process(mission, speed, options)
            )
    except (ConfigError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except OSError as error:
        sys.stderr.write(f"{not_written(error, options.log or options.out, log=bool(options.log))}\n")
        return 2
    print_outcome(outcome, options.json, replaced)
    return 0 if outcome.accomplished or (outcome.duration_s >= options.duration and not raised_in(outcome)) else 1


def _check_processes(options: argparse.Namespace, speed: float | None) -> None:
    """ValueError for what is of no use where each robot is a process."""
    if options.speed is not None and speed != 1.0:
        raise ValueError(f"--speed {options.speed}: with --processes the robots run in real time; leave it out")
    if options.log is not None:
        raise ValueError(f"--log {options.log}: with --processes each robot keeps a log of its own in --out")


def _as_processes(mission: Mission, options: argparse.Namespace) -> tuple[Outcome, str]:
    from robotd.sim.emulated import MOCK
    from robotd.sim.parts import parts_of
    from robotd.sim.processes import run_processes
    from robotd.transport.zenoh import missing

    parts = parts_of(mission, options.board, options.radio, all_bytes=True, base_station=options.base_station)
    for option, chosen in (("--board", parts.boards), ("--radio", parts.radios)):
        if any(part.partition("+")[0] == MOCK for part in chosen.values()):
            raise ValueError(f"{option} {MOCK}: with --processes boards and radios speak real bytes")
    if "zenoh" in parts.radios.values() and missing():
        raise ValueError(f"--radio zenoh: {missing()}")
    _check_run(mission, options)
    options.out = str(processes_of(mission.content.name, options))
    try:
        with lock_folder(Path(options.out)):
            replaced = replace_processes(Path(options.out), mission.content.team)
            return run_processes(mission, options), replaced
    except FolderInUseError as error:
        raise ValueError(f"{error}; choose another with --out DIR") from None


def _check_run(mission: Mission, options: argparse.Namespace) -> None:
    """What cannot run replaces no earlier run: ConfigError or ValueError for its events and its world."""
    from robotd.sim.script import script_of
    from robotd.sim.team import build_world

    script_of(mission, options.event)
    build_world(mission, options.seed)


def _in_process(mission: Mission, speed: float | None, options: argparse.Namespace) -> tuple[Outcome, str]:
    from robotd.api import simulate
    from robotd.sim.parts import parts_of
    from robotd.sim.progress import progress_bar

    parts = parts_of(mission, options.board, options.radio, options.bytes, options.base_station)
    _check_run(mission, options)
    log = log_of(mission.content.name, options)
    replaced = replace_log(log) if log is not None else ""
    with progress_bar(mission.content.time_limit_s, options.json) as progress:
        outcome = simulate(
            mission,
            options.seed,
            events=options.event,
            duration_s=options.duration,
            speed=speed,
            log=log,
            parts=parts,
            progress=progress,
        )
    return outcome, replaced


def log_of(mission: str, options: argparse.Namespace) -> Path | None:
    """Where the run log goes, or None."""
    if options.log == "none":
        return None
    return Path(options.log) if options.log else out_of(mission, options) / "run.jsonl"


def out_of(mission: str, options: argparse.Namespace) -> Path:
    """The folder for what is written."""
    return Path(options.out) if options.out else Path(f"robotd-{mission}-{options.seed}")


def processes_of(mission: str, options: argparse.Namespace) -> Path:
    """The same with `--processes`."""
    return Path(options.out or f"robotd-{mission}-{options.seed}-processes")


def not_written(error: OSError, where: Path | str | None, *, log: bool = False) -> str:
    """The message where a log or folder cannot be written; `where` as they named it, `log`: by --log."""
    if error.filename is None and error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG):
        return str(error)
    return (
        f"{error.filename or where or 'the run log'}: cannot be written: {error.strerror};"
        f" choose another {'file with --log FILE' if log else 'folder with --out DIR'}"
    )


def changes_of(options: argparse.Namespace) -> dict[str, Any]:
    """`--set` and `--coordinator` as changes of the mission file; values are TOML, or text where that fails."""
    changes: dict[str, Any] = {}
    for text in options.set:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise ValueError(f"--set {text}: expected KEY=VALUE, for example --set radio.loss=0.1")
        changes[key.strip()] = value_of(value)
    if options.coordinator:
        changes["coordinator.name"] = options.coordinator
    return changes


def options_of(options: argparse.Namespace) -> dict[str, str]:
    """For each key of `changes_of`, the option that changes it, as it was given."""
    said = {text.partition("=")[0].strip(): f"--set {text}" for text in options.set}
    if options.coordinator:
        said["coordinator.name"] = f"--coordinator {options.coordinator}"
    return said


def speed_of(text: str) -> float | None:
    """None for max; ValueError where it is neither that nor a positive number."""
    if text == "max":
        return None
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed < float("inf"):
        raise ValueError(f"--speed {text}: expected max, or a factor of real time such as 10")
    return speed


def raised_in(outcome: Outcome) -> dict[str, str]:
    """The robots whose ticks raised, each with what its first one raised."""
    raised = outcome.extra.get("raised")
    return dict(sorted(raised.items())) if isinstance(raised, dict) else {}


def never_happened_in(outcome: Outcome) -> dict[str, str]:
    """The events that did not happen before the end, each with why."""
    left = outcome.extra.get("never_happened")
    return left if isinstance(left, dict) else {}


def station_words(of: Any) -> str:
    """What the base station did since it last started."""
    longer = f" ({of['why_longer']})" if of["why_longer"] else ""
    radios = [f"{name} {r['beacons']} beacons, {r['repeated']} repeated" for name, r in of["radios"].items()]
    return f"{of['slots']} slots in a beat of {of['beat_s']:g} s{longer}; {'; '.join(radios)}"


def print_outcome(outcome: Outcome, as_json: bool, replaced: str = "") -> None:
    """For people: the timeline, how it ended, and which earlier run was replaced; for programs: one object."""
    if as_json:
        print(json.dumps(outcome.as_json()))
        return
    for line in outcome.story.lines(outcome.robots):
        print(line)
    for task, occasions in sorted(outcome.story.done.items()):
        times = ", ".join(f"{at:.0f} s by {by}" for at, by in occasions)
        print(f"done       {task}: {times}")
    print(f"{outcome.mission}, seed {outcome.seed}: {outcome.reason} at {outcome.duration_s:.1f} s")
    for robot, error in raised_in(outcome).items():
        print(f"raised     {robot}: {error}; it stood still from then on, until acknowledged")
    if "base_station" in outcome.extra:
        print(f"base       {station_words(outcome.extra['base_station'])}")
    for event, why in never_happened_in(outcome).items():
        print(f"never      {event}: {why}")
    if outcome.log:
        print(f"log        {outcome.log}")
    if replaced:
        print(f"replaces   {replaced}")
