"""Four coordinators serve the same places, with islands of radio or none, at three losses; a robot fails."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robotd.experiments import measure, statistics
from robotd.experiments.base import Cell, Claim, Drawing, Results, Table, accomplished
from robotd.experiments.charts import Axis, Means, Panel, line_charts
from robotd.experiments.measure import Measure, duplicated
from robotd.experiments.missions import MissionExperiment, format_level
from robotd.experiments.rows import RunRow, Value
from robotd.experiments.scenario import Scenario
from robotd.model.choice import Decision
from robotd.model.facts import Fact
from robotd.model.inputs import Inputs
from robotd.model.statements import Sent
from robotd.sim.activity_trace import Outcome
from robotd.sim.team import Team

MISSION = "service"
LEARNS = "l-alliance"
COORDINATORS = {"alliance": "ALLIANCE", LEARNS: "L-ALLIANCE", "murdoch": "MURDOCH", "cobos": "COBOS"}
RANGES_M = {"no": 50.0, "yes": 10.0}
"""By whether the room has islands: the radio range. The room's diagonal is 42.4 m."""
PLACES = {"no": "whole room in range", "yes": "islands"}
LOSSES = (0.0, 0.1, 0.3)
FAILS_S, FAILED = 90.0, "t5"
EVENTS = (f"{FAILS_S:g} remove holder:{FAILED}",)
PRACTICE = 1_000_003  # what is added to the seed of a run for the practice before it
COLUMNS = ("served", "served_again", "replaced_s")
"""Each is defined in docs/experiments.md."""
TABLE = {
    "duration_s": ("time (s)", 0), "distance_m": ("driven (m)", 0), "frames": ("frames", 0), "bytes": ("bytes", 0),
    "served_again": ("served again", 1), "duplicated_work_s": ("duplicated work (robot-s)", 0),
}  # fmt: skip
"""The columns of means: label and digits."""
SHOWN = {
    "duration_s": ("time (s)", 1.0), "distance_m": ("driven by all robots (m)", 1.0),
    "bytes": ("radio (kB)", 1e-3), "served_again": ("places served again", 1.0),
}  # fmt: skip


def cell_of(coordinator: str, islands: str, loss: float) -> str:
    """What the cell of three levels is called."""
    return f"{COORDINATORS[coordinator]}, {PLACES[islands]}, loss {loss:.0%}"


class Trial(Measure):
    """Observes which places are served, by the truth of the world, and which robots reported it."""

    def __init__(self, completions: Mapping[str, str]) -> None:
        """`completions`: by fact the task that it reports done."""
        super().__init__()
        self._completions = completions
        self.reports: dict[str, set[str]] = {}  # by task, the robots that reported it done
        self.served: dict[str, float] = {}  # by place, when it was first seen done, s from the start

    def tick(self, robot: str, i: Inputs, sent: tuple[Sent, ...], decision: Decision) -> None:
        super().tick(robot, i, sent, decision)
        self.report(robot, decision.acted.facts)

    def report(self, robot: str, facts: Iterable[Fact]) -> None:
        """Take in what a robot asserts."""
        for fact in facts:
            if fact.name in self._completions:
                self.reports.setdefault(self._completions[fact.name], set()).add(robot)

    def look(self, now: float, team: Team) -> None:
        super().look(now, team)
        areas = team.world.areas.by_name if team.world.areas is not None else {}
        for name, area in areas.items():
            if not area.left:
                self.served.setdefault(name, now)

    def columns(self, outcome: Outcome) -> RunRow:
        row: dict[str, Any] = {
            "served": len(self.served), "served_again": sum(len(robots) - 1 for robots in self.reports.values()),
            "duplicated_work_s": round(duplicated(outcome.story, self._completions.values()), 2),
        }  # fmt: skip
        at = self.served.get(f"place-{FAILED.removeprefix('t')}")
        return {**row, "replaced_s": round(at - FAILS_S, 1)} if at is not None else row


