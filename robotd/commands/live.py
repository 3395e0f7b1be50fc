"""`robotd live [MISSION]`: a simulated team in the browser, to watch, stop, and break."""

import argparse
import asyncio
import signal
import webbrowser
from functools import partial

from robotd.advice.check import probe
from robotd.advice.exposure import is_loopback
from robotd.commands.sim import changes_of, speed_of
from robotd.config.robot import HttpPart, address_of, http_part_of, refused_address
from robotd.files.options import add_repeated
from robotd.files.refusal import DONE, refuse_on
from robotd.live.run import Address
from robotd.live.runs import Run, check_run
from robotd.live.server import LiveServer
from robotd.live.stage import Stage
from robotd.transport.threads import in_thread

PORT, FOXGLOVE_PORT = 8420, 8765


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run_arguments(parser, "10")
    parser.add_argument(
        "--foxglove", metavar="ADDRESS[:PORT]", nargs="?", const=f"127.0.0.1:{FOXGLOVE_PORT}",
        help=f"serve Foxglove and Lichtblick too (default 127.0.0.1:{FOXGLOVE_PORT})",
    )  # fmt: skip
    parser.add_argument("--open", action="store_true", help="open the page in this computer's browser")


def add_run_arguments(parser: argparse.ArgumentParser, speed: str) -> None:
    """What is run, and where its page listens; `speed` is the default."""
    parser.add_argument("mission", nargs="?", default="cleanup", help="an installed mission's name, or a file")
    parser.add_argument("--seed", type=int, default=1, help="the same seed and clicks: the same run (default 1)")
    parser.add_argument("--speed", metavar="FACTOR", default=speed, help=f"of real time, or max (default {speed})")
    add_repeated(parser, "--event", '"AT VERB WHO [ARG]"', "as of robotd sim; the page adds what is clicked")
    add_repeated(parser, "--set", "KEY=VALUE", "change a key of the mission")
    parser.add_argument("--coordinator", help="the coordinator, in place of the mission's")
    add_repeated(parser, "--plugin", "FILE", "a Python file with plug-ins, besides the mission's")
    parser.add_argument(
        "--bind",
        metavar="ADDRESS[:PORT]",
        default=f"127.0.0.1:{PORT}",
        help=f"where to listen (default 127.0.0.1:{PORT})",
    )
    add_repeated(parser, "--allow-host", "NAME", "a further name by which browsers may reach this computer")


def run(options: argparse.Namespace) -> int:
    """Exit status 0 once control-C or SIGTERM has ended it; Refusal for a run that cannot be, or a port in use."""
    with refuse_on(ValueError):
        config = http_part_of(options.bind, options.allow_host, "--bind", PORT)
        foxglove = foxglove_of(options.foxglove)
        server = LiveServer(run_of(options), config, foxglove)
        asyncio.run(_serve(server, config, foxglove, show=options.open))
    return DONE


def run_of(options: argparse.Namespace) -> Run:
    """The run that is asked for; ConfigError or ValueError where it cannot be, before any page is served."""
    changes, _ = changes_of(options)
    coordinator = str(changes.pop("coordinator.name", ""))
    run = Run(
        options.mission, options.seed, coordinator, changes, tuple(options.event), tuple(options.plugin),
        speed_of(options.speed),
    )  # fmt: skip
    check_run(run)
    Stage(run, -1, -1)
    return run


def foxglove_of(text: str | None) -> Address | None:
    """Where to serve Foxglove, a free address; ImportError, which names the extra; OSError, ValueError."""
    if text is None:
        return None
    import foxglove  # noqa: F401

    host, port = address_of(text, "--foxglove", FOXGLOVE_PORT)
    try:
        probe(host, port)
    except OSError as error:
        raise OSError(refused_address(error, "--foxglove", host, port)) from None
    return host, port


async def _serve(server: LiveServer, config: HttpPart, foxglove: Address | None, *, show: bool) -> None:
    ended = end_on_signal()
    server.used = lambda: print(f"for a further browser: {server.link}", flush=True)
    async with server:
        if not is_loopback(config.host):
            print(f"whoever reaches {config.host} and has the link can watch and change this simulation")
        print(f"open {server.link}  (the link works once; control-C ends)", flush=True)
        if foxglove is not None:
            host = f"[{foxglove[0]}]" if ":" in foxglove[0] else foxglove[0]
            print(f"Foxglove or Lichtblick: open the connection ws://{host}:{foxglove[1]}", flush=True)
        if show:  # not awaited, as a browser in a terminal ends when it is closed
            in_thread(partial(webbrowser.open, server.link))
        await ended.wait()


def end_on_signal() -> asyncio.Event:
    """Is set by control-C and SIGTERM."""
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    return ended
