"""Experiment `bite-graphs`: nine behavior graphs under three allocations, as table 2 of paper 004."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from robotd.experiments import measure, statistics
from robotd.experiments.base import Cell, Claim, Drawing, Results, Table, accomplished, format_count
from robotd.experiments.bite.plans import PLANS
from robotd.experiments.bite.published import TABLE_2, Graph
from robotd.experiments.bite.trial import COLUMNS, Trial
from robotd.experiments.charts import Axis, Means, Panel, line_charts
from robotd.experiments.missions import MissionExperiment
from robotd.experiments.rows import Value
from robotd.experiments.scenario import Scenario

MISSION = "formation"
SIGHT, MARKET, AGREED = ALLOCATE = ("by-sight", "market", "agreed")
LEAST = 47, 54  # of the runs by sight; published: 52 of 58


def cell_of(graph: str, allocate: str) -> str:
    """What the cell of a graph and a protocol is called."""
    return f"graph {graph}, {allocate}"


@dataclass(frozen=True, kw_only=True)
class Graphs(MissionExperiment):
    """Each graph with each allocation, in the same worlds; compared with the market."""

    logged: int = 0
    measured: Sequence[str] = measure.columns_with(*COLUMNS)
    claims_note: str = "The share of all runs by sight is one claim, not one for each run."

    def cells(self) -> Sequence[Cell]:
        return [
            Cell(cell_of(graph, allocate), {"graph": graph, "allocate": allocate},
                 {"graph": PLANS[graph].words, "decide": PLANS[graph].decide, "allocate": allocate})
            for graph, allocate in product(PLANS, ALLOCATE)
        ]  # fmt: skip

    def baseline(self, cell: Cell) -> str:
        return cell_of(str(cell.factors["graph"]), MARKET)

    def measure(self, cell: str, seed: int) -> Trial:
        return Trial(self.scenarios[cell].mission.content)

    def answer(self, results: Results) -> str:
        counts = (f"{one} {results.count_accomplished(*cells_of(one))}" for one in ALLOCATE)
        return f"Accomplished: {', '.join(counts)}. {self.count_claims(results)}"

    def claims(self, results: Results) -> Iterator[Claim]:
        found = results.accomplished(*cells_of(SIGHT))
        published = [sum(one) for one in zip(*((row.trials, row.failures) for row in TABLE_2), strict=True)]
        text = f"over all graphs at least {LEAST[0]} of {LEAST[1]} runs by sight are accomplished"
        printed = f"{published[0]} of {sum(published)}"
        yield Claim.of_share(cell_of("1", SIGHT), text, found, LEAST, format_count(found), printed)
        failed = [row for cell in cells_of(SIGHT) for row in results.of(cell) if not accomplished(row)]
        text = "where a run by sight fails, robots had judged their places wrong"
        yield Claim(cell_of("1", SIGHT), text, [bool(row.get("trace")) for row in failed], published="all")
        for allocate in (MARKET, AGREED):
            text, printed = f"over all graphs no run by {allocate} fails", "none" if allocate == MARKET else ""
            found = results.accomplished(*cells_of(allocate))
            yield Claim(cell_of("1", allocate), text, found, published=printed)

    def tables(self, results: Results) -> Sequence[Table]:
        return [self._table_2(results), self._failed(results)]

    @staticmethod
    def _table_2(results: Results) -> Table:
        rows: list[list[Value]] = []
        for (graph, plan), published in zip(PLANS.items(), TABLE_2, strict=True):
            cells = [cell_of(graph, allocate) for allocate in ALLOCATE]
            counts = [results.count_accomplished(cell) for cell in cells]
            times = [
                statistics.words(results.mean(cell, column), 1)
                for column in ("interaction_s", "task_s") for cell in cells
            ]  # fmt: skip
            rows.append([graph, plan.words, plan.decide, *counts, *times, *_printed(published)])
        columns = [
            f"{what}, {allocate}"
            for what in ("accomplished", "interaction (s)", "task (s)")
            for allocate in ALLOCATE
        ]
        note = "The published graphs are other ones, which are not printed; each had protocols of its own."
        head, tail = ("graph", "formations", "choice"), ("published", "interaction (s)", "task (s)")
        return Table("Table 2 of the paper", (*head, *columns, *tail), rows, note)

    @staticmethod
    def _failed(results: Results) -> Table:
        rows = [
            [row["cell"], row["run"], row["seed"], row.get("failure", row["reason"]), row.get("trace", "")]
            for row in results.rows if not accomplished(row)
        ]  # fmt: skip
        note = "Taken and nearest places when two robots had one place for the first time."
        return Table("Failures", ("cell", "run", "seed", "failure", "how it came"), rows, note)

    def figures(self, results: Results) -> Sequence[Drawing]:
        labels = {"interaction_s": "interaction (s)", "task_s": "task of accomplished runs (s)"}
        looks_as_in_mix = (MARKET, SIGHT, AGREED)
        panels = [
            Panel(label, [Means.of(results, one, cells_of(one), name) for one in looks_as_in_mix])
            for name, label in labels.items()
        ]
        heading, path = "Nine graphs, three allocations", results.figure("graphs")
        return line_charts(panels, Axis("graph", list(PLANS)), heading, path)


def cells_of(allocate: str) -> list[str]:
    """The cells of all graphs with a protocol."""
    return [cell_of(graph, allocate) for graph in PLANS]


def _printed(row: Graph) -> tuple[str, str, str]:
    return f"{row.trials} of {row.trials + row.failures}", f"{row.interaction_s:.2f}", f"{row.task_s:.1f}"


EXPERIMENT = Graphs(
    name="bite-graphs", runs=6,
    title="Do nine behavior graphs need anything but another word for another protocol, and when do they fail?",
    scenarios={
        cell_of(graph, allocate): Scenario(MISSION, plan.changes(allocate))
        for (graph, plan), allocate in product(PLANS.items(), ALLOCATE)
    },
)  # fmt: skip