@dataclass(frozen=True, kw_only=True)
class Service(MissionExperiment):
    """Each coordinator with each radio; a cell's baseline is ALLIANCE with the same radio."""

    measured: Sequence[str] = measure.columns_with(*COLUMNS)

    def cells(self) -> Sequence[Cell]:
        cells = []
        for name, scenario in self.scenarios.items():
            settings = {key: format_level(value) for key, value in scenario.factors.items()}
            cells.append(Cell(name, {"coordinator": scenario.factors["coordinator"], **scenario.levels}, settings))
        return cells

    def measure(self, cell: str, seed: int) -> Trial:
        tasks = self.scenarios[cell].mission.content.tasks
        return Trial({task.completion: name for name, task in tasks.items() if task.completion})

    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[RunRow]:
        """L-ALLIANCE brings what its robots learned in one run before, in which no robot fails."""
        rows = []
        scenario = self.scenarios[cell.name]
        practice = Scenario(MISSION, {key: value for key, value in scenario.factors.items() if key != "events"})
        for seed in seeds:
            learns = cell.factors["coordinator"] == LEARNS
            learned = practice.run(seed + PRACTICE, None)[1].learned if learns else None
            rows.append(scenario.run(seed, log, self.measure(cell.name, seed), learned)[0])
        return rows

    def baseline(self, cell: Cell) -> str:
        return cell_of("alliance", str(cell.factors["islands"]), float(cell.factors["loss"]))

    def claims(self, results: Results) -> Iterator[Claim]:
        for cell in self.cells():
            yield results.claim(cell.name, "all places are served, though a robot fails", accomplished)

    def tables(self, results: Results) -> Sequence[Table]:
        rows = [self._row(results, cell) for cell in self.cells()]
        labels = [label for label, _ in TABLE.values()]
        columns = ("coordinator", "radio", "loss", "accomplished", "share", *labels)
        note = (
            "Shares with Wilson's interval, means with Student's; times are of accomplished runs. Served again: "
            "how often a further robot came to a place that was done and reported it too. Duplicated work: "
            "robot-seconds on a task, the way to it included, while another robot was on it."
        )
        return [Table("The same places under four coordinators", columns, rows, note)]

    def _row(self, results: Results, cell: Cell) -> list[Value]:
        means = {name: results.mean(cell.name, name) for name in TABLE}
        means["duration_s"] = results.only_accomplished.mean(cell.name, "duration_s")
        return [
            COORDINATORS[str(cell.factors["coordinator"])], PLACES[str(cell.factors["islands"])],
            f"{float(cell.factors['loss']):.0%}", results.count_accomplished(cell.name),
            statistics.words(statistics.share(results.accomplished(cell.name)), 2),
            *(statistics.words(means[name], digits) for name, (_, digits) in TABLE.items()),
        ]  # fmt: skip

    def figures(self, results: Results) -> Sequence[Drawing]:
        """Rows: what is measured; on the left the whole room in range, on the right islands."""
        panels = []
        for name in ("accomplished", *SHOWN):
            label, scale = SHOWN.get(name, ("share accomplished", 1.0))
            for islands, words in PLACES.items():
                lines = [_line(results, one, islands, name, scale) for one in COORDINATORS]
                panels.append(Panel(label, lines, words, least=0.0))
        path = results.figure("service")
        heading = "Six places, seven robots, one of which fails"
        return line_charts(panels, Axis.of_losses(LOSSES), heading, path, across=len(PLACES))


def _line(results: Results, coordinator: str, islands: str, column: str, scale: float) -> Means:
    """A coordinator's means over the losses; shares, with their interval, of accomplished runs."""
    label, cells = COORDINATORS[coordinator], [cell_of(coordinator, islands, loss) for loss in LOSSES]
    if column == "accomplished":
        return Means(label, [statistics.share(results.accomplished(cell)) for cell in cells])
    return Means.of(results, label, cells, column, scale)


def scenarios() -> dict[str, Scenario]:
    """Each coordinator in each kind of network at each loss."""
    return {
        cell_of(coordinator, islands, loss): Scenario(
            MISSION,
            {"coordinator": coordinator, "radio.range_m": range_m, "radio.loss": loss, "events": EVENTS},
            levels={"islands": islands, "loss": f"{loss:g}"},
        )
        for coordinator in COORDINATORS for islands, range_m in RANGES_M.items() for loss in LOSSES
    }  # fmt: skip


EXPERIMENT = Service(
    name="service", runs=10, scenarios=scenarios(), logged=0,
    title="What is each of four architectures good at: ALLIANCE, L-ALLIANCE, MURDOCH, COBOS?",
)  # fmt: skip
