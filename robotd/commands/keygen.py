"""`robotd keygen`: make a team's key, give one robot a key of its own, or change keys while the team works."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from radio.keys import AT_ONCE
from robotd.files import keyfile

HELP = "make a team's key"
STEPS = ("add", "use", "drop")
NEXT = {
    "add": "a second key holds now; once every robot has this file, run: robotd keygen {file} --rotate use",
    "use": "the new key signs now, both hold; once every robot has this file, run: "
    "robotd keygen {file} --rotate drop",
    "drop": "the former key holds no more; copy this file to every robot of the team",
}

Lines = dict[str, tuple[bytes, ...]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `run` reads."""
    parser.add_argument(
        "file", metavar="FILE", nargs="?", type=Path, default=Path("team.key"), help="where to (team.key)"
    )
    parser.add_argument(
        "--robot", metavar="NAME", help="in a file that is there: a key of its own for one robot, or base-station"
    )
    parser.add_argument(
        "--rotate", choices=STEPS,
        help="change the key of a file that is there: add a second, use it, drop the first; after each step copy "
        "the file to all robots",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Exit status: 0, or 1 where the file exists already, cannot be written or is not in the state asked for."""
    try:
        if args.rotate is None and args.robot is None:
            write_key(args.file)
            print(f"{args.file}: a new key; copy it to every robot of the team, and to nobody else")
            return 0
        name = args.robot or ""
        if name and not re.fullmatch(r"[a-z][a-z0-9-]*", name):
            raise keyfile.KeyFileError(f"no robot can be called {name[:40]!r}")
        lines = keyfile.lines_of(keyfile.text_of(args.file))
        changed = _given(lines, name) if args.rotate is None else _rotated(lines, name, args.rotate)
        keyfile.write(args.file, keyfile.text_for(changed), replace=True)
    except FileExistsError:
        return _fail(f"{args.file} exists; a team's key is never overwritten: name another file")
    except OSError as error:
        return _fail(f"{args.file} cannot be written: {error.strerror}")
    except keyfile.KeyFileError as error:
        return _fail(f"{args.file}: {error}")
    own = f"{name} has a key of its own now; copy this file to every robot of the team"
    print(f"{args.file}: {own if args.rotate is None else NEXT[args.rotate].format(file=args.file)}")
    return 0


def write_key(path: Path) -> None:
    """One key from the system's randomness, readable by the owner alone; OSError."""
    keyfile.write(path, keyfile.text_for({"": (keyfile.fresh_key(),)}))


def _given(lines: Mapping[str, tuple[bytes, ...]], name: str) -> Lines:
    if name in lines:
        raise keyfile.KeyFileError(f"{name} has a key of its own already; change it with --rotate add")
    return {**lines, name: (keyfile.fresh_key(),)}


def _rotated(lines: Mapping[str, tuple[bytes, ...]], name: str, step: str) -> Lines:
    keys, owner = lines.get(name, ()), name or "the team"
    needed = 1 if step == "add" else AT_ONCE
    if len(keys) != needed:
        has = {0: "no key", 1: "one key"}.get(len(keys), f"{len(keys)} keys")
        raise keyfile.KeyFileError(f"{owner} has {has} in it, --rotate {step} needs {needed}")
    after = {"add": (*keys, keyfile.fresh_key()), "use": keys[::-1], "drop": keys[:1]}
    return {**lines, name: after[step]}


def _fail(words: str) -> int:
    sys.stderr.write(f"robotd: {words}\n")
    return 1
