"""The cleanup mission of Parker 1998 (section IV) without failure, and with the three failures that it reports."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from boards.mock.settings import WorldSettings
from robotd.experiments import measure, statistics, takeover
from robotd.experiments.contract import Cell, Row, Table, Value
from robotd.experiments.figures import kept_run
from robotd.experiments.missions import MissionExperiment
from robotd.experiments.scenario import Scenario
from robotd.experiments.takeover import Witness

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
SEIZED_S = 25.0
EVENTS = {
    UNDISTURBED: [],
    BLOCKED: ["0 dead blue side-range", f"{SEIZED_S:g} seize holder:find-locations", "215 release green"],
    MOVER: ["300 remove holder:move-spill-right"],
    REPORTER: ["430 remove gold"],
}
"""What happens in each variant; times are those of the paper's text and figures."""
WANDER = "find-locations-wander"
REMOVES = {MOVER: "move-spill-right", REPORTER: "report-progress"}
TAKEOVER_S = 20.0, 60.0  # after the removal of the mover; in the published runs 25 to 45 s
NORMAL = ""  # the robots' speed in the published runs, as a cell's name tells it


@dataclass(frozen=True)
class Cleanup(MissionExperiment):
    """With the published runs beside ours. `speeds`: how cells call the speeds at which each variant is run."""

    columns: Sequence[str] = (*measure.COLUMNS, *takeover.COLUMNS)
    speeds: Sequence[str] = (NORMAL,)

    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[Row]:
        """See `Experiment.run`."""
        return [_watched(cell.name, self.scenarios[cell.name], seed, log) for seed in seeds]

    def tables(self, rows: Sequence[Row], folder: Path) -> Sequence[Table]:
        """See `Experiment.tables`."""
        return [conclusions(rows, self.speeds), ratios(rows, self.speeds), timelines(folder, self.speeds)]


def cell_of(variant: str, speed: str = NORMAL) -> str:
    """What the cell of a variant at a speed is called."""
    return f"{variant}, {speed}" if speed else variant


def scenarios(speeds: Mapping[str, float]) -> dict[str, Scenario]:
    """All variants at each speed, a factor on that of the mission file, by cell."""
    usual = WorldSettings().max_speed_m_s
    return {
        cell_of(variant, speed): Scenario(
            "cleanup", {"events": events, **({"world.max_speed_m_s": usual * factor} if factor != 1.0 else {})}
        )
        for speed, factor in speeds.items()
        for variant, events in EVENTS.items()
    }


def _watched(cell: str, scenario: Scenario, seed: int, log: Path | None) -> Row:
    witness = Witness()
    row, outcome = scenario.run(seed, log, witness)
    tasks = {name: entry.task for name, entry in scenario.load().content.sets.items()}
    variant = cell.partition(",")[0]
    failure = takeover.seized(outcome.story, tasks, "find-locations", SEIZED_S) if variant == BLOCKED else None
    if variant in REMOVES:
        failure = takeover.removed(witness, REMOVES[variant])
    return {**row, **takeover.told(failure, outcome.story, tasks, witness)}


def conclusions(rows: Sequence[Row], speeds: Sequence[str] = (NORMAL,)) -> Table:
    """What the published runs show, and in how many of ours it is so."""
    lines: list[list[Value]] = []
    for speed in speeds:
        own = {variant: [row for row in rows if row["cell"] == cell_of(variant, speed)] for variant in EVENTS}
        for variant, shown, so, counted, published in _concluded(own):
            lines.append([cell_of(variant, speed), shown, f"{sum(so)} of {len(so)}", counted, published])
    columns = ("variant", "what the published runs show", "in how many of ours", "counted", "published")
    note = "Times: from the failure until another robot begins the task and keeps it; median, least and greatest."
    return Table("Conclusions, counted run by run", columns, lines, note)


def _concluded(own: Mapping[str, Sequence[Row]]) -> Iterator[tuple[str, str, list[bool], str, str]]:
    """Variant, conclusion, in which runs it is so, what was counted, and what is published."""
    blocked, mover, reporter = own[BLOCKED], own[MOVER], own[REPORTER]
    blind = [row.get("takeover_set") == WANDER and row["was_blind"] is True for row in blocked]
    yield BLOCKED, "a robot whose side range is dead takes over, wandering", blind, _span(blocked), "190 s"
    yielded = [row.get("yielded") is True for row in blocked]
    yield BLOCKED, "the blocked finder yields to it", yielded, "", "GREEN does"
    low, high = TAKEOVER_S
    quick = [row.get("was_idle") is True and low <= float(row["takeover_s"]) <= high for row in mover]
    yield MOVER, f"an idle robot takes over in {low:g} to {high:g} s", quick, _span(mover), "25 to 45 s"
    left = [int(row.get("interruptions", 0)) for row in reporter]
    back = [int(row.get("resumed", 0)) for row in reporter]
    whole = [0 < resumed == cut for resumed, cut in zip(back, left, strict=True)]
    told = f"{sum(back)} of {sum(left)} interruptions resumed"
    yield REPORTER, "movers interrupt their work to report, and resume", whole, told, "3 of 3"


def ratios(rows: Sequence[Row], speeds: Sequence[str] = (NORMAL,)) -> Table:
    """Mean mission times over that of the undisturbed variant, beside the published ones."""
    times = {
        cell: {
            row["seed"]: float(row["duration_s"]) for row in rows if row["cell"] == cell and "duration_s" in row
        }
        for cell in (cell_of(variant, speed) for speed in speeds for variant in EVENTS)
    }
    lines: list[list[Value]] = []
    for speed, variant in itertools.product(speeds, EVENTS):
        cell = cell_of(variant, speed)
        own, calm = times[cell], times[cell_of(UNDISTURBED, speed)]
        both = sorted(set(own) & set(calm))
        found = statistics.ratio([own[s] for s in both], [calm[s] for s in both])
        ended, figure, _ = PUBLISHED[variant]
        done = sum(row.get("accomplished") is True for row in rows if row["cell"] == cell)
        lines.append([
            cell, f"{done} of {sum(row['cell'] == cell for row in rows)}",
            _number(statistics.mean(list(own.values())).value), _number(found.value),
            f"{_number(found.low)} to {_number(found.high)}" if not math.isnan(found.low) else "",
            figure, ended, RATIOS[variant],
        ])  # fmt: skip
    columns = (
        "variant", "accomplished", "mean time (s)", "ratio", "95 % interval",
        "published run", "ended (s)", "published ratio",
    )  # fmt: skip
    note = "Ratios to the undisturbed variant, in pairs of one seed. Published: single runs of real robots."
    return Table("Mission times beside the published ones", columns, lines, note)


def _span(rows: Sequence[Row]) -> str:
    """The times of takeover."""
    times = [float(row["takeover_s"]) for row in rows if "takeover_s" in row]
    return f"{statistics.median(times):.0f} s ({min(times):.0f} to {max(times):.0f})" if times else ""


def _number(value: float) -> Value:
    return "" if math.isnan(value) else float(f"{value:.4g}")


def timelines(folder: Path, speeds: Sequence[str] = (NORMAL,)) -> Table:
    """Who did what in the first run of each variant, in the words of the published figures."""
    lines: list[list[Value]] = []
    for speed, variant in itertools.product(speeds, PUBLISHED):
        _, figure, robots = PUBLISHED[variant]
        cell = cell_of(variant, speed)
        run = kept_run(folder, cell, 1)
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
    scenarios({NORMAL: 1.0}),
    runs=15,
)
