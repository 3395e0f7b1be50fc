"""What options of several commands have in common."""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from robotd.files.nearest import unknown
from robotd.files.paths import no_folder
from robotd.files.refusal import Refusal


def add_repeated(parser: argparse._ActionsContainer, option: str, metavar: str, words: str) -> None:
    """An option that may be given several times, for a list; `words`: its help."""
    parser.add_argument(option, action="append", default=[], metavar=metavar, help=words)


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def add_log(parser: argparse.ArgumentParser) -> None:
    words = "a run log: a file, or a robot's folder of them"
    parser.add_argument("log", metavar="LOG", type=Path, help=words)


def refuse_figure(option: str, path: Path, forms: Sequence[str]) -> None:
    """Refusal where a figure cannot be written: its name ends in none of `forms`, or its folder cannot be made."""
    endings = [f".{form}" for form in forms]
    if path.suffix.lower() not in endings:
        raise Refusal(f"{option} {path}: the name must end in {' or '.join(endings)}")
    if reason := no_folder(path.parent):
        raise Refusal(f"{option} {path}: {reason}")


def split_pair(text: str, option: str, example: str) -> tuple[str, str]:
    """KEY and VALUE of an option's KEY=VALUE; ValueError, with an example of one."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise ValueError(f"{option} {text}: expected KEY=VALUE, as {example}")
    return key.strip(), value


def by_robot(option: str, robots: Iterable[str], texts: Iterable[str]) -> dict[str, tuple[str, str]]:
    """The `[ROBOT=]NAME` of an option by robot, NAME and the option as it was given; ValueError."""
    known, found = list(robots), dict[str, tuple[str, str]]()
    for text in texts:
        robot, equals, name = text.rpartition("=")
        if equals and robot not in known:
            raise ValueError(f"{option} {text}: {unknown('robot', robot, known)}")
        found |= dict.fromkeys([robot] if equals else known, (name, f"{option} {text}"))
    return found
