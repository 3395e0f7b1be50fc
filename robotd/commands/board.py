"""`robotd board PORT`: which board answers there, its senses, whether its parts work; a first robot file."""

import argparse
import asyncio
import json
import logging
import sys
from dataclasses import asdict
from pathlib import Path

from robotd.bringup.procedure import BringUpRequest, Surroundings, bring_up
from robotd.bringup.robotfile import settings_of
from robotd.files.options import add_repeated
from robotd.files.refusal import Refusal, refuse_on
from robotd.guardian.foreground import run_in_foreground, serve
from robotd.transport.address import line_address


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("port", metavar="PORT", help="/dev/..., serial:///dev/...?BAUD or tcp://host:port")
    kind = "the board to try (auto: each, until one answers)"
    parser.add_argument("--type", default="auto", metavar="NAME", help=kind)
    parser.add_argument("--json", action="store_true", help="only identify, and print one JSON object")
    parser.add_argument("--out", default="robot.toml", metavar="FILE", help="the robot file (robot.toml)")
    parser.add_argument("--name", default="amber", help="the robot's name in its mission (amber)")
    parser.add_argument("--mission", default="patrol", help="its mission (patrol)")
    add_repeated(parser, "--set", "KEY=VALUE", "a setting of the board, with --type")
    add_repeated(parser, "--plugin", "FILE.py", "a file that brings a board")


def run(args: argparse.Namespace) -> int:
    """Exit status: 0 it answers and no problem was found, 1 otherwise, 2 for bad usage."""
    with refuse_on(ValueError):
        line_address(args.port)
        settings = settings_of(args.set)
    if settings and args.type == "auto":
        raise Refusal("--set needs --type NAME: settings are those of one kind of board")
    plugins = tuple(str(Path(name)) for name in args.plugin)
    request = BringUpRequest(
        args.port, args.type, args.name, args.mission, args.out, tuple(settings.items()), plugins, args.json
    )
    logging.getLogger("robotd").addHandler(logging.NullHandler())  # the person reads other words
    if args.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return asyncio.run(serve(lambda link: bring_up(request, Surroundings(), link)))
    return run_in_foreground("robotd.bringup.procedure", [json.dumps(asdict(request))])
