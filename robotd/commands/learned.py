"""`robotd learned`: what a robot has learned of its team (coordinator l-alliance), from its state folder."""

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from robotd.files.options import add_json
from robotd.files.output import aligned
from robotd.files.paths import folder, installed_robot
from robotd.files.refusal import DONE, FAILED, Refusal
from robotd.files.state import FolderInUseError, lock_folder, state_folder
from robotd.files.text import printable

NAME = "learned.json"
COLUMNS = ("set", "robot", "trials", "task time", "patience", "slow", "fast", "yield time", "category")
DIGITS = {"task_time_s": 1, "patience_s": 1, "slow_rate": 3, "fast_rate": 3, "yield_time_s": 1}
OF_SET = ("fast_rate", "yield_time_s", "category")  # of a set, the same for each other robot
FOOT = "times in s, rates per s; patience and slow: with that teammate; category: while no robot is on the task"
Document = Mapping[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    where = "a robot file, or a state folder (default: the robot installed here, else your own state folder)"
    parser.add_argument("where", nargs="?", metavar="ROBOT.toml", help=where)
    parser.add_argument("--robot", metavar="NAME", help="only if it is this robot's")
    add_json(parser)
    parser.add_argument("--reset", action="store_true", help="forget everything, without asking")


def run(args: argparse.Namespace) -> int:
    """Exit status: 0; 1 where it is not readable, not that robot's, or the robot runs and would write it again."""
    path = find_folder(args.where, args.robot) / NAME
    try:
        document = read(path)
    except Refusal:
        if not args.reset:
            raise
        document = {}
    if args.robot is not None and document and document["robot"] != args.robot:
        raise Refusal(f"{path} is what {document['robot']} has learned, not {args.robot}", FAILED)
    if args.reset:
        _reset(path)
    if args.json:
        removed = {"removed": document is not None} if args.reset else {"learned": document}
        print(json.dumps({"file": str(path), **removed}))
    elif document is None:
        print(f"nothing was learned: there is no {path}")
    else:
        print(f"removed {path}: {_count_trials(document)}" if args.reset else "\n".join(lines_of(path, document)))
    return DONE


def find_folder(where: str | None, robot: str | None) -> Path:
    """The state folder of a robot file (or that folder itself); ConfigError where the file does not name one.

    Without a file that of `robot`, or of the only one there is.
    """
    from robotd.config.load import ConfigError, read_robot

    installed = installed_robot()
    if where is None and not installed.is_file():
        found = [path.parent for path in folder("state").glob(f"*/{NAME}") if robot in (None, path.parent.name)]
        return found[0] if len(found) == 1 else folder("state")
    path = Path(where) if where is not None else installed
    if path.is_dir():
        return path
    reading = read_robot(path, here=False)
    if reading.robot is None:
        raise ConfigError(reading.problems)
    return state_folder(reading.robot.name, reading.robot.state_folder, path.parent)


def read(path: Path) -> Any:
    """The document, None where there is none; Refusal where it is not one to show."""
    advice = "a robot that starts sets it aside, --reset removes it"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError) as error:
        raise Refusal(f"{path} cannot be read ({error}); {advice}", FAILED) from None
    rows = document["values"] if _has(document, robot=str, values=list) else [None]
    if not all(_has(row, set=str, robot=str, trials=int) for row in rows):
        raise Refusal(f"{path} is not what a robot has learned; {advice}", FAILED)
    return document


def _has(table: Any, **kinds: type) -> bool:
    return isinstance(table, dict) and all(isinstance(table.get(key), kind) for key, kind in kinds.items())


def _reset(path: Path) -> None:
    """Remove the document; Refusal while a robot uses its folder."""
    if path.exists():
        try:
            with lock_folder(path.parent):
                path.unlink(missing_ok=True)
        except FolderInUseError:
            words = f"the robot of {path.parent} runs now and would write down again what it knows; end it first"
            raise Refusal(words, FAILED) from None


def _count_trials(document: Document) -> str:
    rows = [row for row in document.get("values", ()) if row["trials"]]
    if not rows:
        return "it held no trial"
    count, robots = sum(row["trials"] for row in rows), sorted({row["robot"] for row in rows})
    return f"{count} trial{'s' if count > 1 else ''} of {', '.join(robots)}, as {document['robot']} knew them"


def lines_of(path: Path, document: Document) -> Iterator[str]:
    """The table for people."""
    yield printable(f"{document['robot']} has learned ({path}), threshold {document.get('threshold')}:")
    yield from map(printable, aligned([COLUMNS, *_rows(document)]))
    yield FOOT


def _rows(document: Document) -> Iterator[tuple[str, ...]]:
    """A row of text for each set and robot; what is the set's own is in the set's first row alone."""
    last = None
    for row in document["values"]:
        own = " (itself)" if row["robot"] == document["robot"] else ""
        shown = row if row["set"] != last else {k: v for k, v in row.items() if k not in OF_SET}
        name = row["set"] if row["set"] != last else ""
        numbers = (_number(shown, key, digits) for key, digits in DIGITS.items())
        yield (name, f"{row['robot']}{own}", str(row["trials"]), *numbers, _category(shown))
        last = row["set"]


def _category(row: Document) -> str:
    """'' where the line above has it; '-' where the robot lacks what the set needs."""
    if "category" not in row:
        return ""
    category = "-" if row["category"] is None else str(row["category"])
    return category if row.get("learns", True) else f"{category} (as shipped)"


def _number(row: Document, key: str, digits: int) -> str:
    """'' where the line above has it; '-' where it is unknown."""
    value = row.get(key)
    if isinstance(value, int | float):
        return f"{value:.{digits}f}"
    return "-" if key in row else ""
