"""`robotd sim MISSION`: a mission's whole team in a simulated world."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robotd.commands.earlier import check_unused, find_unused, replace_log
from robotd.config.verbs import VERBS
from robotd.files.options import add_json, add_repeated, split_pair
from robotd.files.output import keep_stdout
from robotd.files.paths import folder_option
from robotd.files.refusal import DONE, FAILED, refuse_on, refuse_unwritten
from robotd.files.state import FolderInUseError, lock_folder
from robotd.files.toml import value_of

if TYPE_CHECKING:  # --help needs no pydantic
    from robotd.config.load import Mission
    from robotd.sim.activity_trace import Outcome


def add_arguments(parser: argparse.ArgumentParser) -> None:
    cut = "cut the run after so many seconds; exit status 0, but 1 if ticks raised"
    boards = "mock, or a board with an emulator; an unknown name lists them"
    bridge = "a base station bridges modems of different kinds, each kind in an air of its own"
    parser.add_argument("mission", help="an installed mission's name, or a mission file")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same run (default 1)")
    parser.add_argument("--speed", metavar="FACTOR", help="of real time, such as 10; or max (default)")
    parser.add_argument("--duration", type=float, default=float("inf"), help=cut)
    add_repeated(
        parser, "--event", '"AT VERB WHO [ARG]"', f"AT: s, or box:METRES of its way; verbs: {', '.join(VERBS)}"
    )
    add_repeated(parser, "--set", "KEY=VALUE", "change a key of the mission")
    add_repeated(parser, "--board", "[ROBOT=]NAME[+ADD-ON]", boards)
    add_repeated(parser, "--radio", "[ROBOT=]NAME", "mock, transparent, xbee, reyax, udp or zenoh")
    parser.add_argument("--base-station", action="store_true", help=bridge)
    parser.add_argument("--coordinator", help="the coordinator, in place of the mission's")
    add_repeated(parser, "--plugin", "FILE", "a Python file with plug-ins, besides the mission's")
    parser.add_argument("--bytes", action="store_true", help="boards and modems speak real bytes to emulators")
    parser.add_argument("--processes", action="store_true", help="each robot is its own robotd run, in real time")
    add_json(parser)
    parser.add_argument("--log", metavar="FILE", help="the run log; none writes none (default: in --out)")
    where = "folder for what is written (default ./robotd-MISSION-SEED)"
    parser.add_argument("--out", metavar="DIR", type=folder_option, help=where)


def run(options: argparse.Namespace) -> int:
    """Exit status 0 accomplished, or cut by --duration with no tick raised; 1 neither; Refusal for bad usage.

    So a run cut by --duration in which ticks raised ends with 1: a robot whose tick raised does not move until
    acknowledged, and such a run proves little.
    """
    from robotd.config.load import find_mission, load_mission

    other = "file with --log FILE" if options.log else "folder with --out DIR"
    with refuse_on(ValueError), refuse_unwritten(options.log or options.out or "the run log", other):
        values, named = changes_of(options)
        speed = speed_of(options.speed or "max")
        if not options.duration > 0:
            raise ValueError(f"--duration {options.duration:g}: expected a positive number of seconds")
        with keep_stdout(for_json=options.json):
            mission = load_mission(find_mission(options.mission), values, named, options.plugin)
            replaced = ""
            if options.processes:
                outcome = _as_processes(mission, speed, options)
            else:
                outcome, replaced = _in_process(mission, speed, options)
    print_outcome(outcome, options.json, replaced)
    cut = outcome.duration_s >= options.duration and not outcome.extra.get("raised")
    return DONE if outcome.accomplished or cut else FAILED


def _as_processes(mission: Mission, speed: float | None, options: argparse.Namespace) -> Outcome:
    from robotd.sim.emulated import MOCK
    from robotd.sim.parts import parts_of
    from robotd.sim.processes import run_processes
    from robotd.transport.zenoh import missing

    if options.speed is not None and speed != 1.0:
        raise ValueError(f"--speed {options.speed}: with --processes the robots run in real time; leave it out")
    if options.log is not None:
        raise ValueError(f"--log {options.log}: with --processes each robot keeps a log of its own in --out")
    parts = parts_of(
        mission, options.board, options.radio, all_bytes=True, base_station=options.base_station, installed=True
    )
    for option, chosen in (("--board", parts.boards), ("--radio", parts.radios)):
        if any(part.partition("+")[0] == MOCK for part in chosen.values()):
            raise ValueError(f"{option} {MOCK}: with --processes boards and radios speak real bytes")
    if "zenoh" in parts.radios.values() and missing():
        raise ValueError(f"--radio zenoh: {missing()}")
    _check_run(mission, options)
    team, usual = mission.content.team, Path(f"robotd-{mission.content.name}-{options.seed}-processes")
    out = Path(options.out) if options.out else find_unused(usual, team)
    options.out = str(out)
    try:
        with lock_folder(out):
            check_unused(out, team)
            return run_processes(mission, options)
    except FolderInUseError as error:
        raise ValueError(f"{error}; choose another with --out DIR") from None


def _check_run(mission: Mission, options: argparse.Namespace) -> None:
    """What cannot run replaces no earlier run: ConfigError or ValueError for its events and its world."""
    from robotd.sim.director import script_of
    from robotd.sim.team import build_world

    script_of(mission, options.event)
    build_world(mission, options.seed)


def _in_process(mission: Mission, speed: float | None, options: argparse.Namespace) -> tuple[Outcome, str]:
    from robotd.api import simulate
    from robotd.sim.host import progress_bar
    from robotd.sim.parts import parts_of

    parts = parts_of(mission, options.board, options.radio, options.bytes, options.base_station)
    _check_run(mission, options)
    log = log_of(mission.content.name, options)
    replaced = replace_log(log) if log is not None else ""
    with progress_bar(mission.content.time_limit_s, options.json) as progress:
        outcome = simulate(
            mission, options.seed, events=options.event, duration_s=options.duration, speed=speed, log=log,
            parts=parts, progress=progress,
        )  # fmt: skip
    return outcome, replaced


def log_of(mission: str, options: argparse.Namespace) -> Path | None:
    """Where the run log goes, or None."""
    if options.log == "none":
        return None
    out = Path(options.out or f"robotd-{mission}-{options.seed}")
    return Path(options.log) if options.log else out / "run.jsonl"


def changes_of(options: argparse.Namespace) -> tuple[dict[str, Any], dict[str, str]]:
    """By key of the mission file its value by `--set` or `--coordinator`, and that option; ValueError.

    Values are TOML, or text where that fails.
    """
    values, named = dict[str, Any](), dict[str, str]()
    for text in options.set:
        key, value = split_pair(text, "--set", "radio.loss=0.1")
        values[key], named[key] = value_of(value), f"--set {text}"
    if options.coordinator:
        key = "coordinator.name"
        values[key], named[key] = options.coordinator, f"--coordinator {options.coordinator}"
    return values, named


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


def station_words(of: Any) -> str:
    """What the base station did since it last started."""
    longer = f" ({of['why_longer']})" if of["why_longer"] else ""
    radios = [f"{name} {r['beacons']} beacons, {r['repeated']} repeated" for name, r in of["radios"].items()]
    return f"{of['slots']} slots in a beat of {of['beat_s']:g} s{longer}; {'; '.join(radios)}"


def _refused_words(refused: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Tasks that could not be added, by task and reason, as often as each was refused."""
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for one in refused:
        found.setdefault((one["task"], one["why"]), []).append(one)
    for (task, why), each in found.items():
        times = f", {len(each)} times" if len(each) > 1 else ""
        cause = re.sub(rf"^({re.escape(task)}: )+", "", why)
        yield f"{task}: {cause} ({each[0]['robot']} at {each[0]['at_s']:.0f} s{times})"


