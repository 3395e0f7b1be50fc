"""Experiment `bite-mix`: one mission with each choice of protocols, beside table 1 of paper 004."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from robotd.experiments import measure, statistics
from robotd.experiments.base import Cell, Claim, Drawing, Results, Table, accomplished
from robotd.experiments.bite.published import POOR_POOR, RICH_POOR, RICH_RICH, TABLE_1
from robotd.experiments.bite.trial import COLUMNS, NONE, Trial
from robotd.experiments.charts import Axis, Means, Panel, draw_intervals, line_charts
from robotd.experiments.missions import MissionExperiment
from robotd.experiments.rows import Value
from robotd.experiments.scenario import Scenario
from robotd.experiments.statistics import Estimate

MISSION = "formation"
GRAPH = "coordinator.parameters.graph."
DECIDED, ALLOCATED = ("search", "triangle", "line"), ("triangle", "line")
DECIDE, ALLOCATE = ("vote", "leader", "agreed"), ("market", "by-sight", "agreed")
"""From rich in communication to poor; both of the latter allocate without a message."""
LEAST = 1.5  # allocation by messages takes so many times as long as by sight


def cell_of(decide: str, allocate: str) -> str:
    """What the cell of two protocols is called."""
    return f"{decide}, {allocate}"


VARIANTS: Mapping[str, str] = {
    RICH_POOR: cell_of("vote", "by-sight"), POOR_POOR: cell_of("agreed", "by-sight"),
    RICH_RICH: cell_of("vote", "market"),
}  # fmt: skip
"""By row of table 1 its cell."""
TIMES = ("sync_s", "allocation_s", "interaction_s", "task_s")
RATIOS = {
    (decide, allocate): TABLE_1[RICH_RICH].task_s / TABLE_1[other].task_s
    for allocate in ("by-sight", "agreed") for decide, other in (("vote", RICH_POOR), ("agreed", POOR_POOR))
}  # fmt: skip
"""By protocols the published ratio of task times, rich/rich over the variant that they stand for."""


@dataclass(frozen=True, kw_only=True)
class Mix(MissionExperiment):
    """All pairs of protocols in the same worlds; each is compared with the vote and the market."""

    measured: Sequence[str] = measure.columns_with(*COLUMNS)
    claims_note: str = "A claim about means is one claim, not one for each run."

    def cells(self) -> Sequence[Cell]:
        return [Cell(cell_of(*pair), dict(zip(("decide", "allocate"), pair, strict=True)))
                for pair in product(DECIDE, ALLOCATE)]  # fmt: skip

    def measure(self, cell: str, seed: int) -> Trial:
        return Trial(self.scenarios[cell].mission.content)

    def answer(self, results: Results) -> str:
        return f"{results.count_accomplished()} runs are accomplished. {self.count_claims(results)}"

    def claims(self, results: Results) -> Iterator[Claim]:
        for allocate in ALLOCATE:
            yield results.claim(
                cell_of("agreed", allocate), "synchronisation takes no time", lambda row: row.get("sync_s") == 0.0,
                published="0" if allocate == "by-sight" else "",
            )  # fmt: skip
        ended = results.only_accomplished  # one that takes places anew until its time is over has no task time
        for other in (RICH_POOR, POOR_POOR):
            ratio = ended.ratio(VARIANTS[RICH_RICH], VARIANTS[other], "allocation_s")
            published = TABLE_1[RICH_RICH].allocation_s / TABLE_1[other].allocation_s
            text = f"allocation takes over {LEAST:g} times as long as in {other}"
            yield Claim.of_estimate(
                VARIANTS[RICH_RICH], text, ratio, lambda found: found.value > LEAST, statistics.words(ratio, 2),
                f"{published:.2f}",
            )  # fmt: skip
        for less, more in pairwise((POOR_POOR, RICH_POOR, RICH_RICH)):
            gap = ended.difference((VARIANTS[more], "interaction_s"), (VARIANTS[less], "interaction_s"))
            published = TABLE_1[more].interaction_s - TABLE_1[less].interaction_s
            text = f"interaction takes longer than in {less}, in pairs of one seed"
            yield Claim.of_estimate(
                VARIANTS[more], text, gap, lambda found: found.value > 0.0, statistics.words(gap, 2, " s"),
                f"{published:.2f} s",
            )  # fmt: skip
        for decide, allocate in product(DECIDE, ALLOCATE):
            if allocate != "by-sight":
                text = "no place is taken twice, and every robot is at its own"
                yield results.claim(cell_of(decide, allocate), text, accomplished)

    def tables(self, results: Results) -> Sequence[Table]:
        return [self._table_1(results), self._ratios(results), self._all(results)]

    @staticmethod
    def _table_1(results: Results) -> Table:
        rows: list[list[Value]] = []
        ended = results.only_accomplished
        for variant, cell in VARIANTS.items():
            means = [statistics.words(ended.mean(cell, name), 2) for name in TIMES]
            printed = [f"{value:.2f}" for value in TABLE_1[variant]]
            both = [one for pair in zip(means, printed, strict=True) for one in pair]
            rows.append([variant, cell, results.count_accomplished(cell), *both])
        labels = ("synchronisation", "allocation", "interaction", "task")
        columns = [one for label in labels for one in (f"{label} (s)", "published")]
        note = "Means of the accomplished runs, with their intervals. The published ones are means of four runs."
        return Table("Table 1 of the paper", ("variant", "protocols", "accomplished", *columns), rows, note)

    @staticmethod
    def _ratios(results: Results) -> Table:
        rows: list[list[Value]] = []
        rich = VARIANTS[RICH_RICH]
        for pair, published in RATIOS.items():
            cell = cell_of(*pair)
            found = (results.ratio(rich, cell, name) for name in ("task_s", "duration_s"))
            pairs = len(results.pairs((rich, "task_s"), (cell, "task_s")))
            rows.append([cell, f"{published:.3f}", pairs, *(statistics.words(one, 3) for one in found)])
        columns = ("vote and market over", "published", "pairs", "both accomplished", "all pairs")
        note = (
            "Ratios of task times in pairs of one seed; poor is by sight, or by agreed order. In all pairs, runs "
            "that are not accomplished have the time until they ended."
        )
        return Table("Is allocation by messages worth its time?", columns, rows, note)

    def _all(self, results: Results) -> Table:
        rows: list[list[Value]] = []
        for cell in self.scenarios:
            means = [statistics.words(results.mean(cell, name), 2) for name in (*TIMES, "searches")]
            fits = share(results, cell, "fits")
            failures = sum(row.get("cause", NONE) != NONE for row in results.of(cell))
            rows.append([cell, results.count_accomplished(cell), failures, statistics.words(fits, 2), *means])
        columns = (
            "protocols", "accomplished", "failures", "first places fit", "synchronisation (s)", "allocation (s)",
            "interaction (s)", "task (s)", "searches",
        )  # fmt: skip
        note = "First places fit: share of the runs in which the robots that began nearest to the places had them."
        return Table("All pairs of protocols", columns, rows, note)

    def figures(self, results: Results) -> Sequence[Drawing]:
        labels = {f"{name}_s": f"{name} of accomplished runs (s)" for name in ("interaction", "task")}
        ended = results.only_accomplished
        panels = [
            Panel(label, [Means.of(ended, one, [cell_of(two, one) for two in DECIDE], name) for one in ALLOCATE])
            for name, label in labels.items()
        ]
        drawn = line_charts(panels, Axis("choice by", DECIDE), "Protocols mixed", results.figure("mix"))
        return [*drawn, *draw_intervals(results, self.cells(), "task_s", "task time of accomplished runs (s)")]


def share(results: Results, cell: str, column: str) -> Estimate:
    """The share of a cell's runs in which a column is true, of those that have it."""
    return statistics.share([row[column] is True for row in results.of(cell, column)])


def protocols(decide: str, allocate: str) -> dict[str, str]:
    """What a cell changes in the mission."""
    return {
        **{f"{GRAPH}{name}.decide": decide for name in DECIDED},
        **{f"{GRAPH}{name}.allocate": allocate for name in ALLOCATED},
    }


EXPERIMENT = Mix(
    name="bite-mix", runs=20,
    baselines={cell_of(*pair): VARIANTS[RICH_RICH] for pair in product(DECIDE, ALLOCATE)},
    title="Which protocols are worth their messages: does allocation by messages shorten the task?",
    scenarios={
        cell_of(decide, allocate): Scenario(MISSION, protocols(decide, allocate))
        for decide, allocate in product(DECIDE, ALLOCATE)
    },
)  # fmt: skip
