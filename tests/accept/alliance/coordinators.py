"""Line 8: one file with three coordinators by two losses, killed and resumed to the same bytes."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

from robotd.timing.clock import monotonic
from tests.accept.alliance.experiments import LIMIT_S, Output, Series, accomplished, interval
from tests.accept.check import Check, Found, besides
from tests.accept.desk import ROOT, Desk

FILE = Path(__file__).with_name("coordinators.toml")
NAME = str(FILE.relative_to(ROOT))
LOOK_S = 0.2
WHOLE, KILLED = (Series(NAME, 10, 1, f"coordinators-{which}") for which in ("whole", "killed"))


def all_done(output: Output) -> Found:
    found = accomplished(output.rows())
    times = {cell: interval(output.line(cell, "duration_s")) for cell in output.cells}
    return found._replace(figure=f"{found.figure}; mean s: " + ", ".join(f"{k} {v}" for k, v in times.items()))


def own_kinds(output: Output) -> Found:
    counts = {"auction": 0, "others": 0}
    for row in output.rows():
        own = sum(int(value) for name, value in row.items() if name.startswith("messages_auction"))
        counts["auction" if row["coordinator"] == "auction" else "others"] += own
    figure = f"{counts['auction']} bids and awards left, of other coordinators {counts['others']}"
    return Found(figure, "some, of the auction alone", counts["auction"] > 0 == counts["others"])


def same_bytes(desk: Desk) -> Found:
    """The files of one that was killed and resumed, against those of one that was left alone."""
    total = len(WHOLE.run(desk).rows())
    done = desk.kept(f"killed {total}", lambda: kill(desk, total))
    KILLED.run(desk, anew=False)
    one, other = (files(series.folder(desk)) for series in (WHOLE, KILLED))
    differ = sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
    figure = f"killed after {done} of {total} runs; {len(one)} files, {len(differ)} differ"
    return Found(
        besides(figure, differ[:5], "they are"), "killed in between; no difference",
        not differ and 0 < done < total,
    )  # fmt: skip


def kill(desk: Desk, total: int) -> int:
    """Run the experiment until a third of it is done, then SIGKILL; how many runs were done by then."""
    out = KILLED.folder(desk)
    shutil.rmtree(out, ignore_errors=True)
    command = [sys.executable, "-m", "robotd", "experiment", NAME, *KILLED.words(desk), "--jobs", str(desk.jobs)]
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
    journal = out / "journal.jsonl"
    return max(0, journal.read_bytes().count(b"\n") - 1) if journal.exists() else 0


def files(out: Path) -> dict[str, bytes]:
    found = [path for path in out.rglob("*") if path.is_file() and "journal" not in path.name]
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in found}


CHECKS = (
    WHOLE.check("8.1", "accomplished by every coordinator at both losses", all_done),
    WHOLE.check("8.2", "the plug-in states bids and awards of kinds of its own", own_kinds),
    Check("8.3", "killed and resumed: the same bytes", KILLED.command, same_bytes),
)
