"""Are all places staffed, though no robot knows how many each needs? With islands of radio, and in one network."""

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from robotd.experiments import measure, statistics
from robotd.experiments.base import Cell, Claim, Drawing, Experiment, Results, Table, accomplished, log_path
from robotd.experiments.charts import draw_intervals
from robotd.experiments.cobos.charts import draw_activity, draw_allocation, draw_map
from robotd.experiments.cobos.trial import COLUMNS, VERDICTS, Trial
from robotd.experiments.missions import MEASURES, MissionExperiment
from robotd.experiments.scenario import Scenario
from robotd.experiments.statistics import RunRow, Value
from robotd.figures.style import save

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
LEAST_OF_ALL = 0.7
MEDIAN_S = 900.0, 2700.0
MOST_ADAPTATIONS = 18  # theorem 3.2, seven robots and four tasks
SENT = {"changes_before_t4": 7 * (3 + 5), "changes_with_t4": 7 * (4 + 5), "frame_bytes": 22}
"""By column its limit; of changes r (n + 5), section IV-B."""


def cell_of(vector: Sequence[int], network: str = "") -> str:
    """What the cell of a puck vector in a kind of network is called."""
    return ", ".join(["-".join(map(str, vector)), *([network] if network else [])])


@dataclass(frozen=True, kw_only=True)
class CobosExperiment(MissionExperiment):
    """`networks`: the kinds of network that are compared; `vectors`: numbers of pucks at t1 to t4."""

    vectors: Sequence[Sequence[int]] = FEASIBLE
    networks: Sequence[str] = ("",)
    measured: Sequence[str] = (*measure.COLUMNS[:3], *COLUMNS, *measure.COLUMNS[3:])
    claims_note: str = "A claim about shares, medians or means is one claim, not one for each run."
    over: str = field(default="", init=False)

    def measure(self, cell: str, seed: int) -> Trial:
        return Trial(self.scenarios[cell].mission)

    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[RunRow]:
        """Instead of a run log it keeps what its figures show."""
        rows = []
        for seed in seeds:
            scenario, trial = self.scenario(cell.name, seed), self.measure(cell.name, seed)
            row, outcome = scenario.run(seed, None, trial)
            if log is not None:
                shown = trial.shown(outcome, scenario.mission.as_data())
                log.write_text(json.dumps(shown) + "\n", encoding="utf-8")
            rows.append(row)
        return rows

    def answer(self, results: Results) -> str:
        return f"{results.accomplished()} runs are staffed. {Experiment.answer(self, results)}"

    def claims(self, results: Results) -> Iterator[Claim]:
        for network in self.networks:
            if SHOWN in self.vectors and network not in (CONNECTED, KNOWN):
                yield from self._published(results, cell_of(SHOWN, network))
            if len(self.vectors) == 1:
                continue
            found = [accomplished(row) for vector in self.vectors for row in results.of(cell_of(vector, network))]
            words = (
                f"{sum(found)} of {len(found)}: {statistics.words(statistics.share(sum(found), len(found)), 2)}"
            )
            holds = [sum(found) >= LEAST_OF_ALL * len(found)] if found else []
            text = f"over all numbers of pucks at least {LEAST_OF_ALL:.0%} of the runs are staffed"
            yield Claim(cell_of(self.vectors[0], network), text, holds, words if found else "")
        for cell in map(str, self.scenarios):
            yield self._sent(results, cell)
        if CONNECTED in self.networks:
            yield from self._connected(results)
        if KNOWN in self.networks:
            yield from self._known(results)

    def _published(self, results: Results, cell: str) -> Iterator[Claim]:
        found = [accomplished(row) for row in results.of(cell)]
        text = f"at least {LEAST[0]} of {LEAST[1]} runs are staffed"
        holds = [sum(found) * LEAST[1] >= LEAST[0] * len(found)] if found else []
        yield Claim(cell, text, holds, f"{sum(found)} of {len(found)}", "one run")
        times = [float(row["duration_s"]) for row in results.of(cell) if accomplished(row)]
        middle = statistics.median(times) if times else math.nan
        text = f"the median time is between {MEDIAN_S[0]:g} and {MEDIAN_S[1]:g} s"
        holds = [MEDIAN_S[0] <= middle <= MEDIAN_S[1]] if times else []
        yield Claim(cell, text, holds, f"{middle:.0f} s" if times else "", "about 1800 s")

    def _connected(self, results: Results) -> Iterator[Claim]:
        for vector in self.vectors:
            cell, other = cell_of(vector, CONNECTED), cell_of(vector, ISLANDS)
            most = max(results.values(cell, "adaptations"), default=0.0)
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
        early, late, size = (f"{max(results.values(cell, name), default=0.0):g}" for name in SENT)
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
            times = [float(row["duration_s"]) for row in results.of(cell) if accomplished(row)]
            means = (statistics.words(results.mean(cell, name), 1) for name in MEANS)
            share = statistics.words(statistics.share(len(times), len(results.of(cell))), 2)
            rows.append([
                cell, results.accomplished(cell), share,
                f"{statistics.median(times):.0f}" if times else "", *means, _tally(results, cell, "t4_by"),
            ])  # fmt: skip
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
            cell = cell_of(SHOWN, network)
            file = log_path(results.folder, cell, 1)
            if not file.is_file():
                continue
            kept = json.loads(file.read_text(encoding="utf-8"))
            for name, draw, caption in (
                ("map", draw_map, "Places with their radio ranges, and the robots' ways (figure 4)"),
                (
                    "activity",
                    draw_activity,
                    f"The task of each robot over time (figure {7 if network == KNOWN else 5})",
                ),
                ("allocation", draw_allocation, "Robots on each task, and suitabilities (figure 6)"),
            ):
                path = results.figure(f"{file.stem}-{name}")
                save(draw(kept), path)
                drawings.append(Drawing(path, f"{caption}: {cell}, run 1"))
        return drawings


MEANS = {
    "adaptations": "adaptations of numbers", "reallocations": "reallocations", "recruiting_s": "recruiting (s)",
    "t4_recruited_s": "recruiting for t4 (s)",
}  # fmt: skip


def _fewer(results: Results, cell: str, other: str, than: str) -> Iterator[Claim]:
    """That a cell is staffed sooner, and with fewer changes, than another one."""
    for column, text in (("duration_s", "it is staffed sooner"), ("reallocations", "it has fewer reallocations")):
        pairs = results.pairs((cell, column), (other, column))
        gap = statistics.mean([two - one for one, two in pairs])
        holds = [gap.value > 0.0] if pairs else []
        words = statistics.words(gap, 1)
        yield Claim(cell, f"{text} {than}, in the mean of pairs of one seed", holds, words)


def _tally(results: Results, cell: str, column: str) -> str:
    """The values of a column and how often each occurs, the most frequent first."""
    found = Counter(str(row[column]) for row in results.of(cell, column))
    return ", ".join(
        f"{value} ({count})" for value, count in sorted(found.items(), key=lambda one: (-one[1], one))
    )


def scenarios(
    networks: Mapping[str, Mapping[str, Any]], vectors: Sequence[Sequence[int]] = FEASIBLE
) -> dict[str, Scenario]:
    """The puck vectors in each kind of network."""
    made = {}
    for network, changes in networks.items():
        for vector in vectors:
            pucks: dict[str, Any] = {f"world.clusters.t{k}.pucks": count for k, count in enumerate(vector, 1)}
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
