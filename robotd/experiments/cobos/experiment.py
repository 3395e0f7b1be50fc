"""Are all places staffed, though no robot knows how many each needs? With islands of radio, and in one network."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from robotd.experiments import measure, statistics
from robotd.experiments.base import Claim, Drawing, Results, Table, format_count, format_share
from robotd.experiments.charts import draw_intervals
from robotd.experiments.cobos.charts import draw_activity, draw_allocation, draw_map
from robotd.experiments.cobos.trial import COLUMNS, VERDICTS, Trial
from robotd.experiments.missions import MEASURES, Excerpt, ExcerptExperiment
from robotd.experiments.rows import Value
from robotd.experiments.scenario import Scenario
from robotd.sim.activity_trace import Outcome

MISSION = "cobos"
FEASIBLE = (
    *((1, n, 1, 1) for n in range(1, 5)), *((1, n, 1, 2) for n in range(1, 4)),
    *((1, n, 2, 1) for n in range(1, 4)), *((2, n, 1, 1) for n in range(1, 4)),
)  # fmt: skip
"""Pucks of t1 to t4 for which seven robots suffice: four see blue, four see red, one of them both."""
SHOWN = (1, 2, 1, 2)  # what the published figures show
ISLANDS, CONNECTED, KNOWN = "islands", "connected", "connected, numbers known"
ROOM_M = 50.0  # a range beyond the diagonal of the room
FIGURE_7 = {"coordinator.parameters.solver": "priority", "coordinator.parameters.recruits": False}
"""Beside the numbers of robots, which are known there."""
LEAST = 27, 30  # of the published vector
LEAST_OF_ALL = 7, 10
MEDIAN_S = 900.0, 2700.0
MOST_ADAPTATIONS = 18  # theorem 3.2, seven robots and four tasks
SENT = {"changes_before_t4": 7 * (3 + 5), "changes_with_t4": 7 * (4 + 5), "frame_bytes": 22}
"""By column its limit; of changes r (n + 5), section IV-B."""


def cell_of(vector: Sequence[int], network: str = "") -> str:
    """What the cell of a puck vector in a kind of network is called."""
    return ", ".join(["-".join(map(str, vector)), *([network] if network else [])])


@dataclass(frozen=True, kw_only=True)
class CobosExperiment(ExcerptExperiment):
    """`networks`: the kinds of network that are compared; `vectors`: numbers of pucks at t1 to t4."""

    vectors: Sequence[Sequence[int]] = FEASIBLE
    networks: Sequence[str] = ("",)
    measured: Sequence[str] = measure.columns_with(*COLUMNS)
    claims_note: str = "A claim about shares, medians or means is one claim, not one for each run."
    over: str = field(default="", init=False)

    def measure(self, cell: str, seed: int) -> Trial:
        return Trial(self.scenarios[cell].mission)

    def excerpt(self, outcome: Outcome, measure: Trial) -> Excerpt:
        return measure.shown(outcome)

    def answer(self, results: Results) -> str:
        return f"{results.count_accomplished()} runs are staffed. {self.count_claims(results)}"

    def claims(self, results: Results) -> Iterator[Claim]:
        for network in self.networks:
            if SHOWN in self.vectors and network not in (CONNECTED, KNOWN):
                yield from self._published(results, cell_of(SHOWN, network))
            if len(self.vectors) == 1:
                continue
            cells = [cell_of(vector, network) for vector in self.vectors]
            found, (hits, of) = results.accomplished(*cells), LEAST_OF_ALL
            text = f"over all numbers of pucks at least {hits / of:.0%} of the runs are staffed"
            yield Claim.of_share(cells[0], text, found, LEAST_OF_ALL, format_share(found))
        for cell in self.scenarios:
            yield self._sent(results, cell)
        if CONNECTED in self.networks:
            yield from self._connected(results)
        if KNOWN in self.networks:
            yield from self._known(results)

    def _published(self, results: Results, cell: str) -> Iterator[Claim]:
        found, text = results.accomplished(cell), f"at least {LEAST[0]} of {LEAST[1]} runs are staffed"
        yield Claim.of_share(cell, text, found, LEAST, format_count(found), "one run")
        times = results.only_accomplished.values(cell, "duration_s")
        middle = statistics.median(times)
        text = f"the median time is between {MEDIAN_S[0]:g} and {MEDIAN_S[1]:g} s"
        holds = [MEDIAN_S[0] <= middle <= MEDIAN_S[1]] if times else []
        yield Claim(cell, text, holds, f"{middle:.0f} s" if times else "", "about 1800 s")

    def _connected(self, results: Results) -> Iterator[Claim]:
        for vector in self.vectors:
            cell, other = cell_of(vector, CONNECTED), cell_of(vector, ISLANDS)
            most = results.greatest(cell, "adaptations")
            yield results.claim(
                cell, f"numbers of robots are adapted at most {MOST_ADAPTATIONS} times",
                lambda row: "adaptations" in row and int(row["adaptations"]) <= MOST_ADAPTATIONS,
                f"at most {most:g}", "theorem 3.2",
            )  # fmt: skip
            yield from _fewer(results, cell, other, f"than with {ISLANDS}")

    def _known(self, results: Results) -> Iterator[Claim]:
        """Figure 7: one network, and numbers of robots that need not be found out."""
        for vector in self.vectors:
            cell, other = cell_of(vector, KNOWN), cell_of(vector, CONNECTED)
            yield results.claim(
                cell, "no number is adapted and no robot recruits",
                lambda row: row.get("adaptations") == 0 and row.get("recruiting_s") == 0.0, published="figure 7",
            )  # fmt: skip
            yield from _fewer(results, cell, other, "than with unknown numbers")

    def _sent(self, results: Results, cell: str) -> Claim:
        """How much the radio carries."""
        early, late, size = (f"{results.greatest(cell, name):g}" for name in SENT)
        before, after, most = SENT.values()
        return results.claim(
            cell,
            f"within a beat at most {before} facts change, {after} with t4, and a robot sends {most} B",
            lambda row: all(name in row and int(row[name]) <= limit for name, limit in SENT.items()),
            f"at most {early}, {late} and {size} B", "r (n + 5)",
        )  # fmt: skip

    def tables(self, results: Results) -> Sequence[Table]:
        cells = [cell.name for cell in self.cells()]
        return [self._staffed(results, cells), self._colours(results, cells), self._failed(results)]

    def _staffed(self, results: Results, cells: Sequence[str]) -> Table:
        rows = []
        for cell in cells:
            times = results.only_accomplished.values(cell, "duration_s")
            means = (statistics.words(results.mean(cell, name), 1) for name in MEANS)
            share = statistics.words(statistics.share(results.accomplished(cell)), 2)
            median = f"{statistics.median(times):.0f}" if times else ""
            completed_by = _tally(results, cell, "t4_by")
            rows.append([cell, results.count_accomplished(cell), share, median, *means, completed_by])
        columns = (
            "pucks at t1 to t4", "staffed", "share", "median time (s)", *MEANS.values(), "t4 is completed by",
        )  # fmt: skip
        note = "Times of staffed runs; shares with Wilson's interval; else means of all runs with Student's."
        return Table("Staffing", columns, rows, note)

    def _colours(self, results: Results, cells: Sequence[str]) -> Table:
        rows: list[list[Value]] = [
            [cell, *(f"{sum(results.values(cell, f'colours_{one}')):.0f}" for one in VERDICTS)] for cell in cells
        ]
        note = (
            "Robots by their suitabilities in the end: the colour with the lower one is what they cannot see "
            "(known), it is one that they see (wrong), or both are equal (open)."
        )
        return Table("Do suitabilities show what a robot cannot see?", ("pucks", *VERDICTS), rows, note)

    def _failed(self, results: Results) -> Table:
        rows = [
            [row["cell"], row["run"], row["seed"], row["held_up"], row["state"]]
            for row in results.rows if "held_up" in row
        ]  # fmt: skip
        columns = ("pucks", "run", "seed", "task", "what holds it up")
        return Table("Runs that were not staffed", columns, rows, "As it was at the end of the run.")

    def figures(self, results: Results) -> Sequence[Drawing]:
        drawings = draw_intervals(results, self.cells(), "duration_s", MEASURES["duration_s"])
        for network in self.networks:
            number = 7 if network == KNOWN else 5
            drawings += self.draw_excerpt(results, cell_of(SHOWN, network), {
                "map": (draw_map, "Places with their radio ranges, and the robots' ways (figure 4)"),
                "activity": (draw_activity, f"The task of each robot over time (figure {number})"),
                "allocation": (draw_allocation, "Robots on each task, and suitabilities (figure 6)"),
            })  # fmt: skip
        return drawings


MEANS = {
    "adaptations": "adaptations of numbers", "reallocations": "reallocations", "recruiting_s": "recruiting (s)",
    "t4_recruited_s": "recruiting for t4 (s)",
}  # fmt: skip


def _fewer(results: Results, cell: str, other: str, than: str) -> Iterator[Claim]:
    """That a cell is staffed sooner, and with fewer changes, than another one."""
    for column, text in (("duration_s", "it is staffed sooner"), ("reallocations", "it has fewer reallocations")):
        gap = results.difference((other, column), (cell, column))
        claimed = f"{text} {than}, in the mean of pairs of one seed"
        yield Claim.of_estimate(cell, claimed, gap, lambda found: found.value > 0.0, statistics.words(gap, 1))


def _tally(results: Results, cell: str, column: str) -> str:
    """The values of a column and how often each occurs, the most frequent first."""
    found = Counter(str(row[column]) for row in results.of(cell, column))
    return ", ".join(
        f"{value} ({count})" for value, count in sorted(found.items(), key=lambda one: (-one[1], one))
    )


def pucks_of(vector: Sequence[int]) -> dict[str, int]:
    """How many pucks t1 to t4 have, as changes of the mission."""
    return {f"world.clusters.t{k}.pucks": count for k, count in enumerate(vector, 1)}


def scenarios(
    networks: Mapping[str, Mapping[str, Any]], vectors: Sequence[Sequence[int]] = FEASIBLE
) -> dict[str, Scenario]:
    """The puck vectors in each kind of network."""
    made = {}
    for network, changes in networks.items():
        for vector in vectors:
            pucks: dict[str, Any] = pucks_of(vector)
            levels = {key: str(count) for key, count in pucks.items()}
            if network == KNOWN:
                pucks |= {f"tasks.t{k}.terms.cobos.required": count for k, count in enumerate(vector, 1)}
            made[cell_of(vector, network)] = Scenario(MISSION, {**pucks, **changes}, levels=levels)
    return made


def _baselines() -> dict[str, str]:
    """A connected cell is compared with its islands, one of known numbers with unknown ones."""
    pairs = ((CONNECTED, ISLANDS), (KNOWN, CONNECTED))
    return {cell_of(vector, one): cell_of(vector, other) for vector in FEASIBLE for one, other in pairs}


EXPERIMENT = CobosExperiment(
    name="cobos", runs=10, limit_s=3600.0, published_seed=1, scenarios=scenarios({"": {}}),
    title="Are all places staffed though no robot knows how many each needs, nor what it cannot see?",
)  # fmt: skip
PUBLISHED_EXPERIMENT = CobosExperiment(
    name="cobos-published", runs=30, limit_s=3600.0, published_seed=1, vectors=(SHOWN,),
    scenarios=scenarios({"": {}}, (SHOWN,)), title="Are the places of the published run staffed, and when?",
)  # fmt: skip
CONNECTED_EXPERIMENT = CobosExperiment(
    name="cobos-connected", runs=10, limit_s=3600.0, published_seed=1, networks=(ISLANDS, CONNECTED, KNOWN),
    scenarios=scenarios({
        ISLANDS: {"radio.range_m": 10.0}, CONNECTED: {"radio.range_m": ROOM_M},
        KNOWN: {"radio.range_m": ROOM_M, **FIGURE_7},
    }),
    baselines=_baselines(), title="What do islands of radio cost, and numbers of robots that are not known?",
)  # fmt: skip
