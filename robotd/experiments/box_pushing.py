"""Box pushing of Parker 1999, section 3: two healthy R-2s, and both experiments that it reports."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from robotd.experiments import measure, statistics
from robotd.experiments.base import Claim, Results, accomplished
from robotd.experiments.measure import Measure
from robotd.experiments.missions import MissionExperiment
from robotd.experiments.rows import RunRow, Value
from robotd.experiments.scenario import Scenario
from robotd.model.choice import Decision
from robotd.model.inputs import Inputs
from robotd.model.statements import Sent
from robotd.model.streams import draw
from robotd.sim.activity_trace import Outcome
from robotd.sim.team import Team

STAYS, LEAVES, REPLACES = "green", "blue", "genghis"
OWN, OTHER = "push-left", "push-right"  # the sets of green's own end and of the one that it may change to
DONE = "pushed-left"  # the fact by which green reports the end of a push at its own end
GONE_HOME_M = 1.0  # beyond the end of the box: a robot so far from it has left it
COLUMNS = (
    "needless_changes", "pause_s", "changes_alone", "pushes_after_return", "pushes_per_min_before",
    "pushes_per_min_after", "skew_deg", "went_home",
)  # fmt: skip
SETTLED_S = 10.0  # the first seconds after a change of the team count to neither side


@dataclass(frozen=True)
class PushTimes:
    """When things happen in a run, s; inf for never: the teammate is taken away, comes back, green goes too."""

    taken: float = math.inf
    back: float = math.inf
    left_alone: float = math.inf
    swapped: bool = False  # Genghis comes at once in the teammate's place

    @property
    def comes(self) -> float:
        """When a robot comes to the other end: the teammate again, or Genghis."""
        return self.taken if self.swapped else self.back


@dataclass
class PushMetrics(Measure):
    """Observes one run with these times."""

    times: PushTimes = field(default_factory=PushTimes)

    def __post_init__(self) -> None:
        super().__init__()
        self.began: list[tuple[float, str, str]] = []  # when, robot, set: a push or a change of ends
        self.shoved: list[tuple[float, str, str]] = []  # when, robot, set: it drives into the box
        self.ended: list[float] = []  # green's pushes at its own end
        self.received_at: float = math.inf  # when green received a frame of the robot that comes to the other end
        self.skew = 0.0  # rad, the most while a robot pushes
        self.went_home = False
        self._doing: dict[str, str] = {}
        self._shoves: dict[str, bool] = {}
        self._until = 0.0

    def tick(self, robot: str, i: Inputs, sent: tuple[Sent, ...], decision: Decision) -> None:
        super().tick(robot, i, sent, decision)
        now = self._until = self.elapsed(i.now)
        if decision.choice is not None:
            doing = decision.choice.run[-1].set if decision.choice.run else ""
            if doing and (doing != self._doing.get(robot) or decision.choice.finished):
                self.began.append((now, robot, doing))
            self._doing[robot] = doing
        shoves = ("drive", "shoving") in decision.acted.drivers
        if shoves and not self._shoves.get(robot):
            self.shoved.append((now, robot, self._doing[robot]))
        self._shoves[robot] = shoves
        if robot == STAYS:
            self.ended += [now for fact in decision.acted.facts if fact.name == DONE]
            self._note_received(now, decision)

    def _note_received(self, now: float, decision: Decision) -> None:
        if now < self.times.comes or self.received_at < math.inf:
            return
        name = REPLACES if self.times.swapped else LEAVES
        number = next(one.number for one in decision.beliefs.table.team if one.name == name)
        teammate = decision.beliefs.teammates.get(number)
        if teammate is not None and (at := self.elapsed(teammate.last_received)) > self.times.comes:
            self.received_at = at

    def look(self, now: float, team: Team) -> None:
        super().look(now, team)
        box = team.world.box
        assert box is not None
        x, y, angle = box.pose()
        if now < self.times.left_alone:
            self.skew = max(self.skew, abs(angle))
        place = team.world.pose(REPLACES)
        leaves = any((robot, doing) == (REPLACES, "go-home") for _, robot, doing in self.began)
        far = box.halves[0] + GONE_HOME_M
        self.went_home = leaves and place is not None and math.dist(place[:2], (x, y)) > far

    def columns(self, outcome: Outcome) -> RunRow:
        times = self.times
        own = {STAYS: OWN, LEAVES: OTHER}
        away = [at for at, robot, doing in self.began if doing != own.get(robot, doing)]
        needless = [at for at in away if at < times.taken or self.received_at < at < times.left_alone]
        row: dict[str, Value] = {"needless_changes": len(needless), "skew_deg": round(math.degrees(self.skew), 2)}
        row["pushes_per_min_before"] = self._rate(SETTLED_S, min(times.taken, self._until))
        if times.taken < math.inf and not times.swapped:
            row |= self._alone()
        if times.swapped:
            row["pushes_per_min_after"] = self._rate(times.taken + SETTLED_S, min(times.left_alone, self._until))
            row["went_home"] = self.went_home
        return row

    def _alone(self) -> dict[str, Value]:
        times = self.times
        alone = [at for at, *what in self.began if what == [STAYS, OTHER] and at >= times.taken]
        pauses = [at - max(done for done in self.ended if done <= at) for at in alone[:1]]
        row: dict[str, Value] = {"changes_alone": sum(at < times.back for at in alone)}
        if pauses:
            row["pause_s"] = round(pauses[0], 2)
        if self.received_at < math.inf:
            shoved = [at for at, *what in self.shoved if what == [STAYS, OTHER]]
            row["pushes_after_return"] = sum(at > self.received_at for at in shoved)
        return row

    def _rate(self, start: float, end: float) -> float:
        count = sum(robot == STAYS and start <= at < end for at, robot, _ in self.shoved)
        return round(60.0 * count / (end - start), 3) if end > start else 0.0


HEALTHY, SEIZED, GENGHIS = "healthy", "R-2 seized", "Genghis in its place"
TAKEN_S, BACK_S, ALONE_S = 60.0, 160.0, 180.0
SPREAD_S = 9.0  # so much later at most, by the seed: in three beats every phase of a push comes
VARIANTS = (HEALTHY, SEIZED, GENGHIS)
LIMIT_S = 270.0  # with no robot left to push: Genghis has gone home long before


def times_of(cell: str, seed: int | None = None) -> PushTimes:
    """When things happen in a variant's run with this seed; None: at the earliest."""
    taken = round(TAKEN_S + (SPREAD_S * draw(seed, "box-pushing", "taken", 0) if seed is not None else 0.0), 1)
    if cell == SEIZED:
        return PushTimes(taken=taken, back=BACK_S)
    return PushTimes(taken=taken, left_alone=ALONE_S, swapped=True) if cell == GENGHIS else PushTimes()


