"""What an earlier run left where a new one will write: that is replaced, and nothing of anybody else's is."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from pathlib import Path

from robotd.files.refusal import Refusal

HEAD = re.compile(rb'\{"part":\d+,"format":\d+,')  # how each run log begins
HEAD_BYTES = 64  # of which it is part


class NotOursError(Refusal):
    """What is there was written by no run; the message has what to do."""


def replace_log(log: Path) -> str:
    """Remove the figures of an earlier run log, for a new one in its place; returns what is replaced, or ''.

    NotOursError where the file there is no run log, OSError where it cannot be written, and then nothing
    is removed; what is no plain file (/dev/null) is left alone.
    """
    from robotd.figures.files import figures_of

    if not log.is_file():
        return ""
    if not _begins_as_log(log):
        raise NotOursError(f"{log}: this is no run log, so it is not overwritten; choose another file with --log")
    with log.open("r+b") as file:  # to write, as the run will
        first = file.readline()
    return _replaced(figures_of(log.parent, log.resolve().stem, _robots(first)), log.parent) if first else ""


def replace_processes(out: Path, robots: Collection[str]) -> str:
    """The same for the folder of a run with `--processes`, which has one of each robot."""
    from robotd.figures.files import figures_of

    figures = figures_of(out, out.resolve().stem, robots)
    folders = [out / name for name in sorted(robots) if (out / name).exists()]
    for folder in folders:
        figures += _figures_in(folder)
    return _replaced(figures, out) if any(any(folder.iterdir()) for folder in folders) else ""


def _robots(part: bytes) -> list[str]:
    """The robots that a log's first line names; none of one that was cut."""
    try:
        return list(json.loads(part)["robots"])
    except (ValueError, KeyError, TypeError):
        return []


def _figures_in(folder: Path) -> list[Path]:
    """The figures in the folder of a robot of an earlier run; NotOursError where anything is not of that run."""
    from robotd.figures.files import figures_of

    robot, logs = folder.name, folder / "log"
    figures = figures_of(folder, robot, [robot])
    for stem in ("log", *(log.stem for log in sorted(logs.glob("*.jsonl")))):
        figures += figures_of(logs, stem, [robot])
    foreign = _foreign(folder, set(figures))
    if foreign is not None:
        raise NotOursError(
            f"{foreign}: no earlier run has written this, so {folder} stays; choose another folder with --out"
        )
    return figures


def _foreign(folder: Path, figures: Collection[Path]) -> Path | None:
    """The first in a robot's folder that is none of `figures` and that no run has written, or None."""
    if folder.is_symlink() or not folder.is_dir():
        return folder
    found = sorted(folder.rglob("*"))
    if folder / "robot.toml" not in found:  # it is written first
        return found[0] if found else None
    return next((path for path in found if path not in figures and not _is_written(path, folder)), None)


def _is_written(path: Path, folder: Path) -> bool:
    """True for what a run with `--processes` writes into a robot's folder."""
    from robotd.sim.processes import is_signed

    name, robot = path.relative_to(folder).as_posix(), re.escape(folder.name)
    if path.is_symlink() or not path.is_file():
        return name in ("state", "log") and path.is_dir() and not path.is_symlink()
    if path.suffix == ".jsonl":
        return re.fullmatch(rf"log/{robot}-\d+-\d+\.jsonl", name) is not None and _begins_as_log(path)
    if name in ("robot.toml", "mission.toml"):
        return is_signed(path)
    document = rf"state/(?:radio|run|learned|stop-{robot})\.(?:json|new|corrupt)"
    return re.fullmatch(rf"team\.key|stderr\.txt|{document}", name) is not None


def _begins_as_log(path: Path) -> bool:
    """True for a run log, and for an empty file."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    return not head or HEAD.match(head) is not None


def _replaced(figures: list[Path], folder: Path) -> str:
    """Remove the figures; what to report of them, by their names in `folder`."""
    for path in figures:
        path.unlink()
    names = ", ".join(str(path.relative_to(folder)) for path in figures)
    return "an earlier run" + (f"; removed its figures {names}" if names else "")
