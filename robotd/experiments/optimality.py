"""How much longer than the best possible ALLIANCE takes, and whether what L-ALLIANCE learns helps.

Independent tasks, each done once by one robot (no robot continues the work of another), so that the optimum by
exhaustive search is a true bound. Each mission is done `TRAINING` times in active learning, with times that vary
from trial to trial, and then once more as it counts. The unlearned team is ALLIANCE with what a designer ships
who knows nothing of the robots; docs/abstract-missions.md has the numbers.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np

from motivation.alliance.learning import Order, Strategy
from motivation.alliance.parameters import Bools, Reals
from robotd.experiments import statistics
from robotd.experiments.abstract import missions as abstract
from robotd.experiments.abstract.draws import Keys, Purpose, keys, phases, uniform
from robotd.experiments.abstract.experience import Active, Adaptive, LearnerSettings, no_trials, remember
from robotd.experiments.abstract.missions import BEAT_S, THRESHOLD, Missions, between, draw_shapes, run_by_shape
from robotd.experiments.abstract.running import Adapt, Running
from robotd.experiments.base import Cell, Drawing, Experiment, Results, Table
from robotd.experiments.charts import Axis, Means, Panel, line_charts
from robotd.experiments.rows import RunRow
from robotd.experiments.statistics import NONE, Estimate

UNLEARNED = "unlearned"
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
ORDERS: tuple[Order, ...] = get_args(Order)
ROBOTS, TASKS = (2, 4), (2, 6)
TIMES_S = 30.0, 300.0  # of a task: about as long as the delays, to ten times as long
SPREAD = 3.0  # robots of the most heterogeneous teams differ from a task's time by up to this factor
NOISE = 0.1  # trials differ from a robot's time by up to this share
TRAINING, TRIALS = 8, 5  # missions of active learning; mu, the trials that each robot remembers

SHIPPED_FAST_S = 5.0, 60.0  # drawn for each set from the span of L-ALLIANCE's own delays
SHIPPED_PATIENCE_S = 150.0  # about a mean task; patience, yield time and threshold / slow rate
GIVE_UP_S = 3600.0  # longer than any task takes: nothing fails here
TICK_S = 1.5  # half a beat
OVER = "over_optimum"
DIGITS = 3  # after the point, of times over the optimum
TOGETHER = 64  # missions searched for the optimum at once: 4 robots and 6 tasks take 8 MB of loads
LIMIT_S = 10_000.0  # longer than one robot needs for the longest mission, six tasks of 990 s


def optimum(task_time: Reals) -> Reals:
    """`(M)`: the least makespan of missions `(M, R, T)`, s, each task done by one robot and no time lost.

    Exact: all R^T assignments are tried. The tasks of one robot take their sum in whatever order, as none needs
    another; inf where a task has no robot.
    """
    parts = range(0, max(len(task_time), 1), TOGETHER)
    return np.concatenate([_optimum(task_time[i : i + TOGETHER]) for i in parts])


def _optimum(task_time: Reals) -> Reals:
    missions, robots, tasks = task_time.shape
    robot_of = np.indices((robots,) * tasks).reshape(tasks, -1)  # (T, assignments)
    loads = np.zeros((missions, robots, robot_of.shape[1]))
    for task, robot in np.ndindex(tasks, robots):
        loads[:, robot] += np.where(robot_of[task] == robot, task_time[:, robot, task, None], 0.0)
    least: Reals = loads.max(axis=1).min(axis=1)
    return least


def missions(key: Keys, robots: int, tasks: int) -> Missions:
    """One mission of this shape for each key, with the parameters as shipped."""
    each = key[:, None, None], np.arange(robots)[:, None], np.arange(tasks)
    mean = between(uniform(key[:, None], Purpose.TASK_TIME, each[2]), TIMES_S)
    skill = (2 * uniform(each[0], Purpose.SKILL, *each[1:]) - 1) * heterogeneity(key)[:, None, None]
    delay = between(uniform(each[0], Purpose.RATES, *each[1:]), SHIPPED_FAST_S)
    params = abstract.parameters(
        (len(key), robots, tasks), fast_rate=THRESHOLD / delay, slow_rate=THRESHOLD / SHIPPED_PATIENCE_S,
        patience=SHIPPED_PATIENCE_S, yield_time=SHIPPED_PATIENCE_S, give_up_time=GIVE_UP_S,
    )  # fmt: skip
    phase, times = phases(key, Purpose.BEAT_PHASE, robots, BEAT_S), mean[:, None] * SPREAD**skill
    return Missions.plain(key, times, params, TICK_S, shared_work=False, beat_phase=phase)


def heterogeneity(key: Keys) -> Reals:
    """0 for robots that are alike to 1."""
    return uniform(key, Purpose.HETEROGENEITY)


def attempt(batch: Missions, number: int) -> Missions:
    """The missions with the times that they take in attempt `number`."""
    _, robots, tasks = batch.shape
    luck = uniform(batch.key[:, None, None], Purpose.NOISE, number, np.arange(robots)[:, None], np.arange(tasks))
    return replace(batch, task_time=batch.task_time * (1 + NOISE * (2 * luck - 1)))


class TaskDurations(NamedTuple):
    """`duration` `(M)`: to the last completion, s (inf: not by `LIMIT_S`); `took` `(M, R, T)`: the trials."""

    duration: Reals
    took: Reals


def carry_out(batch: Missions, adapt: Adapt | None) -> TaskDurations:
    """Run each mission to its end; the time of a robot's last attempt at a task counts, nan where it made none."""
    duration, took = np.full(batch.shape[0], np.inf), np.full(batch.shape, np.nan)
    running = Running(batch, adapt)
    for now in running.ticks(LIMIT_S):
        result, rows = running.result, running.rows
        ended = running.finished | (result.ended & (result.gave_up | result.yields_to.any(axis=-1)))
        if ended.any():
            took[rows] = np.where(ended, now - running.state.activated_at, took[rows])
            over: Bools = np.logical_and.reduce(running.done >= running.missions.rounds, axis=-1)
            duration[rows[over]] = now
            if over.any():
                running.keep(~over)
    return TaskDurations(duration, took)


