"""Three hours of tasks for single robots, auctioned (Gerkey and Mataric 2002, sections VI-B.1 and VII-A)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from robotd.experiments import auctions, statistics
from robotd.experiments.auctions import Auctions
from robotd.experiments.base import Claim, Drawing, Results, Table, accomplished
from robotd.experiments.measure import COLUMNS
from robotd.experiments.missions import Excerpt, ExcerptExperiment
from robotd.experiments.scenario import Scenario
from robotd.figures import series
from robotd.figures.style import PALETTE, Entry, Page, time_axis
from robotd.figures.trace import trace
from robotd.model.streams import draw
from robotd.sim.activity_trace import Outcome

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MISSION, TASKER = "murdoch-long", "tasker"
SHOWN = "gus"  # the robot of figure 7
KINDS = (("track-red", "track-blue"), ("sentry-door", "sentry-window"), ("cleanup-green",), ("monitor",))
LOSSES = (0.0, 0.1, 0.3)
HOURS = 3.0
PER_HOUR = 58.0 / HOURS  # tasks: the paper does not print how many it introduced to have 49 done
LENGTHS_S = (60.0, 300.0)
INCIDENT_EVERY = 5  # tasks, where frames are lost: by turns the winner's radio is off, or its computer reboots
INCIDENT_S, REPAIR_S = 20.0, 60.0  # after the task came in; until the radio is on, or a person permits it to move
FIRST_S, MARGIN_S = 5.0, 30.0  # before the first task; after the longest that comes last, so that it can end
CONTRACT_S, DECISION_S, AIR_S = 24.0, 0.5, 0.2  # airtime, with the beat that a frame waits for
TRAFFIC_S, BIN_S = 900.0, 5.0  # figure 8 shows the first 15 minutes
PUBLISHED = {
    "done": "49", "refused": "some", "charges": "12", "records": "3791", "bytes_per_record": "36.06",
    "record_bytes_per_s": "12.7 (printed: 0.66 kb/s)", "record_bytes_peak": "(printed: 4.74 kb/s)",
}  # fmt: skip


def cell_of(loss: float) -> str:
    """What the cell of a loss is called."""
    return f"loss {loss:.0%}"


@dataclass(frozen=True, kw_only=True)
class MurdochLong(ExcerptExperiment):
    """`hours`: how long a run lasts, simulated; `per_hour`: tasks; `lengths_s`: the least and the greatest length.

    A copy with other values is a short version.
    """

    hours: float = HOURS
    per_hour: float = PER_HOUR
    lengths_s: tuple[float, float] = LENGTHS_S
    measured: Sequence[str] = (*COLUMNS[:2], *auctions.COLUMNS, *COLUMNS[2:])

    @property
    def digest(self) -> str:
        return f"{super().digest} {self.hours:g} {self.per_hour:g} {self.lengths_s}"

    def draw_tasks(self, seed: int) -> list[str]:
        """The tasks of a run as events of a simulation; time, kind (all equally often) and length by chance."""

        def chance(what: str, k: int) -> float:
            return draw(seed, TASKER, f"murdoch-long {what}", k)

        count, (shortest_s, longest_s) = max(1, round(self.per_hour * self.hours)), self.lengths_s
        span_s = max(3600.0 * self.hours - FIRST_S - longest_s - MARGIN_S, 0.0)
        events = []
        for k, at in enumerate(sorted(FIRST_S + span_s * chance("time", k) for k in range(count))):
            names = KINDS[int(len(KINDS) * chance("kind", k))]
            name = names[int(len(names) * chance("task", k))]
            length_s = shortest_s + (longest_s - shortest_s) * chance("length", k)
            events.append(f"{at:.1f} add-task {TASKER} {name}:length_s={length_s:.0f}")
        return events

    def draw_incidents(self, seed: int) -> list[str]:
        """What befalls winners: each event waits for the robot that has the task; none where it was refused."""
        events = []
        for k, task in enumerate(self.draw_tasks(seed)):
            if k % INCIDENT_EVERY == 0:
                at, winner = float(task.split()[0]) + INCIDENT_S, f"holder:{TASKER}.{k}"
                fault, mend = (
                    (f"radio {winner} off", "radio all on") if k % 2 else (f"reboot {winner}", "start all")
                )
                events += [f"{at:.1f} {fault}", f"{at + REPAIR_S:.1f} {mend}"]
        return events

    def measure(self, cell: str, seed: int) -> Auctions:
        return Auctions(self.scenarios[cell].mission.table, TASKER)

    def scenario(self, cell: str, seed: int) -> Scenario:
        own, events = self.scenarios[cell], self.draw_tasks(seed)
        if own.factors["radio.loss"]:
            events += self.draw_incidents(seed)
        return own.changed({"time_limit_s": 3600.0 * self.hours, "events": events})

    def excerpt(self, outcome: Outcome, measure: Auctions) -> Excerpt:
        done = {(task, by) for task, ends in outcome.story.done.items() for _, by in ends}
        spells = [
            [one.set, one.task, one.start, one.end, "done" if (one.task, SHOWN) in done else "ended"]
            for one in outcome.story.spells.get(SHOWN, ())
        ]
        return {
            "seed": outcome.seed, "duration_s": outcome.duration_s, "spells": spells,
            "records": [[round(at, 2), size] for at, size in measure.records if at < TRAFFIC_S],
        }  # fmt: skip

    def claims(self, results: Results) -> Iterator[Claim]:
        longest_s = CONTRACT_S + DECISION_S + AIR_S
        for loss in LOSSES:
            cell = cell_of(loss)
            yield results.claim(cell, "every task ends done, or refused with a reason", accomplished)
            if loss:
                yield results.claim(
                    cell, "two robots are on one task for a contract, a decision and a beat at most",
                    lambda row: float(row.get("overlap_worst_s", math.inf)) <= longest_s,
                    _worst(results, cell, "overlap_worst_s", " s"),
                )  # fmt: skip
                continue
            yield results.claim(
                cell, "no two robots are ever on one task", lambda row: row.get("overlap_s") == 0.0,
                _worst(results, cell, "overlap_s", " s"),
            )  # fmt: skip
            yield results.claim(
                cell, "no task is refused while a capable robot is idle",
                lambda row: row.get("refused_wrongly") == 0,
                _worst(results, cell, "refused_wrongly"), "allocated whenever resources sufficed",
            )  # fmt: skip
            yield results.claim(
                cell, "every auction is won by the best bid", lambda row: row.get("not_best") == 0,
                _worst(results, cell, "not_best"), "the best available robot",
            )  # fmt: skip

    def tables(self, results: Results) -> Sequence[Table]:
        cells = [cell.name for cell in self.cells()]
        columns = [name for name in auctions.COLUMNS if name in PUBLISHED or results.of(cells[0], name)]
        lines = [
            [name, *(statistics.words(results.mean(cell, name), 2) for cell in cells), PUBLISHED.get(name, "")]
            for name in columns
        ]
        note = "Means with their intervals. Records are statements on the air without their repetitions."
        return [Table("Beside the paper", ("column", *cells, "published"), lines, note)]

    def figures(self, results: Results) -> Sequence[Drawing]:
        figures = {
            "activity": (draw_activity, f"What {SHOWN} did in the first half (figure 7)"),
            "traffic": (draw_traffic, "Auction records in the first 15 minutes (figure 8)"),
        }
        return [one for cell in self.cells() for one in self.draw_excerpt(results, cell.name, figures)]


def _worst(results: Results, cell: str, column: str, unit: str = "") -> str:
    values = results.values(cell, column)
    return f"at most {max(values):g}{unit}" if values else ""


def draw_activity(kept: Excerpt) -> Figure:
    """One robot over the first half of a run, as the paper's figure 7."""
    half = kept["duration_s"] / 2.0
    spells = [
        series.Interval(name, task, start, min(end, half), how if end <= half else "")
        for name, task, start, end, how in kept["spells"] if start < half
    ]  # fmt: skip
    robot = series.RobotSeries(SHOWN, spells, last=half)
    run = series.RunSeries(MISSION, kept["seed"], {}, DECISION_S, (SHOWN,), {SHOWN: robot}, duration=half)
    return trace(run, SHOWN)


def draw_traffic(kept: Excerpt) -> Figure:
    """Bytes of auction records over time, as the paper's figure 8."""
    span = min(kept["duration_s"], TRAFFIC_S)
    sums = [0.0] * (int(span / BIN_S) + 1)
    for at, size in kept["records"]:
        sums[int(at / BIN_S)] += 8.0 * size / BIN_S

    def plot(figure: Figure) -> None:
        axes = figure.add_subplot()
        time_axis(axes, span)
        axes.bar([BIN_S * k for k in range(len(sums))], sums, BIN_S, align="edge", color=PALETTE[0])
        axes.set_xlabel("time (s)")
        axes.set_ylabel("bit/s")

    entries = [Entry(f"auction records, mean of {BIN_S:g} s", "patch", {"color": PALETTE[0]})]
    return Page(f"{MISSION}, seed {kept['seed']}: messages", 2.4, 0.6, 0.4, entries).draw(plot)


EXPERIMENT = MurdochLong(
    name="murdoch-long", runs=5, limit_s=14_400.0,
    title="Are random tasks allocated for three hours whenever some able robot is free?",
    scenarios={cell_of(loss): Scenario(MISSION, {"radio.loss": loss}) for loss in LOSSES},
)  # fmt: skip
