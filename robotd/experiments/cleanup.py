"""The cleanup mission of Parker 1998 (section IV) without failure, and with the three failures that it reports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from robotd.experiments import statistics
from robotd.experiments.contract import Row, Table, Value, log_path
from robotd.experiments.missions import MissionExperiment
from robotd.experiments.scenario import Scenario
from robotd.figures.read import read_series

UNDISTURBED, BLOCKED = "no failure", "finder blocked"
MOVER, REPORTER = "mover removed", "reporter removed"
# Read off figures 10, 13, 17 and 21, about 10 s either way: by cell the end (s), and what each robot did.
PUBLISHED = {
    UNDISTURBED: (1375.0, "fig. 10", {
        "green": "FLM 20-130, MS(L) 130-1350",
        "blue": "MS(R) 130-1305",
        "gold": "RP 255-280, 550, 805, 1050, 1310",
    }),
    BLOCKED: (1615.0, "fig. 13", {
        "green": "FLM 20-215, MS(R) 465-1595",
        "blue": "FLW 215-465, MS(L) 465-1560",
        "gold": "RP 475, 730, 980, 1235, 1485",
    }),
    MOVER: (1775.0, "fig. 17", {
        "green": "FLM, MS(L) 140-560, RP 560-655, MS(L) 655-1285, RP 1285-1365, MS(L) 1365-1735",
        "blue": "MS(R) 120-280",
        "gold": "RP 255-285, MS(R) 325-915, RP 915-995, MS(R) 990-1615, RP 1615-1700",
    }),
    REPORTER: (1770.0, "fig. 21", {
        "green": "FLM, MS(L) 130-590, RP 590-655, MS(L) 655-1620, RP 1615-1705",
        "blue": "MS(R) 130-975, RP 975-1065, MS(R) to 1320, RP to 1410, MS(R) to 1700",
        "gold": "RP 230-255",
    }),
}  # fmt: skip
RATIOS = {UNDISTURBED: 1.0, BLOCKED: 1.18, MOVER: 1.29, REPORTER: 1.29}  # of the ends, as far as figures are read
EVENTS = {
    UNDISTURBED: [],
    BLOCKED: ["0 dead blue side-range", "25 seize holder:find-locations", "215 release green"],
    MOVER: ["300 remove holder:move-spill-right"],
    REPORTER: ["430 remove gold"],
}
"""What happens in each variant; times are those of the paper's text and figures."""


class Cleanup(MissionExperiment):
    """With the published runs beside ours."""

    def tables(self, rows: Sequence[Row], folder: Path) -> Sequence[Table]:
        """See `Experiment.tables`."""
        return [ratios(rows), timelines(folder)]


def ratios(rows: Sequence[Row]) -> Table:
    """Mean mission times over that of the undisturbed variant, beside the published ones."""
    times = {
        cell: {
            row["seed"]: float(row["duration_s"]) for row in rows if row["cell"] == cell and "duration_s" in row
        }
        for cell in EVENTS
    }
    lines: list[list[Value]] = []
    for cell, own in times.items():
        both = sorted(set(own) & set(times[UNDISTURBED]))
        found = statistics.ratio([own[s] for s in both], [times[UNDISTURBED][s] for s in both])
        ended, figure, _ = PUBLISHED[cell]
        done = sum(row.get("accomplished") is True for row in rows if row["cell"] == cell)
        lines.append([
            cell, f"{done} of {sum(row['cell'] == cell for row in rows)}",
            _number(statistics.mean(list(own.values())).value), _number(found.value),
            f"{_number(found.low)} to {_number(found.high)}" if not math.isnan(found.low) else "",
            figure, ended, RATIOS[cell],
        ])  # fmt: skip
    columns = (
        "variant", "accomplished", "mean time (s)", "ratio", "95 % interval",
        "published run", "ended (s)", "published ratio",
    )  # fmt: skip
    note = "Ratios to the undisturbed variant, in pairs of one seed. Published: single runs of real robots."
    return Table("Mission times beside the published ones", columns, lines, note)


def _number(value: float) -> Value:
    return "" if math.isnan(value) else float(f"{value:.4g}")


def timelines(folder: Path) -> Table:
    """Who did what in the first run of each variant, in the words of the published figures."""
    lines: list[list[Value]] = []
    for cell, (_, figure, robots) in PUBLISHED.items():
        log = log_path(folder, cell, 1)
        run = read_series(log) if log.is_file() else None
        for robot, published in robots.items():
            ours = ""
            if run is not None and robot in run.robots:
                labels = run.labels()
                spells = sorted(run.robots[robot].spells, key=lambda spell: spell.start)
                ours = ", ".join(f"{labels[s.set]} {s.start:.0f}-{s.end:.0f}" for s in spells)
            lines.append([cell, robot, ours, published, figure])
    note = (
        "FLM, FLW: find locations methodically, by wandering; MS: move spill (left, right); RP: report progress."
    )
    columns = ("variant", "robot", "our first run (s)", "published (s)", "figure")
    return Table("Timelines beside the published ones", columns, lines, note)


EXPERIMENT = Cleanup(
    "cleanup",
    "How much longer does cleanup take when the finder is blocked, a mover or the reporter is taken away?",
    {cell: Scenario("cleanup", {"events": events}) for cell, events in EVENTS.items()},
    runs=15,
)
