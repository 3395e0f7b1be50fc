"""`robotd check FILE`: all that is wrong with a robot or mission file, and what follows from it, in words."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from boards.conformance import CHECKS
from robotd.advice.check import Changes, Report, check
from robotd.bringup.against import ConformRequest
from robotd.bringup.robotfile import settings_of
from robotd.commands.check_words import in_words
from robotd.commands.sim import changes_of
from robotd.config.lookup import COORDINATORS
from robotd.control.client import running_robots
from robotd.figures.graph import draw_graph
from robotd.figures.style import FORMATS, NoMatplotlib
from robotd.files.nearest import unknown
from robotd.files.options import add_json, add_repeated, refuse_figure
from robotd.files.output import agrees, keep_stdout
from robotd.files.refusal import DONE, USAGE, Refusal, refuse_on, refuse_unwritten
from robotd.guardian.foreground import run_in_foreground
from robotd.model.coordinator_plugin import plugin_of
from robotd.transport.address import line_address

BLOCKS = (
    "the wheels turn, at up to 0.1 m/s, for about a minute: put the robot on blocks, its wheels off the ground"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    file, elsewhere = "a robot or mission file, or an installed mission's name", "look for no device and no key"
    parser.add_argument("file", metavar="FILE", nargs="?", help=file)
    add_json(parser)
    add_repeated(parser, "--set", "KEY=VALUE", "change a key of the mission; a setting of --board")
    parser.add_argument("--coordinator", help="the coordinator, in place of the mission's")
    add_repeated(parser, "--plugin", "FILE", "a Python file with plug-ins, besides the mission's; or with --board")
    graph = "draw the plan of the mission's coordinator (.svg, .png), by graphviz where it is installed"
    parser.add_argument("--graph", metavar="FILE.svg", type=Path, help=graph)
    parser.add_argument("--elsewhere", action="store_true", help=f"this is not the robot's computer: {elsewhere}")
    group = parser.add_argument_group("a board on its port, which it drives")
    group.add_argument("--against", metavar="PORT", help="try whether the board on this port keeps the contract")
    group.add_argument("--board", metavar="NAME", help="which board that is; default: that of the robot file FILE")
    add_repeated(group, "--only", "CHECK", "these checks alone")
    group.add_argument("--yes", action="store_true", help="its wheels are off the ground: do not ask")


def run(args: argparse.Namespace) -> int:
    """Exit status: 0, or 2 with every problem of the file (and of the mission that it names).

    With `--against`: 0 where the board keeps the contract, 1 where it does not, 2 where that cannot be tried.
    """
    if args.against is not None:
        return _try_board(args)
    if args.file is None or args.board is not None:
        raise Refusal("name what to check: FILE, or --board NAME --against PORT")
    for option in ("only", "yes"):
        if getattr(args, option):
            raise Refusal(f"--{option} is for a board, with --against PORT")
    if args.graph is not None:
        refuse_figure("--graph", args.graph, FORMATS)
    with keep_stdout(for_json=args.json):
        with refuse_on(ValueError):
            changes = Changes(*changes_of(args), args.plugin)
        report = check(args.file, here=not args.elsewhere, running=running_robots, changes=changes)
        for option in ("set", "coordinator", "plugin"):
            if getattr(args, option) and report.kind == "robot":
                raise Refusal(f"{report.file}: --{option} is for a mission; a robot file names its own")
    drawn = args.graph is not None and not report.problems
    if drawn:
        _draw(report, changes, args.graph)
    if args.json:
        print(json.dumps(report.as_json() | ({"graph": str(args.graph)} if drawn else {})))
    else:
        _print(report)
        if drawn:
            print(f"graph: {args.graph}")
    return USAGE if report.problems else DONE


def _draw(report: Report, changes: Changes, path: Path) -> None:
    """Draw the plan of a mission without faults; Refusal where it has none or that cannot be drawn."""
    name = report.file
    if report.kind != "mission":
        raise Refusal(f"{name}: a {report.kind} file has no graph; expected a mission file")
    mission = changes.load(Path(name))
    content = mission.content
    plugin = plugin_of(mission.plugins.get(COORDINATORS, content.coordinator.name))
    panels = [*plugin.drawing(plugin.Settings(**content.parameters), mission.table)]
    if not panels:
        raise Refusal(
            f"{name}: coordinator {content.coordinator.name!r} has no graph to be drawn; expected one such as bite"
        )
    with refuse_unwritten(path, "file with --graph FILE.svg"), refuse_on(ValueError, NoMatplotlib):
        draw_graph(content.name, panels, path)


def _print(report: Report) -> None:
    for problem in report.problems:
        print(problem)
    for line in in_words(report.advice, report.team):
        print(line)
    count = len(report.problems)
    if count:
        print(f"{report.file}: {count} problem{'s' if count > 1 else ''}", file=sys.stderr)
    else:
        print(f"{report.file}: no problems in this {report.kind} file")


def _try_board(args: argparse.Namespace) -> int:
    """Does the board on a port do what every board must? 0 yes, 1 no, 2 where that cannot be tried."""
    if args.coordinator is not None:
        raise Refusal("--coordinator is for a mission, without --against")
    names = [check.name for check in CHECKS]
    with refuse_on(ValueError):
        line_address(args.against)
        settings = settings_of(args.set)
    if (args.board is None) == (args.file is None):
        raise Refusal("--against needs --board NAME, or a robot FILE that names its board")
    for wrong in (name for name in args.only if name not in names):
        raise Refusal(unknown("check", wrong, names))
    if not (args.yes or agrees(f"{BLOCKS[0].upper()}{BLOCKS[1:]}.\nIs it on blocks?")):
        raise Refusal(f"{BLOCKS}, and give --yes")
    request = ConformRequest(
        args.against, args.board or "", args.file or "", tuple(settings.items()), tuple(args.plugin),
        tuple(args.only), args.json,
    )  # fmt: skip
    return run_in_foreground("robotd.bringup.against", [json.dumps(asdict(request))])
