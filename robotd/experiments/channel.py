"""What a slow channel carries: teams of 2 to 30 robots, with and without a base station, under growing losses.

The radios are the real ones, on LoRa modules (RYLR998, SF7); there are no boards and no robot moves.
"""

import itertools
import math
from collections.abc import Sequence
from pathlib import Path

from robotd.experiments.base import Cell, Drawing, Experiment, Results, Table
from robotd.experiments.charts import Axis, Means, Panel, line_charts
from robotd.experiments.radio_bench import ChannelConditions, RadioResult, run_radios
from robotd.experiments.rows import RunRow, Value

ROBOTS = (2, 5, 10, 19, 30)  # 19: the most that send once in 3 s with slots, at this airtime
LOSSES = (0.0, 0.1, 0.3, 0.5)
SLOTS, FREE = "base station", "no base station"
EACH, BURSTS = "each by itself", "in bursts"  # how frames are lost
UNLIKE = "unlike modems"


def conditions() -> dict[str, ChannelConditions]:
    """By cell what holds there; bursts of no loss would be none."""
    found = [
        ChannelConditions(robots, base, loss, bursts)
        for base, robots in itertools.product((True, False), ROBOTS)
        for loss in LOSSES
        for bursts in ((False, True) if loss else (False,))
    ]
    found += [ChannelConditions(robots, base_station=True, alike=False) for robots in (10, 19)]
    return {name_of(own): own for own in found}


def name_of(own: ChannelConditions) -> str:
    """What a cell is called."""
    how = f" {BURSTS}" if own.bursts else ""
    unlike = "" if own.alike else f", {UNLIKE}"
    return f"{own.robots} robots, {SLOTS if own.base_station else FREE}, loss {own.loss:.0%}{how}{unlike}"


class ChannelExperiment(Experiment):
    """See the module. A run is accomplished if every new fact came to be known to all."""

    def cells(self) -> Sequence[Cell]:
        return [
            Cell(name, {"robots": own.robots, "base_station": own.base_station, "loss": own.loss,
                        "lost": BURSTS if own.bursts else EACH, "modems": "alike" if own.alike else UNLIKE})
            for name, own in conditions().items()
        ]  # fmt: skip

    def coordinator(self, cell: Cell) -> str:
        return ""

    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[RunRow]:
        own = conditions()[cell.name]
        return [_row(run_radios(seed, own)) for seed in seeds]

    def answer(self, results: Results) -> str:
        words = []
        for (base, where), loss in itertools.product(BASES, (LOSSES[0], LOSSES[-1])):
            cell = name_of(ChannelConditions(19, base, loss))
            if results.of(cell, "known_s"):
                share, known = 100.0 * results.mean(cell, "received").value, results.mean(cell, "known_s").value
                words.append(f"{where}, loss {loss:.0%}: {share:.0f} % received, {known:.0f} s until all know")
        return f"19 robots, {'; '.join(words)}." if words else super().answer(results)

    def tables(self, results: Results) -> Sequence[Table]:
        note = (
            "Means over the runs; the summary has their intervals. In brackets: runs in which some fact never did."
        )
        return [
            _table(results, "Statements received (%)", "received", 100.0),
            _table(results, "Frames lost to collisions (% of arrivals)", "collided", 100.0),
            _table(results, "Until all know a new fact, mean (s)", "known_s", 1.0, note),
            _table(results, "From frame to frame (s)", "period_s", 1.0),
        ]

    def figures(self, results: Results) -> Sequence[Drawing]:
        drawings: list[Drawing] = []
        for column, heading, label, scale in (
            ("received", "Statements received", "of all statements (%)", 100.0),
            ("known_s", "Until all know a new fact", "s", 1.0),
        ):
            for bursts, how, name in ((False, EACH, "each"), (True, BURSTS, "bursts")):
                panels = [Panel(label, _lines(results, column, base, bursts, scale), at) for base, at in BASES]
                axis = Axis.of_losses(LOSSES, "frames lost on each link")
                path = results.figure(f"{column}-{name}")
                drawings += line_charts(panels, axis, f"{heading}, frames lost {how}", path)
        return drawings


BASES = ((True, SLOTS), (False, FREE))


def _row(found: RadioResult) -> RunRow:
    known = [seconds for seconds in found.known_s if not math.isnan(seconds)]
    missing = len(found.known_s) - len(known)
    times = {"known_s": sum(known) / len(known), "known_worst_s": max(known)} if known else {}
    return {
        "accomplished": not missing,
        "reason": f"{missing} of {len(found.known_s)} facts were not known to all at the end" if missing else "",
        "period_s": found.period_s, "frames": found.frames, "received": found.received,
        "collided": found.collided, **times,
    }  # fmt: skip


def _lines(results: Results, column: str, base: bool, bursts: bool, scale: float) -> list[Means]:
    return [
        Means.of(results, f"{robots} robots",
                 [name_of(ChannelConditions(robots, base, loss, bursts and loss > 0.0)) for loss in LOSSES],
                 column, scale)
        for robots in ROBOTS
    ]  # fmt: skip


def _table(results: Results, title: str, column: str, scale: float, note: str = "") -> Table:
    losses = [(loss, bursts) for bursts in (False, True) for loss in LOSSES if loss or not bursts]
    heads = [f"{loss:.0%}{f' {BURSTS}' if bursts else ''}" for loss, bursts in losses]

    def fields(*own: ChannelConditions) -> list[str]:
        return [_format(results, name_of(one), column, scale) for one in own]

    lines: list[list[Value]] = [
        [robots, where, *fields(*(ChannelConditions(robots, base, *each) for each in losses))]
        for (base, where), robots in itertools.product(BASES, ROBOTS)
    ]
    unlike = [own for own in conditions().values() if not own.alike]
    empty = [""] * (len(losses) - 1)
    lines += [[own.robots, f"{SLOTS}, {UNLIKE}", *fields(own), *empty] for own in unlike]
    return Table(title, ("robots", "slots", *heads), lines, note)


def _format(results: Results, cell: str, column: str, scale: float) -> str:
    """A mean in words; of the time until all know, with the runs in which some fact did not come so far."""
    found = results.mean(cell, column)
    failed = sum(row["accomplished"] is False for row in results.of(cell))
    shown = "" if math.isnan(found.value) else f"{scale * found.value:.3g}"
    return f"{shown} ({failed})" if failed and column == "known_s" else shown


EXPERIMENT = ChannelExperiment(
    name="channel", runs=5, published_seed=1,
    title="What does the channel carry, and how soon do all know a new fact, as teams and losses grow?",
    measured=(
        "accomplished", "reason", "period_s", "frames", "received", "collided", "known_s", "known_worst_s",
    ),
)  # fmt: skip
