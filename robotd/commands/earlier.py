"""What an earlier run left where a new one will write: a log is replaced, anything else is left alone."""

import json
import os
import re
from collections.abc import Collection
from itertools import count
from pathlib import Path

from robotd.figures.style import FORMATS, is_ours
from robotd.files.refusal import Refusal

HEAD = re.compile(rb'\{"part":\d+,"format":\d+,')  # how each run log begins
HEAD_BYTES = 64  # of which it is part


def replace_log(log: Path) -> str:
    """Remove the figures of an earlier run log, for a new one in its place; returns what is replaced, or ''.

    Refusal where the file there is no run log, OSError where it cannot be written, and then nothing is removed;
    what is no plain file (/dev/null) is left alone.
    """
    if not log.is_file():
        return ""
    with log.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if head and not HEAD.match(head):
        raise Refusal(f"{log}: this is no run log, so it is not overwritten; choose another file with --log")
    with log.open("r+b") as file:  # to write, as the run will
        first = file.readline()
    if not first:
        return ""
    figures = _figures_of(log.parent, log.resolve().stem, _robots(first))
    for path in figures:
        path.unlink()
    names = ", ".join(path.name for path in figures)
    return "an earlier run" + (f"; removed its figures {names}" if names else "")


def _figures_of(folder: Path, stem: str, robots: Collection[str]) -> list[Path]:
    """The figures in `folder` that were drawn of a log called `stem`, of `robots`, sorted.

    Not those that may be of another log, which is beside them and is called STEM-ROBOT.
    """
    beside = {path.stem for path in folder.glob("*")}
    names = {stem} | ({f"{stem}-{robot}" for robot in robots} - beside)
    either, forms = "|".join(re.escape(name) for name in sorted(names)), "|".join(FORMATS)
    name = re.compile(rf"(?:(?:{either})-(?:trace|levels)|{re.escape(stem)}-levels-\d+)\.(?:{forms})")
    return [path for path in sorted(folder.glob("*")) if name.fullmatch(path.name) and is_ours(path)]


def find_unused(out: Path, robots: Collection[str]) -> Path:
    """The folder `out`, or the first of `out`-2, `out`-3, ... that no run with `--processes` has used."""
    numbered = (out if k == 1 else out.with_name(f"{out.name}-{k}") for k in count(1))
    return next(folder for folder in numbered if not used_in(folder, robots))


def used_in(out: Path, robots: Collection[str]) -> Path | None:
    """The first robot's folder in that of a run with `--processes` which holds anything; None where none does."""
    for folder in (out / name for name in sorted(robots)):
        empty = folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir())
        if os.path.lexists(folder) and not empty:
            return folder
    return None


def check_unused(out: Path, robots: Collection[str]) -> None:
    """Refusal where the folder of a run with `--processes` holds anything of one of its robots."""
    if folder := used_in(out, robots):
        what = "this is there already, perhaps of an earlier run"
        raise Refusal(f"{folder}: {what}; remove it, or choose another folder with --out")


def _robots(part: bytes) -> list[str]:
    """The robots that a log's first line names; none of one that was cut."""
    try:
        return list(json.loads(part)["robots"])
    except (ValueError, KeyError, TypeError):
        return []
