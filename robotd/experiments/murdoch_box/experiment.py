"""Experiments `murdoch-box` and `murdoch-box-speeds`: the five sets of trials beside the published ones."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import product
from typing import Any

from behaviors.box_moving.watch_box import WatchBox
from robotd.config.mission import MissionFile
from robotd.experiments import measure, statistics
from robotd.experiments.base import Claim, Drawing, Results, Table, format_share
from robotd.experiments.measure import Measure
from robotd.experiments.missions import NORMAL, SPEEDS, MissionExperiment, cell_at
from robotd.experiments.murdoch_box.paths import draw_curves, draw_path
from robotd.experiments.murdoch_box.trial import (
    COLUMNS,
    CURVE,
    OFF,
    RETURNS,
    SETS,
    STRAIGHT,
    STUCK,
    WHAT,
    Trial,
    events_of,
    goal_of,
)  # fmt: skip
from robotd.experiments.scenario import Scenario
from robotd.experiments.statistics import Estimate

MISSION = "murdoch-box"
FAILURES = (OFF, STUCK, RETURNS)
TIMED = (STRAIGHT, *FAILURES)
TABLE_I = {STRAIGHT: (31.22, 0.44), OFF: (132.75, 26.94), STUCK: (260.89, 37.79), RETURNS: (116.44, 37.72)}
"""Paper 002, table I: mean and standard deviation of the successful trials, s."""
RATIOS = {OFF: Estimate(4.25, 3.59, 4.92), STUCK: Estimate(8.36, 7.42, 9.29), RETURNS: Estimate(3.73, 2.80, 4.66)}
"""The means by that of set 1, with their 95 % intervals."""
LEAST = (22, 30)  # of a set; of four sets 102 of 120
LEAST_OF_ALL = (102, 120)
STEADY = 0.05  # greatest coefficient of variation of set 1
TWOFOLD = 2.0
BESIDE = {
    "change_s": "seconds for a change of ends", "push_deg": "degrees that a push turns", "left_m": "metres left",
}  # fmt: skip


def variation(samples: Sequence[float]) -> float:
    """The coefficient of variation; NaN of fewer than two samples."""
    if len(samples) < 2:
        return math.nan
    middle = statistics.mean(samples).value
    return math.sqrt(math.fsum((one - middle) ** 2 for one in samples) / (len(samples) - 1)) / middle


@dataclass(frozen=True, kw_only=True)
class MurdochBox(MissionExperiment):
    """All sets at each of `speeds`, with the published results beside."""

    speeds: Mapping[str, float]
    measured: Sequence[str] = (*measure.COLUMNS, *COLUMNS)
    claims_note: str = (
        "A claim about means or shares of a cell is one claim, not one for each run. A ratio outside a factor of "
        "two comes of the seconds for a change of ends and of the degrees that a push turns the box."
    )

    def scenario(self, cell: str, seed: int) -> Scenario:
        return self.scenarios[cell].changed(changes(cell.partition(",")[0], seed))

    def measure(self, cell: str, seed: int) -> Measure:
        return Trial(cell.partition(",")[0], seed)

    def answer(self, results: Results) -> str:
        return self.count_claims(results)

    def claims(self, results: Results) -> Iterator[Claim]:
        for speed in self.speeds:
            yield from self._successes(results, speed)
            yield from self._times(results, speed)
            yield from self._events(results, speed)

    def _successes(self, results: Results, speed: str) -> Iterator[Claim]:
        for which in SETS:
            cell, text = cell_at(which, speed), f"at least {LEAST[0]} of {LEAST[1]} trials succeed"
            found, published = results.accomplished(cell), "9 of 10" if which in TABLE_I else ""
            yield Claim.of_share(cell, text, found, LEAST, format_share(found), published)
        found = results.accomplished(*(cell_at(which, speed) for which in TIMED))
        text = f"over sets 1 to 4 at least {LEAST_OF_ALL[0]} of {LEAST_OF_ALL[1]} trials succeed"
        words, cell = format_share(found), cell_at(STRAIGHT, speed)
        yield Claim.of_share(cell, text, found, LEAST_OF_ALL, words, "36 of 40 (0.76 to 0.97)")

    def _times(self, results: Results, speed: str) -> Iterator[Claim]:
        first, last = cell_at(STRAIGHT, speed), cell_at(STUCK, speed)
        for which, published in RATIOS.items():
            cell = cell_at(which, speed)
            ratio, printed = results.ratio(cell, first, "time_s"), published.value
            text = "its mean time by that of set 1 is within a factor of two of the published ratio"
            near = 1.0 / TWOFOLD <= ratio.value / printed <= TWOFOLD
            holds = [] if math.isnan(ratio.value) else [near]
            yield Claim(cell, text, holds, statistics.words(ratio, 2), statistics.words(published, 2))
            yield _longer(results, cell, first)
        for which in (OFF, RETURNS):
            yield _longer(results, last, cell_at(which, speed))
        own = variation(results.values(first, "time_s"))
        known = not math.isnan(own)
        text = f"the coefficient of variation of its time is below {STEADY:g}"
        yield Claim(first, text, [own < STEADY] if known else [], f"{own:.3f}" if known else "", "0.014")
        others = [variation(results.values(cell_at(which, speed), "time_s")) for which in FAILURES]
        text = "and below a third of that of each of sets 2 to 4"
        counted = ", ".join(f"{one:.3f}" for one in others)
        holds = [3 * own < min(others)] if known and not any(map(math.isnan, others)) else []
        yield Claim(first, text, holds, counted, "0.203, 0.145, 0.324")

    def _events(self, results: Results, speed: str) -> Iterator[Claim]:
        claim, stuck = results.claim, cell_at(STUCK, speed)
        took = results.values(stuck, "exclusion_s")
        words = f"after {min(took):.0f} to {max(took):.0f} s" if took else ""
        text = "the stuck pusher is excluded for want of progress"
        yield claim(stuck, text, lambda row: "exclusion_s" in row, words, "after 60 to 128 s")
        for which in SETS:
            text = "no pusher that works is excluded"
            yield claim(cell_at(which, speed), text, lambda row: row.get("healthy_excluded") == 0)
        back = [row["switched"] for row in results.of(cell_at(RETURNS, speed), "switched")]
        text = "the pushers end at other ends than before the failure in some trials, and in some not"
        counted = f"at other ends in {sum(map(bool, back))} of {len(back)}"
        holds = [0 < sum(map(bool, back)) < len(back)] if back else []
        yield Claim(cell_at(RETURNS, speed), text, holds, counted, "in half")

    def tables(self, results: Results) -> Sequence[Table]:
        rows = [
            [cell, WHAT[which], results.count_accomplished(cell), *_mean_and_deviation(results, cell),
             *TABLE_I.get(which, ("", "")), *(_mean(results, cell, name) for name in BESIDE)]
            for speed, which in product(self.speeds, SETS)
            for cell in [cell_at(which, speed)]
        ]  # fmt: skip
        columns = (
            "cell", "what happens", "successes", "mean (s)", "deviation (s)", "published mean (s)",
            "published deviation (s)", *BESIDE.values(),
        )  # fmt: skip
        return [
            Table("Times of the successful trials, beside table I of the paper", columns, rows),
            *self._parameters(),
        ]

    def _parameters(self) -> list[Table]:
        """The one parameter set of all trials."""
        content = self.scenarios[cell_at(STRAIGHT, next(iter(self.speeds)))].mission.as_data()
        tables = {"coordinator": content["coordinator"]}
        tables |= {f"sets.{name}": own for name, own in content["sets"].items()}
        rows = [[f"{where}.parameters.{key}", str(value)] for where, table in tables.items()
                for key, value in table.get("parameters", {}).items()]  # fmt: skip
        return [Table("Parameters of all trials", ("key", "value"), rows, "All others have their defaults.")]

    def figures(self, results: Results) -> Sequence[Drawing]:
        speed = next(iter(self.speeds))
        return [
            *draw_path(results, cell_at(STUCK, speed)), *draw_curves(results, cell_at(CURVE, speed)),
            *super().figures(results),
        ]  # fmt: skip


def _longer(results: Results, cell: str, other: str) -> Claim:
    gap = results.difference((cell, "time_s"), (other, "time_s"))
    holds = [gap.low > 0.0] if not math.isnan(gap.low) else []
    text = f"it takes longer than {other}, in pairs of one seed"
    return Claim(cell, text, holds, statistics.words(gap, 1, " s"))


def _mean(results: Results, cell: str, column: str) -> str:
    return statistics.words(results.mean(cell, column), 2)


def _mean_and_deviation(results: Results, cell: str) -> tuple[str, str]:
    times, found = results.values(cell, "time_s"), results.mean(cell, "time_s")
    return statistics.words(found, 2), f"{variation(times) * found.value:.2f}" if len(times) > 1 else ""


def changes(which: str, seed: int) -> dict[str, Any]:
    """What a trial changes in the mission: its events, and where the goal is."""
    made: dict[str, Any] = {"events": events_of(which, seed)}
    if which == CURVE:
        box = _mission().world["box"]
        x, y = goal_of(which, seed, (box["x_m"], box["y_m"]))
        mark = {"name": "goal", "x_m": x, "y_m": y}
        made |= {"world.box.goal_x_m": x, "world.box.goal_y_m": y, "world.marks": [mark]}
    return made


@cache
def _mission() -> MissionFile:
    return Scenario(MISSION).mission.content


def watcher_of(mission: MissionFile) -> WatchBox.Settings:
    """What the watcher of a mission is set to."""
    return WatchBox.Settings(**mission.sets["watch-box"].parameters)


def at_speed(factor: float) -> dict[str, float]:
    """A slower robot drives and pushes slower, and turns the box as far."""
    mission = _mission()
    watcher = watcher_of(mission)
    scaled = {
        "world.max_speed_m_s": mission.world["max_speed_m_s"],
        "sets.watch-box.parameters.speed_m_s": watcher.speed_m_s, "sets.watch-box.parameters.gain": watcher.gain,
    }  # fmt: skip
    return {key: value * factor for key, value in scaled.items()}


@dataclass(frozen=True, eq=False)  # equal as any mapping is
class Lazily(Mapping[str, Scenario]):
    """Scenarios by cell that are made, and the mission read, when one is asked for."""

    make: Callable[[], dict[str, Scenario]]

    @cached_property
    def _made(self) -> dict[str, Scenario]:
        return self.make()

    def __getitem__(self, cell: str) -> Scenario:
        return self._made[cell]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


def scenarios(speeds: Mapping[str, float]) -> dict[str, Scenario]:
    """All sets at each speed by cell."""
    return {
        cell_at(which, speed): Scenario(
            MISSION, {**changes(which, 1), **(at_speed(factor) if factor != 1.0 else {})}, levels={"events": which}
        )
        for (speed, factor), which in product(speeds.items(), SETS)
    }


EXPERIMENT = MurdochBox(
    name="murdoch-box", runs=30, published_seed=1, speeds={NORMAL: 1.0},
    scenarios=Lazily(partial(scenarios, {NORMAL: 1.0})),
    title="Does a team that allocates by auctions push a box to its goal when a pusher fails, sticks, or returns?",
)  # fmt: skip
SPEEDS_EXPERIMENT = MurdochBox(
    name="murdoch-box-speeds", runs=30, published_seed=1, speeds=SPEEDS,
    scenarios=Lazily(partial(scenarios, SPEEDS)),
    title="Do the conclusions of murdoch-box hold for robots that are 20 % slower or faster?",
)  # fmt: skip