def print_outcome(outcome: Outcome, as_json: bool, replaced: str = "") -> None:
    """For people: the timeline, how it ended, and which earlier run was replaced; for programs: one object."""
    if as_json:
        print(json.dumps(outcome.as_json()))
        return
    for line in outcome.story.lines(outcome.robots):
        print(line)
    extra: Mapping[str, Any] = outcome.extra
    for one in extra.get("happened", ()):
        print(f"event      {one['at_s']:g} s {' '.join(filter(None, (one['verb'], one['robot'], one['arg'])))}")
    of = extra.get("introduced", {})
    for task, occasions in sorted(outcome.story.done.items()):
        times = ", ".join(f"{at:.0f} s by {by}" for at, by in occasions)
        print(f"done       {task}{f' ({of[task]})' if task in of else ''}: {times}")
    for line in _refused_words(extra.get("refused", ())):
        print(f"refused    {line}")
    when = f" at {outcome.duration_s:.1f} s" if outcome.accomplished else ""  # else the reason has it
    print(f"{outcome.mission}, seed {outcome.seed}: {outcome.reason}{when}")
    if outcome.ending:
        print(f"ending     {outcome.ending}")
    for robot, error in sorted(extra.get("raised", {}).items()):
        print(f"raised     {robot}: {error}; it did not move from then on, until acknowledged")
    if "base_station" in extra:
        print(f"base       {station_words(extra['base_station'])}")
    for event, why in extra.get("never_happened", {}).items():
        print(f"never      {event}: {why}")
    if outcome.log:
        print(f"log        {outcome.log}")
    if replaced:
        print(f"replaces   {replaced}")