def learned(batch: Missions, how: LearnerSettings) -> Reals:
    """The last trials `(M, R, T, TRIALS)` after active learning."""
    window = no_trials(batch, TRIALS)
    for number in range(1, TRAINING + 1):
        active = Active(attempt(batch, number), how, number)
        window = remember(window, carry_out(active.missions, active).took)
    return window


def durations(batch: Missions, how: LearnerSettings | None) -> tuple[Reals, Reals]:
    """`(M)`, s: how long the missions take that count, and the optimum; `how` is None for the unlearned team."""
    counts = attempt(batch, 0)
    best = optimum(counts.task_time)
    if how is None:
        return carry_out(counts, None).duration, best
    adaptive = Adaptive(counts, how, learned(batch, how))
    return carry_out(adaptive.missions, adaptive).duration, best


class Optimality(Experiment):
    """See the module; each of the nine learning teams is compared with the unlearned one."""

    def cells(self) -> Sequence[Cell]:
        ways = itertools.product(STRATEGIES, ORDERS)
        return [Cell(UNLEARNED), *(Cell(_name(*way), {"strategy": way[0], "order": way[1]}) for way in ways)]

    def coordinator(self, cell: Cell) -> str:
        return "alliance" if cell.name == UNLEARNED else "l-alliance"

    def run(self, cell: Cell, seeds: Sequence[int], log: Path | None) -> Sequence[RunRow]:
        way = next((way for way in itertools.product(STRATEGIES, ORDERS) if _name(*way) == cell.name), None)
        how = LearnerSettings(strategy=way[0], order=way[1]) if way is not None else None

        def rows(key: Keys, robots: int, tasks: int) -> Sequence[RunRow]:
            found = (*durations(missions(key, robots, tasks), how), heterogeneity(key))
            each = zip(*(column.tolist() for column in found), strict=True)
            return [{"robots": robots, "tasks": tasks, **_row(*one)} for one in each]

        key = keys(seeds, "optimality")
        return run_by_shape(key, draw_shapes(key, ROBOTS, TASKS), rows)

    def answer(self, results: Results) -> str:
        over, gains = self._estimates(results)
        return f"Teams of ALLIANCE take {_unlearned(over)} times the optimum. {_help(gains)}"

    def tables(self, results: Results) -> Sequence[Table]:
        over, gains = self._estimates(results)
        return [
            Table("Time over the optimum, learned", ("", *ORDERS), _nine(over), f"Unlearned: {_unlearned(over)}."),
            Table("Learned less unlearned, in optima, paired", ("", *ORDERS), _nine(gains), _help(gains)),
        ]

    def figures(self, results: Results) -> Sequence[Drawing]:
        over, gains = self._estimates(results)
        unlearned = f" (unlearned {over[UNLEARNED].value:.2f})" if UNLEARNED in over else ""
        panels = [
            Panel("optima", [Means(s, [found.get(_name(s, o), NONE) for o in ORDERS]) for s in STRATEGIES], name)
            for name, found in ((f"learned{unlearned}", over), ("learned less unlearned", gains))
        ]
        axis = Axis("order of tasks", ORDERS)
        return line_charts(panels, axis, "Mission time over the optimum", results.figure(OVER))

    def _estimates(self, results: Results) -> tuple[dict[str, Estimate], dict[str, Estimate]]:
        """By cell the time over the optimum, and less the unlearned team's, in pairs of one seed."""
        cells = [cell.name for cell in self.cells() if results.of(cell.name, OVER)]
        gains = {cell: results.difference((cell, OVER), (UNLEARNED, OVER)) for cell in cells}
        return {cell: results.mean(cell, OVER) for cell in cells}, gains


def _unlearned(over: dict[str, Estimate]) -> str:
    return statistics.words(over.get(UNLEARNED, NONE), DIGITS) or "not done yet"


def _help(gains: dict[str, Estimate]) -> str:
    learned = [gain for name, gain in gains.items() if name != UNLEARNED]
    helps, hurts = sum(gain.high < 0 for gain in learned), sum(gain.low > 0 for gain in learned)
    return f"Learning shortens the missions in {helps} of nine and lengthens them in {hurts}."


def _name(strategy: str, order: str) -> str:
    return f"{strategy}, {order}"


def _row(duration: float, best: float, heterogeneous: float) -> RunRow:
    accomplished = math.isfinite(duration)
    return {
        "accomplished": accomplished, "reason": "" if accomplished else f"not done after {LIMIT_S:g} s",
        **({"duration_s": duration, OVER: duration / best} if accomplished else {}),
        "optimum_s": best, "heterogeneity": heterogeneous,
    }  # fmt: skip


def _nine(found: dict[str, Estimate]) -> list[list[str]]:
    return [
        [strategy, *(statistics.words(found.get(_name(strategy, order), NONE), DIGITS) for order in ORDERS)]
        for strategy in STRATEGIES
    ]


EXPERIMENT = Optimality(
    name="optimality", runs=200, batch=200, published_seed=1,
    title="How far from the optimum are teams of ALLIANCE, and does learning bring them nearer?",
    measured=(
        "robots", "tasks", "heterogeneity", "accomplished", "reason", "duration_s", "optimum_s", "over_optimum",
    ),
)  # fmt: skip
