"""What an earlier run left where a new one will write: that is replaced, and nothing of anybody else's is."""

import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path

from robotd.figures.files import figures_of
from robotd.files.refusal import Refusal

HEAD = re.compile(rb'\{"part":\d+,"format":\d+,')  # how each run log begins
HEAD_BYTES = 64  # of which it is part
MARKER = ".robotd-run.json"  # what a run with processes left in the folders of its robots


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
    return _replaced(figures_of(log.parent, log.resolve().stem, _robots(first)), log.parent) if first else ""


def replace_processes(out: Path, robots: Collection[str]) -> str:
    """The same for the folder of a run with `--processes`, which has one of each robot.

    Refusal where such a folder holds what neither its last run nor `robotd plot` has left there.
    """
    figures, written = figures_of(out, out.resolve().stem, robots), _read_marker(out)
    folders = [out / name for name in sorted(robots) if (out / name).exists()]
    for folder in folders:
        own = _figures_in(folder)
        found = sorted(folder.rglob("*")) if _state(folder) == "folder" else [folder]
        for path in found:
            if path not in own and _state(path) != written.get(path.relative_to(out).as_posix()):
                advice = "choose another folder with --out"
                raise Refusal(f"{path}: no earlier run has left this so, and {folder} stays; {advice}")
        figures += own
    return _replaced(figures, out) if any(any(folder.iterdir()) for folder in folders) else ""


def note_written(out: Path, robots: Collection[str]) -> None:
    """Note for `replace_processes` what a run has left in the folders of its robots; OSError."""
    found = (path for name in robots for path in (out / name).rglob("*"))
    left = {path.relative_to(out).as_posix(): _state(path) for path in found}
    (out / MARKER).write_text(json.dumps(left), encoding="utf-8")


def _read_marker(out: Path) -> Mapping[str, str]:
    try:
        return dict(json.loads((out / MARKER).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return {}


def _state(path: Path) -> str:
    """That of a folder, or of a file until somebody writes it; that of anything else is never noted."""
    if path.is_symlink() or not (path.is_dir() or path.is_file()):
        return "other"
    return "folder" if path.is_dir() else f"{path.stat().st_size} {path.stat().st_mtime_ns}"


def _robots(part: bytes) -> list[str]:
    """The robots that a log's first line names; none of one that was cut."""
    try:
        return list(json.loads(part)["robots"])
    except (ValueError, KeyError, TypeError):
        return []


def _figures_in(folder: Path) -> list[Path]:
    """The figures in the folder of a robot of an earlier run."""
    robot, logs = folder.name, folder / "log"
    stems = ("log", *(log.stem for log in sorted(logs.glob("*.jsonl"))))
    return figures_of(folder, robot, [robot]) + [x for stem in stems for x in figures_of(logs, stem, [robot])]


def _replaced(figures: list[Path], folder: Path) -> str:
    """Remove the figures; what to report of them, by their names in `folder`."""
    for path in figures:
        path.unlink()
    names = ", ".join(str(path.relative_to(folder)) for path in figures)
    return "an earlier run" + (f"; removed its figures {names}" if names else "")
