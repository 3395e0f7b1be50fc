"""Cleanup written as a plan over ALLIANCE beside the plain mission: what the structure costs (docs/bite.md)."""

from collections.abc import Iterator
from dataclasses import dataclass

from robotd.experiments import statistics
from robotd.experiments.base import Claim, Results
from robotd.experiments.measure import Measure
from robotd.experiments.missions import MissionExperiment
from robotd.experiments.rows import RunRow
from robotd.experiments.scenario import Scenario
from robotd.sim.activity_trace import Outcome

PLAIN, PLAN = "cleanup", "cleanup-plan"
ONCE = ("find-locations", "move-spill-left", "move-spill-right")
WITHIN = 0.1  # of the plain mission's time


class Done(Measure):
    """Which of the tasks that are done once are."""

    def columns(self, outcome: Outcome) -> RunRow:
        return {f"done_{task}": len(outcome.story.done.get(task, ())) for task in ONCE}


@dataclass(frozen=True, kw_only=True)
class CleanupPlan(MissionExperiment):
    """Both in pairs of one seed."""

    def measure(self, cell: str, seed: int) -> Measure:
        return Done()

    def claims(self, results: Results) -> Iterator[Claim]:
        pairs = [results.pairs((PLAN, f"done_{task}"), (PLAIN, f"done_{task}")) for task in ONCE]
        same = [all(own == other for own, other in run) for run in zip(*pairs, strict=True)]
        yield Claim(PLAN, "the same tasks are done as in the plain mission", same)
        ratio = results.ratio(PLAN, PLAIN, "duration_s")
        text = f"mission time within {WITHIN:.0%} of that of the plain mission, in the mean of the pairs"
        words = statistics.words(ratio, 3)
        yield Claim.of_estimate(PLAN, text, ratio, lambda found: abs(found.value - 1.0) <= WITHIN, words)


EXPERIMENT = CleanupPlan(
    name="cleanup-plan", runs=20, published_seed=1,
    title="Does cleanup written as a plan over ALLIANCE take as long as cleanup, with the same tasks done?",
    scenarios={PLAIN: Scenario(PLAIN), PLAN: Scenario(PLAN)},
)  # fmt: skip
