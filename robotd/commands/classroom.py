"""`robotd class [MISSION]`: one address, a simulated team for each browser, and a page of all for the teacher."""

import argparse
import asyncio
import socket

from robotd.advice.exposure import is_loopback
from robotd.commands.live import PORT, add_run_arguments, end_on_signal, run_of
from robotd.config.robot import HttpPart, http_part_of
from robotd.files.refusal import DONE, refuse_on
from robotd.live.classroom import MOST_SEATS, ClassServer

ANYWHERE = ("0.0.0.0", "::")  # noqa: S104 - compared, not listened on
ELSEWHERE = ("192.0.2.1", 9)  # an address for documentation (RFC 5737): nothing is sent there


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run_arguments(parser, "5")
    parser.add_argument("--seats", type=int, default=30, help="how many teams there may be (default 30)")


def run(options: argparse.Namespace) -> int:
    """Exit status 0 once control-C or SIGTERM has ended it; Refusal for a run that cannot be, or a port in use."""
    with refuse_on(ValueError):
        config = http_part_of(options.bind, options.allow_host, "--bind", PORT)
        if not 1 <= options.seats <= MOST_SEATS:
            raise ValueError(f"--seats {options.seats}: expected 1 to {MOST_SEATS}")
        asyncio.run(_serve(ClassServer(run_of(options), options.seats, config), config))
    return DONE


async def _serve(server: ClassServer, config: HttpPart) -> None:
    ended = end_on_signal()
    async with server:
        if is_loopback(config.host):
            print("only browsers on this computer reach it; --bind 0.0.0.0 lets a class in")
        host = own_address() if config.host in ANYWHERE else config.host
        server.used = lambda: print(f"another browser of the teacher: {server.teacher_link(host)}", flush=True)
        print(f"the class opens {server.url(host)}{server.code}")
        print(f"the teacher opens {server.teacher_link(host)}  (works once; control-C ends)", flush=True)
        await ended.wait()


def own_address() -> str:
    """The address by which others reach this computer, of the interface that leads out; loopback without one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        try:
            line.connect(ELSEWHERE)
        except OSError:
            return "127.0.0.1"
        return str(line.getsockname()[0])
