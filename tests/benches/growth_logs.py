"""How the reading of a run log grows with its length: processor time, and the most memory that it takes.

The log is that of one robot whose computer starts three times an hour, each time into the same twenty minutes of
`cleanup`: a folder of as many names of one file, so that a hundred hours take no more room than one.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from robotd.api import simulate
from tests.benches.fitting import fit, progress
from tests.benches.measure import Figure

MISSION, ROBOT = "cleanup", "green"
STARTS = 3  # an hour
RUN_S = 3600.0 / STARTS
SHORT_S = 10.0  # of a log whose reading is the start of the command alone
HOURS = (1, 10, 100)
MOST_MB = 1000.0
COMMANDS = {
    "replay": (), "why": (), "report": ("--out", "{out}/report.html"), "plot": ("--out", "{out}"),
    "export --csv": ("{out}",), "export --parquet": ("{out}",),
}  # fmt: skip


class Reading(NamedTuple):
    """What one command took: processor time (s), and the most memory (MB; that of this process at least)."""

    cpu_s: float
    peak_mb: float


def write_run(path: Path, duration_s: float) -> None:
    """The log of one robot of a simulated team, as its own computer writes it."""
    whole = path.with_suffix(".team")
    simulate(MISSION, 1, duration_s=duration_s, log=whole)
    with whole.open(encoding="utf-8") as lines, path.open("w", encoding="utf-8") as own:
        for line in lines:
            data = json.loads(line)
            if isinstance(data, list) and data[0] == ROBOT:
                own.write(line)
            elif isinstance(data, dict) and "part" in data:
                data |= {"seed": None, "frozen": {ROBOT: data["frozen"][ROBOT]}}
                own.write(json.dumps(data) + "\n")
        own.write(json.dumps({"end": {"robot": ROBOT, "reason": "stopped by a person"}}) + "\n")
    whole.unlink()


def write_logs(folder: Path, hours: Sequence[int]) -> dict[int, Path]:
    """The folder of each log by its hours; 0 is the short one."""
    run, short = folder / "run.jsonl", folder / "short.jsonl"
    write_run(run, RUN_S)
    write_run(short, SHORT_S)
    made = {count: folder / f"{count}-hours" for count in (0, *hours)}
    for count, place in made.items():
        place.mkdir()
        for k in range(max(1, STARTS * count)):
            os.link(run if count else short, place / f"{k}.jsonl")
    return made


def read(command: str, log: Path, out: Path) -> Reading:
    """What a command takes for a log; RuntimeError where it fails."""
    words = [*command.split(" ")[:1], str(log), *command.split(" ")[1:]]
    words += [word.format(out=out) for word in COMMANDS[command]]
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            [sys.executable, "-m", "robotd", *words], stdout=subprocess.DEVNULL, stderr=errors
        )
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            errors.seek(0)
            raise RuntimeError(f"robotd {' '.join(words)}: {errors.read().decode()[-500:]}")
    return Reading(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def run(hours: Sequence[int] = HOURS) -> list[Figure]:
    """Exponents of the processor time without the start, and the memory that the longest log takes."""
    figures, done = [], 0
    with tempfile.TemporaryDirectory() as name, progress(len(COMMANDS) * sum(hours)) as step:
        folder = Path(name)
        step("writing the log", done)
        made = write_logs(folder, hours)
        for command in COMMANDS:
            found = {}
            read(command, made[0], folder / "out")  # what a first start keeps, such as the list of fonts
            for count, log in made.items():
                step(f"robotd {command}, {count} hours", done)
                found[count] = read(command, log, folder / "out")
                done += count
            costs = [found[count].cpu_s - found[0].cpu_s for count in hours]
            figures.append(fit(f"robotd {command}, hours", hours, [costs], "hours"))
            figures.append(peak(command, hours, found))
    return figures


def peak(command: str, hours: Sequence[int], found: Mapping[int, Reading]) -> Figure:
    """The most memory of a command."""
    each, most = ", ".join(f"{found[count].peak_mb:.0f} of {count}" for count in hours), found[hours[-1]].peak_mb
    bound, met = f"at most {MOST_MB:.0f}", most <= MOST_MB
    return Figure(f"robotd {command}, memory", most, "MB", bound, met, f"{each} hours")
