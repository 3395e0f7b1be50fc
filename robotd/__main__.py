"""The command line: one module per command, imported only when it is asked for."""

import argparse
import importlib
import importlib.util
import io
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from robotd.files.nearest import hint, nearest, unknown
from robotd.files.refusal import DONE, FAILED, INTERRUPTED, USAGE, Refusal, advise_install, describe

COMMANDS = {
    "demo": "three robots clean up two spills, on the desk",
    "sim": "run a mission's whole team in a simulated world",
    "live": "watch a simulated team in the browser, pause it, remove a robot",
    "class": "give each browser of a class a simulated team of its own, and the teacher all of them",
    "run": "run one robot: the daemon, under its guardian",
    "check": "check a robot or mission file, or a board on its port",
    "doctor": "find what on this computer keeps a robot from working, and say what to do",
    "status": "show what a running robot does and why",
    "page": "print a link to a robot's page, on which you may act",
    "start": "permit a robot to move",
    "stop": "stop a robot, or with --team all of them",
    "ack": "acknowledge a robot's faults",
    "mission": "start, stop or reset the mission for the whole team",
    "task": "add a task to a running mission",
    "experiment": "run a mission many times, in several variants, and compare them",
    "motivate": "run the motivations alone on a scripted scenario",
    "plot": "draw who did what, and the motivations, from a run log",
    "why": "say what each robot of a run log did at an instant, and why",
    "report": "write a run log as one page that opens offline",
    "export": "write a run log as tables, or for Foxglove",
    "replay": "feed a run log to the code again and demand the same decisions",
    "learned": "show what a robot has learned of its team, or make it forget",
    "keygen": "make a team's key",
    "bundle": "write one folder per robot: robot file, mission, keys",
    "radio": "make a robot's radio forget what it has received from another",
    "board": "find out what is on a port, try its parts, and write a first robot file",
    "base-station": "slice the channel of a team, and bridge radios of several kinds",
    "emulate": "put emulated boards and modems behind ports, for trying everything else without hardware",
    "halt": "stop the motors on a port, whatever was running",
    "install-service": "install a robot as a systemd service",
    "new": "write the first version of a behavior, board, radio, coordinator, experiment or mission",
}
ORDERS = ("start", "stop", "ack", "mission", "task", "radio")  # one file holds them all
MODULES = {"class": "classroom"}  # where the command's name cannot be a module's


class Parser(argparse.ArgumentParser):
    """Its errors name the nearest valid choice; with --json they are JSON too."""

    words: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self.words = args
        return super().parse_known_args(args, namespace)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            raise argparse.ArgumentError(action, unknown("choice", str(value), map(str, action.choices)))

    def error(self, message: str) -> NoReturn:
        if "--json" in self.words:
            sys.exit(Refusal(message).report(as_json=True))
        super().error(message)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; exit status 0 done, 1 the mission or check failed, 2 bad usage or configuration."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the program before, as >&- does: else a port gets its number
            nowhere = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115
            inherited = True  # also by the daemon, whose guardian this process becomes
            os.set_inheritable(nowhere.fileno(), inherited)
            setattr(sys, name, nowhere)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a letter that the terminal lacks must not end a command
            stream.reconfigure(errors="backslashreplace")
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(*_parsed(words))
    except ImportError as error:
        if advice := advise_install(error):
            return Refusal(advice).report(as_json="--json" in words)
        raise
    except KeyboardInterrupt:
        sys.stderr.write("robotd: interrupted; what was written so far stays\n")
        return INTERRUPTED


def _parsed(arguments: Sequence[str]) -> tuple[Parser, argparse.Namespace]:
    parser = Parser(
        prog="robotd",
        description="One daemon per robot: layered behaviors, motivation, and a 1/3 Hz team radio.",
        epilog="robotd COMMAND --help explains one.",
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    parser.words = arguments
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    chosen = next((word for word in arguments if not word.startswith("-")), None)
    if chosen is not None and chosen not in COMMANDS:
        near = hint(nearest(chosen, COMMANDS))
        parser.error(f"no command is called {chosen!r}{near} (there are: {', '.join(COMMANDS)})")
    for name, text in COMMANDS.items():
        sub = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        if name == chosen:
            _module(name).add_arguments(sub)
    options, others = parser.parse_known_args(arguments)
    if others:
        asked = commands.choices.get(options.command, parser)
        valid = [*re.findall(r"--[a-z][a-z-]*", asked.format_usage()), "--help"]
        near = hint(nearest(others[0].partition("=")[0], valid))
        asked.error(f"unrecognized arguments: {' '.join(others)}{near}")
    return parser, options


def _module(name: str) -> Any:
    if name in ORDERS:
        return importlib.import_module("robotd.commands.orders").COMMANDS[name]
    return importlib.import_module(f"robotd.commands.{MODULES.get(name, name.replace('-', '_'))}")


def _run(parser: Parser, options: argparse.Namespace) -> int:
    as_json = getattr(options, "json", False)
    try:
        code = _do(parser, options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        _drop_output()
        return FAILED
    except Refusal as error:
        return error.report(as_json=as_json)
    except OSError as error:  # such as a full disk: the reason, not where in the program it was noticed
        nameless = "the output: " if error.strerror and not error.filename else ""
        Refusal(f"{nameless}{describe(error)}", FAILED).report(as_json=as_json and not nameless)
        _drop_output()
        return FAILED
    return code


def _do(parser: Parser, options: argparse.Namespace) -> int:
    if options.version:
        from importlib.metadata import version

        spec = importlib.util.find_spec("robotd.model.senses")
        pure = spec is None or str(spec.origin).endswith(".py")
        sys.stdout.write(f"robotd {version('robotd')} ({'pure Python' if pure else 'compiled'})\n")
        return DONE
    if options.command is None:
        parser.print_help()
        return USAGE
    return int(_module(options.command).run(options))


def _drop_output() -> None:
    """What could not be written must not be tried again at the end of the process."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


if __name__ == "__main__":
    sys.exit(main())
