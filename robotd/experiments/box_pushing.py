"""Box pushing of Parker 1999, section 3: two healthy R-2s, and both experiments that it reports."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from robotd.experiments import measure, push_metrics, statistics
from robotd.experiments.base import Claim, Experiment, Results, accomplished
from robotd.experiments.measure import Measure
from robotd.experiments.missions import MissionExperiment
from robotd.experiments.push_metrics import LEAVES, STANDS_IN, STAYS, PushMetrics, PushTimes
from robotd.experiments.scenario import Scenario
from robotd.model.streams import draw

HEALTHY, SEIZED, GENGHIS = "healthy", "R-2 seized", "Genghis in its place"
TAKEN_S, BACK_S, ALONE_S = 60.0, 160.0, 180.0
SPREAD_S = 9.0  # so much later at most, by the seed: in three beats every phase of a push comes
VARIANTS = (HEALTHY, SEIZED, GENGHIS)
LIMIT_S = 270.0  # with nobody left to push: Genghis has gone home long before


def times_of(cell: str, seed: int | None = None) -> PushTimes:
    """When things happen in a variant's run with this seed; None: at the earliest."""
    taken = round(TAKEN_S + (SPREAD_S * draw(seed, "box-pushing", "taken", 0) if seed is not None else 0.0), 1)
    if cell == SEIZED:
        return PushTimes(taken=taken, back=BACK_S)
    return PushTimes(taken=taken, left_alone=ALONE_S, swapped=True) if cell == GENGHIS else PushTimes()


def factors_of(times: PushTimes) -> dict[str, Any]:
    """The events of a run."""
    who = STANDS_IN if times.swapped else LEAVES
    instants = ((times.taken, "remove", LEAVES), (times.comes, "return", who), (times.left_alone, "remove", STAYS))
    events = [f"{at:g} {verb} {robot}" for at, verb, robot in instants if at < math.inf]
    return {"events": events, **({"time_limit_s": LIMIT_S} if times.swapped else {})}


PAUSE_S, LONGEST_S = (5.0, 8.0), 12.0  # of the median, as published; of each
SQUARE_DEG = 15.0


@dataclass(frozen=True, kw_only=True)
class BoxPushing(MissionExperiment):
    """With what the paper concludes, counted run by run."""

    measured: Sequence[str] = (*measure.COLUMNS, *push_metrics.COLUMNS)
    claims_note: str = (
        "Times count from the end of the last push at the own end until the way to the other end begins. In the "
        "last variant the box stays where it is when nobody is left to push it: no run of it is accomplished."
    )

    def measure(self, cell: str, seed: int) -> Measure:
        return PushMetrics(times_of(cell, seed))

    def scenario(self, cell: str, seed: int) -> Scenario:
        """See `MissionExperiment.scenario`: the instants are of the seed."""
        return replace(self.scenarios[cell], factors=factors_of(times_of(cell, seed)))

    def answer(self, results: Results) -> str:
        return Experiment.answer(self, results)

    def claims(self, results: Results) -> Iterator[Claim]:
        claim = results.claim
        yield claim(HEALTHY, "the box gets across", accomplished)
        yield claim(HEALTHY, "nobody changes ends", lambda row: row.get("needless_changes") == 0)
        pauses = results.values(SEIZED, "pause_s")
        middle, (low, high) = statistics.median(pauses), PAUSE_S
        words = f"median {middle:.1f} s ({min(pauses):.1f} to {max(pauses):.1f})" if pauses else ""
        text = f"the other R-2 pauses {low:g} to {high:g} s in the median"
        yield Claim(SEIZED, text, [low <= middle <= high] if results.of(SEIZED) else [], words)
        text = f"and never longer than {LONGEST_S:g} s"
        yield claim(SEIZED, text, lambda row: float(row.get("pause_s", math.inf)) <= LONGEST_S)
        text = "once it receives its teammate's return it pushes no more at that end"
        yield claim(SEIZED, text, lambda row: row.get("pushes_after_return") == 0)
        yield claim(SEIZED, "the box gets across", accomplished)
        rates = results.pairs((GENGHIS, "pushes_per_min_after"), (GENGHIS, "pushes_per_min_before"))
        fewer = statistics.words(statistics.mean([after - before for after, before in rates]), 1, " a minute")
        less = [after < before for after, before in rates]
        yield Claim(GENGHIS, "the R-2 pushes less often than with an R-2", less, fewer)
        yield claim(GENGHIS, "and does not change ends", lambda row: row.get("needless_changes") == 0)
        skews = results.values(GENGHIS, "skew_deg")
        text = f"the box stays within {SQUARE_DEG:g} degrees of square"
        square, most = [skew < SQUARE_DEG for skew in skews], max(skews, default=0.0)
        yield Claim(GENGHIS, text, square, f"at most {most:.1f} degrees")
        yield claim(GENGHIS, "left alone, Genghis goes home", lambda row: row.get("went_home") is True)


EXPERIMENT = BoxPushing(
    name="box-pushing", runs=30, published_seed=1,
    title="Does a team that pushes a box adapt when a robot is removed, returns, or is replaced by a weaker one?",
    scenarios={cell: Scenario("box-pushing", factors_of(times_of(cell))) for cell in VARIANTS},
)  # fmt: skip
