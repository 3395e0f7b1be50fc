"""Line 8: one file with three coordinators by two losses, killed and resumed to the same bytes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from robotd.timing.clock import monotonic
from tests.accept.alliance.experiments import LIMIT_S, Told, accomplished, conducted, folder, interval
from tests.accept.check import Check, Found
from tests.accept.desk import ROOT, Desk

FILE = Path(__file__).with_name("coordinators.toml")
RUNS, QUICK = 10, 1
LOOK_S = 0.2
WHOLE, KILLED = "coordinators-whole", "coordinators-killed"


def words(desk: Desk) -> Sequence[str]:
    """The options of both experiments."""
    return "--runs", str(desk.fewer(RUNS, QUICK))


def whole(desk: Desk) -> Told:
    """The experiment, left alone."""
    return conducted(desk, str(FILE), *words(desk), out=WHOLE)


def all_done(desk: Desk) -> Found:
    """Every run of every coordinator."""
    experiment = whole(desk)
    found = accomplished(experiment.rows())
    times = {cell: interval(experiment.line(cell, "duration_s")) for cell in experiment.cells}
    return found._replace(figure=f"{found.figure}; mean s: " + ", ".join(f"{k} {v}" for k, v in times.items()))


def said(desk: Desk) -> Found:
    """Statements of the auction's own."""
    counts = {"auction": 0, "others": 0}
    for row in whole(desk).rows():
        own = sum(int(value) for name, value in row.items() if name.startswith("messages_auction"))
        counts["auction" if row["coordinator"] == "auction" else "others"] += own
    figure = f"{counts['auction']} bids and awards left, of other coordinators {counts['others']}"
    return Found(figure, "some, of the auction alone", counts["auction"] > 0 == counts["others"])


def same_bytes(desk: Desk) -> Found:
    """The files of one that was killed and taken up, against those of one that was left alone."""
    total = len(whole(desk).rows())
    done = desk.kept(f"{KILLED} {total}", lambda: kill(desk, total))
    conducted(desk, str(FILE), *words(desk), out=KILLED, anew=False)
    one, other = files(folder(desk, WHOLE)), files(folder(desk, KILLED))
    differ = sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
    figure = f"killed after {done} of {total} runs; {len(one)} files, {len(differ)} differ"
    figure += f": {', '.join(differ[:5])}" if differ else ""
    return Found(figure, "killed in between; no difference", not differ and 0 < done < total)


def kill(desk: Desk, total: int) -> int:
    """Run the experiment until a third of it is done, then SIGKILL; how many runs were done by then."""
    out = folder(desk, KILLED)
    shutil.rmtree(out, ignore_errors=True)
    command = [sys.executable, "-m", "robotd", "experiment", str(FILE), *words(desk), "--jobs", str(desk.jobs)]
    runner = subprocess.Popen([*command, "--out", str(out)], cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        end = monotonic() + LIMIT_S
        while finished(out) * 3 < total and runner.poll() is None and monotonic() < end:
            threading.Event().wait(LOOK_S)
    finally:
        os.kill(runner.pid, signal.SIGKILL)
        runner.wait()
    return finished(out)


def finished(out: Path) -> int:
    """How many runs the journal holds."""
    journal = out / "journal.jsonl"
    return max(0, journal.read_bytes().count(b"\n") - 1) if journal.exists() else 0


def files(out: Path) -> dict[str, bytes]:
    """All that was written but the journals."""
    found = [path for path in out.rglob("*") if path.is_file() and "journal" not in path.name]
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in found}


COMMAND = f"robotd experiment {FILE.relative_to(ROOT)} --runs {RUNS} --json"
CHECKS = (
    Check("8.1", "accomplished by every coordinator at both losses", COMMAND, all_done),
    Check("8.2", "the plug-in says bids and awards of kinds of its own", COMMAND, said),
    Check("8.3", "killed and resumed: the same bytes", COMMAND, same_bytes),
)
