"""`robotd emulate KIND`: an emulated board or modem behind a port that any program opens as a real one."""

import argparse
import asyncio
import contextlib
import json
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from robotd.config.load import Mission, find_mission
from robotd.files.options import add_json, add_repeated
from robotd.files.paths import folder_option
from robotd.files.refusal import DONE, FAILED, Refusal, refuse_on
from robotd.sim.emulated import Emulations, emulations
from robotd.sim.emulation import Device, Emulation, devices_of, read_mission

LOOK_S = 0.25  # between two steps of a room that no one asks for
LAST_PORT = 65535


def add_arguments(parser: argparse.ArgumentParser) -> None:
    kinds = "a board, add-on or modem with an emulator; those of one robot are joined, as pioneer+positioning+xbee"
    parser.add_argument("device", metavar="[ROBOT=]KIND[+KIND...]", nargs="+", help=kinds)
    parser.add_argument("--team", action="store_true", help="each robot of the mission has what names no robot")
    parser.add_argument("--mission", default="patrol", help="whose room and robots these are (patrol)")
    parser.add_argument("--tcp", type=_port, metavar="PORT", help="TCP ports from this one on (0: free ones)")
    links = "links that outlive a restart: DIR/ROBOT-KIND, each to its pseudo-terminal"
    parser.add_argument("--links", type=folder_option, metavar="DIR", help=links)
    parser.add_argument("--seed", type=int, default=1, help="of the noise of senses and the faults of lines (1)")
    add_repeated(parser, "--plugin", "FILE.py", "a file that brings a board or modem with its emulator")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Exit status: 0 once control-C, SIGTERM or SIGHUP has ended it, 1 where a port or link cannot be made, 2 for
    what it cannot use."""
    with refuse_on(ValueError):
        mission = read_mission(find_mission(args.mission), args.plugin)
        known = emulations(mission.plugins)
        team = sorted(mission.content.team, key=lambda name: mission.content.team[name].number)
        devices = devices_of(args.device, team, known, team=args.team)
    with refuse_on(status=FAILED):
        asyncio.run(_serve(mission, devices, known, args))
    return DONE


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is no TCP port; expected 0 to {LAST_PORT}")
    return int(text)


async def _serve(mission: Mission, devices: Sequence[Device], known: Emulations, args: argparse.Namespace) -> None:
    """Until a signal comes."""
    ended, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, ended.set)
    emulation = Emulation(mission, devices, known, args.seed, args.tcp)
    try:
        paths = {device: emulation.path(device) for device in devices}
        with link_ports(args.links, paths) as names:
            _report(names, emulation, as_json=args.json)
            while not ended.is_set():
                emulation.advance()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(ended.wait(), LOOK_S)
    finally:
        emulation.close()


def _report(ports: dict[Device, str], emulation: Emulation, *, as_json: bool) -> None:
    if as_json:
        entries = [{**device._asdict(), "port": port, "parameters": emulation.parameters(device)}
                   for device, port in ports.items()]  # fmt: skip
        print(json.dumps({"devices": entries}), flush=True)
        return
    for device, port in ports.items():
        print(f"{device.robot}: {device.part} {device.name} at {port}")
        for line in _table(emulation.parameters(device)):
            print(f"    {line}")
    print("open each port as that of a real device; control-C ends", flush=True)


def _table(parameters: dict[str, Any]) -> list[str]:
    """The lines of a robot file that the device needs."""
    import tomli_w

    return tomli_w.dumps({"parameters": parameters}).splitlines() if parameters else []


@contextlib.contextmanager
def link_ports(folder: Path | None, paths: dict[Device, str]) -> Iterator[dict[Device, str]]:
    """While inside, `folder` has a link to each pseudo-terminal, and the ports are named by them.

    A link that is there already, as one of a run that was killed, is replaced; Refusal for anything else.
    """
    links: dict[Device, Path] = {}
    try:
        for device, path in paths.items():
            if folder is not None and path.startswith("/"):
                links[device] = _link(folder, device, path)
        yield {device: str(links.get(device, path)) for device, path in paths.items()}
    finally:
        for link in links.values():
            link.unlink(missing_ok=True)


def _link(folder: Path, device: Device, path: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    link = folder.resolve() / f"{device.robot}-{device.name}"
    if link.exists() and not link.is_symlink():
        raise Refusal(f"{link} is there and is no link: choose another folder with --links", FAILED)
    link.unlink(missing_ok=True)
    link.symlink_to(path)
    return link
