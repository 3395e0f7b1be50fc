"""`robotd keygen`: make a team's key."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

HELP = "make a team's key"
KEY_BYTES = 32  # what keyed BLAKE2s takes at most


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what `run` reads."""
    parser.add_argument(
        "file", metavar="FILE", nargs="?", type=Path, default=Path("team.key"), help="where to (team.key)"
    )


def run(args: argparse.Namespace) -> int:
    """Exit status: 0, or 1 where the file exists already or cannot be written."""
    try:
        write_key(args.file)
    except FileExistsError:
        sys.stderr.write(f"robotd: {args.file} exists; a team's key is never overwritten: name another file\n")
        return 1
    except OSError as error:
        sys.stderr.write(f"robotd: {args.file} cannot be written: {error.strerror}\n")
        return 1
    print(f"{args.file}: a new key; copy it to every robot of the team, and to nobody else")
    return 0


def write_key(path: Path) -> None:
    """64 hexadecimal digits from the system's randomness, readable by the owner alone; OSError."""
    fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(fd, "w", encoding="ascii") as file:
        os.fchmod(fd, 0o600)  # whatever the mask
        file.write(os.urandom(KEY_BYTES).hex() + "\n")
