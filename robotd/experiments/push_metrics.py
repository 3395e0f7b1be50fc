"""What is counted of one run of box pushing: who pushed where and when, and how square the box stayed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from robotd.experiments.measure import Measure
from robotd.experiments.summary import RunRow, Value
from robotd.model.decision import Decision
from robotd.model.inputs import Inputs
from robotd.model.statements import Sent
from robotd.sim.activity_trace import Outcome
from robotd.sim.team import Team

STAYS, LEAVES, STANDS_IN = "green", "blue", "genghis"
OWN, OTHER = "push-left", "push-right"  # the sets of green's own end and of the one that it may change to
DONE = "pushed-left"  # the fact by which green reports the end of a push at its own end
GONE_HOME_M = 1.0  # from the box's middle to who has left it: no end of the box is so near to anybody beside it
COLUMNS = (
    "needless_changes", "pause_s", "changes_alone", "pushes_after_return", "pushes_per_min_before",
    "pushes_per_min_after", "skew_deg", "went_home",
)  # fmt: skip
SETTLED_S = 10.0  # the first seconds after a change of the team count to neither side


@dataclass(frozen=True)
class PushTimes:
    """When things happen in a run, s; inf for never: the mate is taken away, comes back, green goes too."""

    taken: float = math.inf
    back: float = math.inf
    left_alone: float = math.inf
    swapped: bool = False  # Genghis comes at once in the mate's place

    @property
    def comes(self) -> float:
        """When a robot comes to the other end: the mate again, or Genghis."""
        return self.taken if self.swapped else self.back


@dataclass
class PushMetrics(Measure):
    """Observes one run with these times."""

    times: PushTimes = field(default_factory=PushTimes)

    def __post_init__(self) -> None:
        super().__init__()
        self.began: list[tuple[float, str, str]] = []  # when, who, which set: a push or a change of ends
        self.shoved: list[tuple[float, str, str]] = []  # when, who, which set: it drives into the box
        self.ended: list[float] = []  # green's pushes at its own end
        self.heard: float = math.inf  # when green heard of whoever comes to the other end
        self.skew = 0.0  # rad, the most while anybody pushes
        self.went_home = False
        self._doing: dict[str, str] = {}
        self._shoves: dict[str, bool] = {}
        self._start: float | None = None
        self._until = 0.0

    def tick(self, robot: str, i: Inputs, sent: tuple[Sent, ...], thought: Decision) -> None:
        super().tick(robot, i, sent, thought)
        self._start = i.now if self._start is None else self._start
        now = self._until = i.now - self._start
        if thought.choice is not None:
            doing = thought.choice.run[-1].set if thought.choice.run else ""
            if doing and (doing != self._doing.get(robot) or thought.choice.finished):
                self.began.append((now, robot, doing))
            self._doing[robot] = doing
        shoves = ("drive", "shoving") in thought.acted.drivers
        if shoves and not self._shoves.get(robot):
            self.shoved.append((now, robot, self._doing[robot]))
        self._shoves[robot] = shoves
        if robot == STAYS:
            self.ended += [now for fact in thought.acted.facts if fact.name == DONE]
            self._listen(now, thought)

    def _listen(self, now: float, thought: Decision) -> None:
        """When green hears for the first time of whoever comes to the other end."""
        if now < self.times.comes or self.heard < math.inf or self._start is None:
            return
        name = STANDS_IN if self.times.swapped else LEAVES
        number = next(one.number for one in thought.beliefs.table.team if one.name == name)
        mate = thought.beliefs.mates.get(number)
        if mate is not None and mate.last_heard - self._start > self.times.comes:
            self.heard = mate.last_heard - self._start

    def look(self, now: float, team: Team) -> None:
        super().look(now, team)
        box = team.world.box
        assert box is not None
        x, y, angle = box.pose()
        if now < self.times.left_alone:
            self.skew = max(self.skew, abs(angle))
        place = team.world.pose(STANDS_IN)
        leaves = any((who, doing) == (STANDS_IN, "go-home") for _, who, doing in self.began)
        far = box.halves[0] + GONE_HOME_M
        self.went_home = leaves and place is not None and math.dist(place[:2], (x, y)) > far

    def columns(self, outcome: Outcome | None = None) -> RunRow:
        """See `Measure.columns`; those that make no sense in this run are left out."""
        times = self.times
        own = {STAYS: OWN, LEAVES: OTHER}
        away = [at for at, who, doing in self.began if doing != own.get(who, doing)]
        needless = [at for at in away if at < times.taken or self.heard < at < times.left_alone]
        row: dict[str, Value] = {"needless_changes": len(needless), "skew_deg": round(math.degrees(self.skew), 2)}
        row["pushes_per_min_before"] = self._rate(SETTLED_S, min(times.taken, self._until))
        if times.taken < math.inf and not times.swapped:
            row |= self._alone()
        if times.swapped:
            row["pushes_per_min_after"] = self._rate(times.taken + SETTLED_S, min(times.left_alone, self._until))
            row["went_home"] = self.went_home
        return row

    def _alone(self) -> dict[str, Value]:
        """What green does from when its mate is taken away."""
        times = self.times
        alone = [at for at, who, doing in self.began if who == STAYS and doing == OTHER and at >= times.taken]
        pauses = [at - max(done for done in self.ended if done <= at) for at in alone[:1]]
        row: dict[str, Value] = {"changes_alone": sum(at < times.back for at in alone)}
        if pauses:
            row["pause_s"] = round(pauses[0], 2)
        if self.heard < math.inf:
            shoved = [at for at, who, doing in self.shoved if (who, doing) == (STAYS, OTHER)]
            row["pushes_after_return"] = sum(at > self.heard for at in shoved)
        return row

    def _rate(self, start: float, end: float) -> float:
        """How many pushes a minute green began between two instants."""
        count = sum(who == STAYS and start <= at < end for at, who, _ in self.shoved)
        return round(60.0 * count / (end - start), 3) if end > start else 0.0
