"""`robotd learned`: what a robot has learned of its team (coordinator l-alliance), from its state folder."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from robotd.commands.columns import aligned
from robotd.commands.status import printable
from robotd.control.client import DONE, FAILED, USAGE, answers
from robotd.files.paths import folder, socket_folders
from robotd.files.state import state_folder

COLUMNS = ("set", "robot", "trials", "task time", "patience", "slow", "fast", "yield time", "category")
NAME = "learned.json"
OF_SET = ("fast_rate", "yield_time_s", "category")  # one of a set, whoever the other robot is


class NoMemoryError(Exception):
    """There is a document, but not one to show; the message says why."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `run` reads."""
    parser.add_argument(
        "where", nargs="?", metavar="ROBOT.toml",
        help="a robot file, or a state folder (default: the robot installed here, else your own state folder)",
    )  # fmt: skip
    parser.add_argument("--robot", metavar="NAME", help="only if it is this robot's")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--reset", action="store_true", help="forget everything, without asking")


def run(args: argparse.Namespace) -> int:
    """Exit status: 0; 1 where it is not readable, not that robot's, or the robot runs and would write it again."""
    from robotd.config.load import ConfigError

    try:
        path = find_folder(args.where, args.robot) / NAME
        document = read(path)
    except ConfigError as error:
        return _fail(str(error), USAGE)
    except NoMemoryError as error:
        if not args.reset:
            return _fail(f"{error}; a robot that starts sets it aside, --reset removes it")
        document = {}
    robot = (document or {}).get("robot")
    if args.robot is not None and document and robot != args.robot:
        return _fail(f"{path} is what {robot} has learned, not {args.robot}")
    if args.reset:
        return _reset(path, document, as_json=args.json)
    if args.json:
        print(json.dumps({"file": str(path), "learned": document}))
    else:
        show(path, document)
    return DONE


def _fail(words: str, status: int = FAILED) -> int:
    sys.stderr.write(f"robotd: {words}\n")
    return status


def find_folder(where: str | None, robot: str | None) -> Path:
    """The state folder of a robot file (or that folder itself); ConfigError where the file does not say.

    Without a file that of `robot`, or of the only one there is.
    """
    from robotd.config.load import ConfigError, read_robot

    installed = folder("config") / "robot.toml"
    if where is None and not installed.is_file():
        found = [path.parent for path in folder("state").glob(f"{robot or '*'}/{NAME}")]
        return found[0] if len(found) == 1 else folder("state")
    path = Path(where) if where is not None else installed
    if path.is_dir():
        return path
    reading = read_robot(path, here=False)
    if reading.robot is None:
        raise ConfigError(reading.problems)
    return state_folder(reading.robot.name, reading.robot.state_folder, path.parent)


def read(path: Path) -> Any:
    """The document, None where there is none; NoMemoryError."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError) as error:
        raise NoMemoryError(f"{path} cannot be read ({error})") from None
    if not (isinstance(document, dict) and isinstance(document.get("robot"), str) and _is_table(document)):
        raise NoMemoryError(f"{path} is not what a robot has learned")
    return document


def _is_table(document: Mapping[str, Any]) -> bool:
    rows = document.get("values")
    return isinstance(rows, list) and all(isinstance(row, dict) and _is_row(row) for row in rows)


def _is_row(row: Mapping[str, Any]) -> bool:
    return all(isinstance(row.get(key), kind) for key, kind in (("set", str), ("robot", str), ("trials", int)))


def _reset(path: Path, document: Any, *, as_json: bool) -> int:
    robot = (document or {}).get("robot")
    if robot is not None and any(answers(place / f"{robot}.sock") for place in socket_folders()):
        return _fail(f"{robot} runs now and would write down again what it knows; end it first")
    removed = document is not None
    path.unlink(missing_ok=True)
    if as_json:
        print(json.dumps({"file": str(path), "removed": removed}))
    elif removed:
        print(f"removed {path}: {_told(document)}")
    else:
        print(f"nothing was learned: there is no {path}")
    return DONE


def _told(document: Mapping[str, Any]) -> str:
    rows = [row for row in document.get("values", ()) if row["trials"]]
    if not rows:
        return "it held no trial"
    count, robots = sum(row["trials"] for row in rows), sorted({row["robot"] for row in rows})
    return f"{count} trial{'s' if count > 1 else ''} of {', '.join(robots)}, as {document['robot']} knew them"


def show(path: Path, document: Mapping[str, Any] | None) -> None:
    """Print a memory for people."""
    if document is None:
        print(f"nothing was learned: there is no {path}")
        return
    print(printable(f"{document['robot']} has learned ({path}), threshold {document.get('threshold')}:"))
    rows = [_row(document["robot"], row) for row in _blocks(document["values"])]
    for line in aligned([COLUMNS, *rows]):
        print(printable(line))
    print("times in s, rates per s; patience and slow: with that teammate; category: while nobody is on the task")


def _blocks(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows, of each set's those after the first without what is the set's own."""
    made: list[Mapping[str, Any]] = []
    last = None
    for row in rows:
        made.append({k: v for k, v in row.items() if k not in OF_SET} | {"set": ""} if row["set"] == last else row)
        last = row["set"]
    return made


def _row(me: str, row: Mapping[str, Any]) -> tuple[str, ...]:
    own = " (itself)" if row["robot"] == me else ""
    return (
        str(row["set"]), f"{row['robot']}{own}", str(row["trials"]), _number(row, "task_time_s", 1),
        _number(row, "patience_s", 1), _number(row, "slow_rate", 3), _number(row, "fast_rate", 3),
        _number(row, "yield_time_s", 1), _category(row),
    )  # fmt: skip


def _category(row: Mapping[str, Any]) -> str:
    """'' where the line above says it; '-' where the robot lacks what the set needs."""
    if "category" not in row:
        return ""
    category = "-" if row["category"] is None else str(row["category"])
    return category if row.get("learns", True) else f"{category} (as shipped)"


def _number(row: Mapping[str, Any], key: str, digits: int) -> str:
    """'' where the line above says it; '-' where it is unknown."""
    value = row.get(key)
    if isinstance(value, int | float):
        return f"{value:.{digits}f}"
    return "-" if key in row else ""
