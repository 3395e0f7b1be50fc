"""The cleanup mission of Parker 1998 (section IV) without failure, and with the three failures that it reports.

Of each run is counted which robot takes over a failed one's task, when and with which set, and which robots
interrupt their work.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from boards.mock.settings import WorldSettings
from robotd.experiments import measure, statistics
from robotd.experiments.base import Cell, Claim, Results, Table
from robotd.experiments.measure import Measure
from robotd.experiments.missions import NORMAL, SPEEDS, MissionExperiment, cell_at
from robotd.experiments.rows import RunRow, Value
from robotd.experiments.scenario import Scenario
from robotd.model.choice import Decision
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
    """Notes also which robots left the room, yielded, or began a set without their side range.

    The failure is the removal of the robot that was to do task `removes`, or a seizure of the one on (task,
    instant).
    """

    def __init__(self, removes: str = "", seizes: tuple[str, float] | None = None) -> None:
        super().__init__()
        self._removes, self._seizes = removes, seizes
        self.removed: dict[str, float] = {}  # robot to when it was first not there, s, within half a second
        self.yields: list[tuple[str, float]] = []
        self.blind: list[tuple[str, float]] = []

    def tick(self, robot: str, i: Inputs, sent: tuple[Sent, ...], decision: Decision) -> None:
        super().tick(robot, i, sent, decision)
        kinds = {event.kind for event in decision.choice.events} if decision.choice is not None else set()
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
    """The robot that failed, when (s), and the task that others must take over."""

    robot: str
    at: float
    task: str


def removed(witness: Witness, task: str) -> Failure | None:
    """The removal of the robot that was to do `task`; None where no robot was removed."""
    return next((Failure(name, at, task) for name, at in witness.removed.items()), None)


def seized(story: ActivityTrace, task: str, at: float) -> Failure | None:
    """The robot that was held fast `at` some time while on `task`; None where no robot was on it."""
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
    """The robot that begins the task first after the failure and keeps it, and its spell; None: no robot."""
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


UNDISTURBED, BLOCKED = "no failure", "finder blocked"
MOVER, REPORTER = "mover removed", "reporter removed"
# Read off figures 10, 13, 17 and 21, about 10 s either way: by cell the end (s), and what each robot did.
PUBLISHED = {
    UNDISTURBED: (1375.0, "fig. 10", {
        "green": "FLM 20-130, MS(L) 130-1350",
        "blue": "MS(R) 130-1305",
        "gold": "RP 255-280, 550, 805, 1050, 1310",
    }),
    BLOCKED: (1615.0, "fig. 13", {
        "green": "FLM 20-215, MS(R) 465-1595",
        "blue": "FLW 215-465, MS(L) 465-1560",
        "gold": "RP 475, 730, 980, 1235, 1485",
    }),
    MOVER: (1775.0, "fig. 17", {
        "green": "FLM, MS(L) 140-560, RP 560-655, MS(L) 655-1285, RP 1285-1365, MS(L) 1365-1735",
        "blue": "MS(R) 120-280",
        "gold": "RP 255-285, MS(R) 325-915, RP 915-995, MS(R) 990-1615, RP 1615-1700",
    }),
    REPORTER: (1770.0, "fig. 21", {
        "green": "FLM, MS(L) 130-590, RP 590-655, MS(L) 655-1620, RP 1615-1705",
        "blue": "MS(R) 130-975, RP 975-1065, MS(R) to 1320, RP to 1410, MS(R) to 1700",
        "gold": "RP 230-255",
    }),
}  # fmt: skip
RATIOS = {UNDISTURBED: 1.0, BLOCKED: 1.18, MOVER: 1.29, REPORTER: 1.29}  # of the ends, as far as figures are read
SEIZED_S = 25.0
EVENTS = {
    UNDISTURBED: [],
    BLOCKED: ["0 dead blue side-range", f"{SEIZED_S:g} seize holder:find-locations", "215 release green"],
    MOVER: ["300 remove holder:move-spill-right"],
    REPORTER: ["430 remove gold"],
}
"""What happens in each variant; times are those of the paper's text and figures."""
WANDER = "find-locations-wander"
REMOVES = {MOVER: "move-spill-right", REPORTER: "report-progress"}
TAKEOVER_S = 20.0, 60.0  # after the removal of the mover; in the published runs 25 to 45 s


