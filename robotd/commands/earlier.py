"""What an earlier run left where a new one will write: that is replaced, and nothing of anybody else's is."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from pathlib import Path

HEAD = re.compile(rb'\{"part":\d+,"format":\d+,')  # how each run log begins
OURS = {"robot.toml", "mission.toml", "team.key", "stderr.txt", "state", "log"}  # of a robot with --processes
PTY = "/dev/pts/"  # where the ports of a simulated robot are, and those of no other


class NotOursError(ValueError):
    """Something stands there that no run has written; the message says what to do."""


def replace_log(log: Path) -> str:
    """Make way for a new run log: of an earlier one there the figures are removed; tells what is replaced, or ''.

    NotOursError where a file stands there that is no run log; what is no plain file (/dev/null) is left alone.
    """
    if not log.is_file():
        return ""
    with log.open("rb") as file:
        head = file.read(64)
    if head and HEAD.match(head) is None:
        raise NotOursError(f"{log}: this is no run log, so it is not overwritten; choose another file with --log")
    return _replaced(_without_figures(log.parent, log.stem)) if head else ""


def replace_processes(out: Path, robots: Collection[str]) -> str:
    """The same for the folder of a run with `--processes`, which has one of each robot."""
    folders = [out / name for name in sorted(robots) if (out / name).exists()]
    for folder in folders:
        if not _is_simulated(folder):
            raise NotOursError(
                f"{folder}: no earlier run has written this, so it stays; choose another folder with --out"
            )
    earlier = any(any(folder.iterdir()) for folder in folders)
    return _replaced(_without_figures(out, out.resolve().stem)) if earlier else ""


def _is_simulated(folder: Path) -> bool:
    """True for the folder of a robot of an earlier run, or an empty one."""
    found = {path.name for path in folder.iterdir()} if folder.is_dir() else {""}
    if not found:
        return True
    try:
        robot = tomllib.loads((folder / "robot.toml").read_text(encoding="utf-8"))
        return found <= OURS and str(robot["board"]["port"]).startswith(PTY)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _without_figures(folder: Path, stem: str) -> list[str]:
    """Remove the figures of the log called `stem`; their names."""
    from robotd.figures.files import figures_of

    found = figures_of(folder, stem)
    for path in found:
        path.unlink()
    return [path.name for path in found]


def _replaced(figures: list[str]) -> str:
    return "an earlier run" + (f"; removed its figures {', '.join(figures)}" if figures else "")
