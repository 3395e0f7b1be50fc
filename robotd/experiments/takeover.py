"""Measures of a run in which a robot fails: who takes its task over, when and with what; who interrupts its work.

Paper 000 (Parker 1998), section IV, draws these conclusions from its runs; here each run is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from robotd.experiments.measure import Measure
from robotd.experiments.summary import RunRow, Value
from robotd.model.decision import Decision
from robotd.model.inputs import Inputs
from robotd.model.statements import Sent
from robotd.sim.activity_trace import ActivityTrace, Interval, Outcome
from robotd.sim.team import Team

COLUMNS = (
    "takeover_s", "takeover_by", "takeover_set", "was_idle", "was_blind", "yielded", "interruptions", "resumed",
)  # fmt: skip
JOINS_S = 0.01  # a spell that begins where another ended begins in the same decision
KEPT_S = 9.0  # three beats: of claims that crossed on the air one is left by then
YIELDS_S = 30.0  # ten beats: if the robot has not yielded by then, it does not yield to this takeover
SIDE_RANGE = "side-range"
REPORT = "report-progress"


class Witness(Measure):
    """Notes besides who left the room, who yielded, and who began a set without its side range.

    The failure is the removal of the robot that was to do task `removes`, or a seizure of the one on (task,
    instant).
    """

    def __init__(self, removes: str = "", seizes: tuple[str, float] | None = None) -> None:
        super().__init__()
        self._removes, self._seizes = removes, seizes
        self.removed: dict[str, float] = {}  # robot to when it was first not there, s, within half a second
        self.yields: list[tuple[str, float]] = []
        self.blind: list[tuple[str, float]] = []

    def tick(self, robot: str, i: Inputs, sent: tuple[Sent, ...], thought: Decision) -> None:
        super().tick(robot, i, sent, thought)
        kinds = {event.kind for event in thought.choice.events} if thought.choice is not None else set()
        if "yielded" in kinds:
            self.yields.append((robot, i.now))
        if "activated" in kinds and i.capabilities.lacking((SIDE_RANGE,)):
            self.blind.append((robot, i.now))

    def look(self, now: float, team: Team) -> None:
        super().look(now, team)
        for name in team.names:
            if team.world.pose(name) is None:
                self.removed.setdefault(name, now)

    def columns(self, outcome: Outcome) -> RunRow:
        seizure = seized(outcome.story, *self._seizes) if self._seizes is not None else None
        failure = removed(self, self._removes) if self._removes else seizure
        return takeover_columns(failure, outcome.story, self)


@dataclass(frozen=True)
class Failure:
    """Who failed, when (s), and the task that others must take over."""

    robot: str
    at: float
    task: str


def removed(witness: Witness, task: str) -> Failure | None:
    """The removal of the robot that was to do `task`; None where nobody was removed."""
    return next((Failure(name, at, task) for name, at in witness.removed.items()), None)


def seized(story: ActivityTrace, task: str, at: float) -> Failure | None:
    """The robot that was held fast `at` some time while on `task`; None where nobody was on it."""
    spells = [(name, one) for name, own in sorted(story.spells.items()) for one in own if one.task == task]
    return next((Failure(name, at, task) for name, one in spells if one.start <= at < one.end), None)


def takeover_columns(failure: Failure | None, story: ActivityTrace, witness: Witness) -> dict[str, Value]:
    """The columns that have a value in this run."""
    if failure is None:
        return {}
    found: dict[str, Value] = dict(zip(("interruptions", "resumed"), interruptions(story, failure), strict=True))
    taken = takeover(story, failure)
    if taken is not None:
        robot, (doing, _, start, _) = taken
        found |= {
            "takeover_s": round(start - failure.at, 2), "takeover_by": robot, "takeover_set": doing,
            "was_idle": idle_before(story.spells[robot], start),
            "was_blind": _near(witness.blind, robot, start, JOINS_S),
            "yielded": _near(witness.yields, failure.robot, start, YIELDS_S),
        }  # fmt: skip
    return found


def takeover(story: ActivityTrace, failure: Failure) -> tuple[str, Interval] | None:
    """The robot that begins the task first after the failure and keeps it, and its spell; None: nobody."""
    spells = [(robot, one) for robot, own in story.spells.items() for one in own if robot != failure.robot]
    begun = [(robot, one) for robot, one in spells if one.task == failure.task and one.start >= failure.at]
    kept = [(one.start, robot, one) for robot, one in begun if one.end - one.start > KEPT_S]
    return min(kept)[1:] if kept else None


def idle_before(spells: Sequence[Interval], start: float) -> bool:
    """Whether the robot had no active set when it began one at `start`."""
    return not any(abs(one.end - start) <= JOINS_S for one in spells if one.start < start)


def interruptions(story: ActivityTrace, failure: Failure) -> tuple[int, int]:
    """How often, after the failure, robots left work for a report, and after how many of these they resumed it.

    A report that the end of the run cuts short does not count.
    """
    left = back = 0
    over = max((one.end for spells in story.spells.values() for one in spells), default=0.0)
    for robot, spells in story.spells.items():
        done = {at for occasions in story.done.values() for at, by in occasions if by == robot}
        for k, ((was, _, _, until), (_, task, start, end)) in enumerate(pairwise(spells)):
            joins = start - until <= JOINS_S and until not in done
            if robot == failure.robot or task != REPORT or start < failure.at or not joins or end == over:
                continue
            left += 1
            back += any(one.set == was and one.start - end <= JOINS_S for one in spells[k + 2 : k + 3])
    return left, back


def _near(found: Sequence[tuple[str, float]], robot: str, at: float, within_s: float) -> bool:
    return any(name == robot and abs(when - at) <= within_s for name, when in found)
