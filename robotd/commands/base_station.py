"""`robotd base-station MISSION --radio ...`: slice the channel of a team, and bridge radios of several kinds."""

import argparse
import asyncio
import json
import logging
import os
import stat
from pathlib import Path

from radio.link import BASE_STATION
from robotd.advice.slots import missed_slots
from robotd.config.base_station import FORM, StationConfig, read_station
from robotd.config.robot import HttpPart, http_part_of
from robotd.daemon.base_station import Station
from robotd.daemon.logging import MessageWriter, set_up_logging
from robotd.files.options import add_repeated
from robotd.files.paths import folder, folder_option
from robotd.files.refusal import DONE, Refusal
from robotd.files.state import FolderInUseError, lock_folder
from robotd.status.station import StationStatus, changes, first_words

log = logging.getLogger(__name__)
STDOUT = 1
PORT = 8422
DRAIN_S = 0.5  # for its last status to be read


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("mission", help="the team's mission: the name of an installed one, or a file")
    example = FORM.partition("as ")[2]
    radios = f"a radio, with settings as in a robot file's [radio]: {example}; several radios are bridged"
    add_repeated(parser, "--radio", "MODEM@PORT[,KEY=VALUE...]", radios)
    parser.add_argument(
        "--key-file", type=Path, default=Path("team.key"), help="the team's keys (default team.key)"
    )
    parser.add_argument("--state", type=folder_option, metavar="DIR", help="folder for what it must remember")
    parser.add_argument("--http", metavar="ADDRESS[:PORT]", help=f"serve its page there, as 127.0.0.1:{PORT}")
    add_repeated(parser, "--allow-host", "NAME", "a further name by which browsers may reach this computer")
    parser.add_argument("--json", action="store_true", help="print its status as a JSON line every 10 s")


def run(args: argparse.Namespace) -> int:
    """Exit status: 0 after SIGTERM or control-C, 1 where its memory cannot be kept, 2 for what it cannot use."""
    config = read_station(args.mission, args.radio, args.key_file)
    set_up_logging(BASE_STATION)
    if missed := missed_slots(config.mission.content):  # of a mission without a base station no check warns of it
        log.warning("%s", missed)
    out = MessageWriter(STDOUT)
    state = args.state or folder("state")
    try:
        http = http_part_of(args.http, args.allow_host, "--http", PORT) if args.http else None
        with lock_folder(state):
            asyncio.run(_serve(config, state, out, http, as_json=args.json))
    except ValueError as error:
        raise Refusal(str(error)) from error
    except FolderInUseError as error:
        raise Refusal(f"--state: {error}: each base station needs its own") from None
    out.drain(DRAIN_S)
    return DONE


async def _serve(
    config: StationConfig, state: Path, out: MessageWriter, http: HttpPart | None, *, as_json: bool
) -> None:
    printed: list[StationStatus] = []

    def report(status: StationStatus) -> None:
        if as_json:
            print(json.dumps(status.model_dump()), file=out)
        else:
            for words in changes(printed[0], status) if printed else [first_words(status)]:
                print(words, file=out)
        printed[:] = [status]

    station = Station(config, state, report, http)
    if stat.S_ISFIFO(os.fstat(STDOUT).st_mode):  # it is readable once its reader, such as a simulation, is gone
        asyncio.get_running_loop().add_reader(STDOUT, station.stop)
    try:
        await station.run()
    except ExceptionGroup as group:  # a part's end is that of all, and is reported as what it was
        raise group.exceptions[0] from None
