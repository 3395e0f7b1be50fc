"""`robotd keygen`: make a team's key, give one robot a key of its own, or change keys while the team works."""

import argparse
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

from radio.keys import AT_ONCE
from robotd.files import keyfile
from robotd.files.refusal import DONE, FAILED, Refusal

STEPS = ("add", "use", "drop")
NEXT = {
    "own": "{name} has a key of its own now; copy this file to every robot of the team",
    "add": "a second key holds now; once every robot has this file, run: {command} --rotate use",
    "use": "the new key signs now, both hold; once every robot has this file, run: {command} --rotate drop",
    "drop": "the former key holds no more; copy this file to every robot of the team",
}
Lines = Mapping[str, tuple[bytes, ...]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    own = "in an existing file: a key of its own for one robot, or base-station"
    steps = "change a key of an existing file: add a second, use it, drop the first; then copy the file"
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        type=Path,
        default=Path("team.key"),
        help="the key file (default team.key)",
    )
    parser.add_argument("--robot", metavar="NAME", help=own)
    parser.add_argument("--rotate", choices=STEPS, help=f"{steps} to all robots")


def run(args: argparse.Namespace) -> int:
    """Exit status: 0; Refusal where the file exists, cannot be written or is not in the state asked for."""
    try:
        words = _change(args.file, args.robot or "", args.rotate)
    except FileExistsError:
        raise Refusal(
            f"{args.file} exists; a team's key is never overwritten: name another file", FAILED
        ) from None
    except OSError as error:
        raise Refusal(f"{args.file} cannot be written: {error.strerror}", FAILED) from None
    except keyfile.KeyFileError as error:
        raise Refusal(f"{args.file}: {error}", FAILED) from None
    print(f"{args.file}: {words}")
    return DONE


def _change(file: Path, name: str, step: str | None) -> str:
    """Change the file as the options ask; what to print."""
    if not name and step is None:
        write_key(file)
        return "a new key; copy it to every robot of the team, and nowhere else"
    if name and not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise keyfile.KeyFileError(f"no robot can be called {name[:40]!r}")
    lines = keyfile.lines_of(keyfile.text_of(file))
    keys = _add_own(lines, name) if step is None else _rotate(lines, name, step)
    keyfile.write(file, keyfile.text_for({**lines, name: keys}), replace=True)
    command = shlex.join(["robotd", "keygen", str(file), *(["--robot", name] if name else [])])
    return NEXT[step or "own"].format(command=command, name=name)


def write_key(path: Path) -> None:
    """One key from the system's randomness, readable by the owner alone; OSError."""
    keyfile.write(path, keyfile.text_for({"": (keyfile.fresh_key(),)}))


def _add_own(lines: Lines, name: str) -> tuple[bytes, ...]:
    if name in lines:
        raise keyfile.KeyFileError(f"{name} has a key of its own already; change it with --rotate add")
    return (keyfile.fresh_key(),)


def _rotate(lines: Lines, name: str, step: str) -> tuple[bytes, ...]:
    keys, owner = lines.get(name, ()), name or "the team"
    needed = 1 if step == "add" else AT_ONCE
    if len(keys) != needed:
        has = {0: "no key", 1: "one key"}.get(len(keys), f"{len(keys)} keys")
        raise keyfile.KeyFileError(f"{owner} has {has} in it, --rotate {step} needs {needed}")
    return {"add": (*keys, keyfile.fresh_key()), "use": keys[::-1], "drop": keys[:1]}[step]