def factors_of(times: PushTimes) -> dict[str, Any]:
    """The events of a run."""
    comes = REPLACES if times.swapped else LEAVES
    instants = (times.taken, "remove", LEAVES), (times.comes, "return", comes), (times.left_alone, "remove", STAYS)
    events = [f"{at:g} {verb} {robot}" for at, verb, robot in instants if at < math.inf]
    return {"events": events, **({"time_limit_s": LIMIT_S} if times.swapped else {})}


PAUSE_S, LONGEST_S = (5.0, 8.0), 12.0  # of the median, as published; of each
SQUARE_DEG = 15.0


@dataclass(frozen=True, kw_only=True)
class BoxPushing(MissionExperiment):
    """With what the paper concludes, counted run by run."""

    measured: Sequence[str] = (*measure.COLUMNS, *COLUMNS)
    claims_note: str = (
        "Times count from the end of the last push at the own end until the way to the other end begins. In the "
        "last variant the box stays where it is when no robot is left to push it: no run of it is accomplished."
    )

    def measure(self, cell: str, seed: int) -> Measure:
        return PushMetrics(times_of(cell, seed))

    def scenario(self, cell: str, seed: int) -> Scenario:
        return self.scenarios[cell].changed(factors_of(times_of(cell, seed)))

    def answer(self, results: Results) -> str:
        return self.count_claims(results)

    def claims(self, results: Results) -> Iterator[Claim]:
        claim = results.claim
        yield claim(HEALTHY, "the box gets across", accomplished)
        yield claim(HEALTHY, "no robot changes ends", lambda row: row.get("needless_changes") == 0)
        pauses = results.values(SEIZED, "pause_s")
        middle, (low, high) = statistics.median(pauses), PAUSE_S
        words = f"median {statistics.median_words(pauses, 1, ' s')}" if pauses else ""
        text = f"the other R-2 pauses {low:g} to {high:g} s in the median"
        yield Claim(SEIZED, text, [low <= middle <= high] if results.of(SEIZED) else [], words)
        text = f"and never longer than {LONGEST_S:g} s"
        yield claim(SEIZED, text, lambda row: float(row.get("pause_s", math.inf)) <= LONGEST_S)
        text = "once it receives its teammate's return it pushes no more at that end"
        yield claim(SEIZED, text, lambda row: row.get("pushes_after_return") == 0)
        yield claim(SEIZED, "the box gets across", accomplished)
        rates = (GENGHIS, "pushes_per_min_after"), (GENGHIS, "pushes_per_min_before")
        fewer = statistics.words(results.difference(*rates), 1, " a minute")
        less = [after < before for after, before in results.pairs(*rates)]
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
