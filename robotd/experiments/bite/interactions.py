"""How long robots with BITE interact in a run, by what their coordinators report and state."""

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any

from motivation.bite.words import DECIDES, ENDED, path_of
from robotd.experiments.measure import Measure
from robotd.experiments.rows import RunRow
from robotd.model.choice import Choice, Decision, Event
from robotd.model.inputs import Inputs
from robotd.model.statements import Sent, Statement
from robotd.sim.activity_trace import Outcome

COLUMNS = ("sync_s", "allocation_s", "interaction_s", "ending_s", "choices", "allocations", "one_way_s")
"""Each is defined in docs/experiments.md."""
SYNC, ALLOCATION, ENDING = "sync", "allocation", "ending"
KINDS = {"decided": SYNC, "allocated": ALLOCATION, "ended": ENDING}
"""By event the interaction that is over; one that ends as a teammate is further is that of the robot's phase."""
OWN = ("path", "ballot")  # what a robot states of its plan


class Interactions(Measure):
    """Observes the points of interaction of one run; times in s, of all robots together."""

    def __init__(self) -> None:
        super().__init__()
        self.times = dict.fromkeys((SYNC, ALLOCATION, ENDING), 0.0)
        self.counts = dict.fromkeys(self.times, 0)
        self.decisions: dict[str, list[float]] = {}  # by robot, s
        self._left: list[tuple[str, float, float]] = []  # robot, when it stated something new, when that left
        self._phases: dict[str, int] = {}  # by robot that of the top of its stack, as it stated last
        self._states: dict[str, dict[Statement, float]] = {}  # by robot, since when; inf: it has left

    def tick(self, robot: str, i: Inputs, sent: tuple[Sent, ...], decision: Decision) -> None:
        super().tick(robot, i, sent, decision)
        for frame in sent:
            self.leave(robot, self.elapsed(frame.at), frame.statements)
        if decision.choice is not None:
            self.decide(robot, self.elapsed(i.now), decision.choice)

    def decide(self, robot: str, now: float, choice: Choice) -> None:
        """Take in a decision of a robot at `now`, s."""
        self.decisions.setdefault(robot, []).append(now)
        self._add(robot, choice.events)
        states = [one for one in choice.statements if one.kind in OWN]
        before = self._states.get(robot, {})
        self._states[robot] = {one: before.get(one, now) for one in states}
        for one in states:
            if one.kind == "path":
                self._phases[robot] = path_of(one).phase

    def _add(self, robot: str, events: Iterable[Event]) -> None:
        followed = SYNC if self._phases.get(robot, ENDED) == DECIDES else ENDING
        for event in events:
            if "took_s" in event.data:
                kind = KINDS.get(event.kind, followed)
                self.times[kind] += event.data["took_s"]
                self.counts[kind] += 1

    def leave(self, robot: str, at: float, statements: Iterable[Statement]) -> None:
        """Take in a frame of a robot that left at `at`, s."""
        states = self._states.get(robot, {})
        for one in statements:
            if states.get(one, math.inf) <= at:
                self._left.append((robot, states[one], at))
                states[one] = math.inf

    def one_ways(self) -> Iterator[float]:
        """From each decision with which a robot states something new to the one of a teammate that has it, s."""
        for robot, stated, at in self._left:
            for other, own in self.decisions.items():
                k = bisect_right(own, at)
                if other != robot and k < len(own):
                    yield own[k] - stated

    def columns(self, outcome: Outcome) -> RunRow:
        """Times and counts are of one robot in the mean."""
        robots, one_ways = max(1, len(self.decisions)), list(self.one_ways())
        row: dict[str, Any] = {f"{kind}_s": round(total / robots, 3) for kind, total in self.times.items()}
        row["interaction_s"] = round((self.times[SYNC] + self.times[ALLOCATION]) / robots, 3)
        row["choices"] = round(self.counts[SYNC] / robots, 2)
        row["allocations"] = round(self.counts[ALLOCATION] / robots, 2)
        if one_ways:
            row["one_way_s"] = round(math.fsum(one_ways) / len(one_ways), 3)
        return row