@dataclass(frozen=True, kw_only=True)
class Cleanup(MissionExperiment):
    """With the published runs beside ours. `speeds`: how cells call the speeds at which each variant is run."""

    measured: Sequence[str] = (*measure.COLUMNS, *COLUMNS)
    speeds: Sequence[str] = (NORMAL,)
    claims_note: str = (
        "Times: from the failure until another robot begins the task and keeps it; median, least and greatest."
    )

    def measure(self, cell: str, seed: int) -> Measure:
        variant = cell.partition(",")[0]
        return Witness(REMOVES.get(variant, ""), ("find-locations", SEIZED_S) if variant == BLOCKED else None)

    def baseline(self, cell: Cell) -> str:
        return cell_at(UNDISTURBED, cell.name.partition(", ")[2])

    def claims(self, results: Results) -> Iterator[Claim]:
        low, high = TAKEOVER_S
        for speed in self.speeds:
            blocked, mover, reporter = (cell_at(variant, speed) for variant in (BLOCKED, MOVER, REPORTER))
            yield results.claim(
                blocked, "a robot whose side range is dead takes over, wandering",
                lambda row: row.get("takeover_set") == WANDER and row["was_blind"] is True,
                _span(results, blocked), "190 s",
            )  # fmt: skip
            text = "the blocked finder yields to it"
            yield results.claim(blocked, text, lambda row: row.get("yielded") is True, "", "GREEN does")
            yield results.claim(
                mover, f"an idle robot takes over in {low:g} to {high:g} s",
                lambda row: row.get("was_idle") is True and low <= float(row["takeover_s"]) <= high,
                _span(results, mover), "25 to 45 s",
            )  # fmt: skip
            cut, back = (int(sum(results.values(reporter, name))) for name in ("interruptions", "resumed"))
            yield results.claim(
                reporter, "movers interrupt their work to report, and resume",
                lambda row: 0 < int(row.get("resumed", 0)) == int(row.get("interruptions", 0)),
                f"{back} of {cut} interruptions resumed", "3 of 3",
            )  # fmt: skip

    def tables(self, results: Results) -> Sequence[Table]:
        return [self._ratios(results), self._timelines(results)]

    def _ratios(self, results: Results) -> Table:
        """Mean mission times over that of the undisturbed variant, beside the published ones."""
        lines: list[list[Value]] = []
        for speed, variant in itertools.product(self.speeds, EVENTS):
            cell, (ended, figure, _) = cell_at(variant, speed), PUBLISHED[variant]
            mean = statistics.words(results.mean(cell, "duration_s"), 0)
            ratio = statistics.words(results.ratio(cell, cell_at(UNDISTURBED, speed), "duration_s"), 2)
            lines.append([cell, results.count_accomplished(cell), mean, ratio, figure, ended, RATIOS[variant]])
        columns = (
            "variant", "accomplished", "mean time (s)", "ratio", "published run", "ended (s)", "published ratio",
        )  # fmt: skip
        note = "Ratios to the undisturbed variant, in pairs of one seed. Published: single runs of real robots."
        return Table("Mission times beside the published ones", columns, lines, note)

    def _timelines(self, results: Results) -> Table:
        """What each robot did in the first run of each variant, in the words of the published figures."""
        lines: list[list[Value]] = []
        for speed, variant in itertools.product(self.speeds, PUBLISHED):
            cell, (_, figure, robots) = cell_at(variant, speed), PUBLISHED[variant]
            run = results.kept(cell, 1)
            labels, series = (run.labels(), run.robots) if run is not None else ({}, {})
            for robot, published in robots.items():
                spells = series[robot].spells if robot in series else []
                spells = sorted(spells, key=lambda spell: spell.start)
                ours = ", ".join(f"{labels[s.set]} {s.start:.0f}-{s.end:.0f}" for s in spells)
                lines.append([cell, robot, ours, published, figure])
        note = "FLM, FLW: find locations methodically, by wandering; MS: move spill; RP: report progress."
        columns = ("variant", "robot", "our first run (s)", "published (s)", "figure")
        return Table("Timelines beside the published ones", columns, lines, note)


def scenarios(speeds: Mapping[str, float]) -> dict[str, Scenario]:
    """All variants at each speed, a factor on that of the mission file, by cell."""
    usual = WorldSettings().max_speed_m_s
    return {
        cell_at(variant, speed): Scenario(
            "cleanup", {"events": events, **({"world.max_speed_m_s": usual * factor} if factor != 1.0 else {})}
        )
        for speed, factor in speeds.items()
        for variant, events in EVENTS.items()
    }


def _span(results: Results, cell: str) -> str:
    return statistics.median_words(results.values(cell, "takeover_s"), 0, " s")


EXPERIMENT = Cleanup(
    name="cleanup", runs=15, published_seed=1, scenarios=scenarios({NORMAL: 1.0}),
    title="How much longer does cleanup take when the finder is blocked, a mover or the reporter is taken away?",
)  # fmt: skip
SPEEDS_EXPERIMENT = Cleanup(
    name="cleanup-speeds", runs=5, published_seed=1, scenarios=scenarios(SPEEDS), speeds=tuple(SPEEDS),
    title="Do the conclusions of cleanup hold for robots that are 20 % slower or faster?",
)  # fmt: skip
