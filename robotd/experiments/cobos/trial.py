"""One run: which task each robot was on, recruiting or not, pucks held, what robots learned (paper 003, V)."""

import math
from collections import deque
from collections.abc import Mapping
from functools import reduce
from typing import Any

from motivation.cobos import allocation, pages
from motivation.cobos.models import HOLDS, KEEPS, ON_THE_WAY, PERFORMED, STARTED, Record, effectiveness
from motivation.cobos.pages import Report
from motivation.cobos.settings import CobosSettings, Plan, plan_of
from motivation.cobos.state import State
from radio.codec import Codec
from robotd.config.load import Mission
from robotd.experiments.measure import Measure
from robotd.experiments.rows import RunRow
from robotd.model.choice import Decision
from robotd.model.inputs import Inputs
from robotd.model.plain import from_plain
from robotd.model.statements import Sent
from robotd.robot.robot import Robot
from robotd.sim.activity_trace import Outcome
from robotd.sim.host import JUDGE_S
from robotd.sim.team import Team

COLUMNS = (
    "held_up", "state", "adaptations", "archived", "recruiting_s",
    "t1_first_s", "t2_first_s", "t3_first_s", "t4_first_s", "t4_by", "t4_recruited_s",
    "changes_before_t4", "changes_with_t4", "frame_bytes",
    "colours_known", "colours_wrong", "colours_open", "required", "successes",
)  # fmt: skip
"""Each is defined in docs/experiments.md."""
VERDICTS = ("known", "wrong", "open")
LAST = "t4"
COLOURS = ("blue", "red")
ABILITY = "{}-find-attach"  # the basis task that needs a colour
STARTED_S = 30.0  # by then each robot that takes part has made its pages known
PATH_S = 10.0  # between two places of a robot's path in the map
STATUS = {
    ON_THE_WAY: "on the way", STARTED: "at the place", HOLDS: "holding one",
    PERFORMED: "performing", KEEPS: "performing",
}  # fmt: skip


class Trial(Measure):
    """Observes one run of a mission whose clusters have the names of their tasks. Times: s from the start."""

    def __init__(self, mission: Mission) -> None:
        super().__init__()
        content = mission.content
        self._content = content
        self.settings = CobosSettings(**content.parameters)
        self.plan: Plan = plan_of(self.settings, mission.table)
        self.numbers = content.numbers()
        self.blind = {name: tuple(content.body_of(name).get("blind_to", ())) for name in self.numbers}
        self.reports: dict[str, Report] = {}
        self.stays: dict[str, list[tuple[float, int, bool]]] = {name: [] for name in self.numbers}
        self.paths: dict[str, list[tuple[float, float]]] = {name: [] for name in self.numbers}
        self.holds: dict[str, tuple[str, float]] = {}  # by robot: the place where it holds a puck, and since when
        self.held: dict[str, tuple[int, int]] = {}
        self.first: dict[str, float] = {}  # by place, when all its pucks were first held
        self.recruiting_s: dict[str, float] = dict.fromkeys(
            map(self.plan.id, range(len(self.plan.tasks) + 1)), 0.0
        )
        self.adaptations = 0
        self.archived: set[str] = set()  # the tasks that ever required more robots than could do them
        self.changes = {False: 0, True: 0}  # by whether LAST is introduced, the most facts changed within a beat
        self.frame_bytes = 0  # of the longest frame's statements; a robot sends one frame a beat at most
        self._recent: deque[tuple[float, int]] = deque()  # when facts changed within the last beat, and how many
        self._beat_s, self._codec = content.radio.beat_s, Codec(mission.table)
        self._records = tuple(Record(required=task.required or 1) for task in self.plan.tasks)
        self._pages: dict[str, dict[str, tuple[float, ...]]] = {name: {} for name in self.numbers}
        self._robots: Mapping[str, Robot] = {}
        self._path_at = 0.0

    def tick(self, robot: str, i: Inputs, sent: tuple[Sent, ...], decision: Decision) -> None:
        super().tick(robot, i, sent, decision)
        for frame in sent:
            self.frame_bytes = max(self.frame_bytes, sum(self._codec.size(one.kind) for one in frame.statements))
        if decision.choice is None or not decision.choice.facts:
            return
        self._count(i.now, len(decision.choice.facts), late=decision.beliefs.flag(f"known-{LAST}"))
        number, own, tasks = self.numbers[robot], self._pages[robot], len(self.plan.tasks)
        names = [pages.name_of(number, k) for k in range(pages.pages_of(tasks))]
        own.update({fact.name: fact.value for fact in decision.choice.facts if fact.name in names})
        if len(own) == len(names):
            flat = [int(byte) for name in names for byte in own[name]]
            self._note(robot, self.elapsed(i.now), pages.decoded(flat, tasks))

    def _count(self, now: float, changes: int, *, late: bool) -> None:
        """So many facts of a robot have changed; `late`: it knows of the last task."""
        self._recent.append((now, changes))
        while self._recent[0][0] <= now - self._beat_s:
            self._recent.popleft()
        self.changes[late] = max(self.changes[late], sum(count for _, count in self._recent))

    def _note(self, robot: str, now: float, report: Report) -> None:
        """What a robot makes known from now on."""
        self.reports[robot] = report
        last = self.stays[robot][-1:]
        if not last or last[0][1:] != (report.task, report.recruits):
            self.stays[robot].append((now, report.task, report.recruits))
        pairs = zip(self._records, report.records, strict=True)
        joined = tuple(old.joined(new) for old, new in pairs)
        self.adaptations += sum(
            new.required > old.required for old, new in zip(self._records, joined, strict=True)
        )
        self._records = joined
        if now > STARTED_S:
            values = [one.values for one in self.reports.values()]
            self.archived |= set(map(self.plan.id, allocation.archived(joined, values)))

    def look(self, now: float, team: Team) -> None:
        super().look(now, team)
        world = team.world
        self._robots = dict(team.robots)
        self.held = {name: world.held_at(name) for name in world.clusters.by_name}
        for name, (held, whole) in self.held.items():
            if held == whole:
                self.first.setdefault(name, now)
        holds = {robot: puck.rpartition("-")[0] for puck, robot in world.holders().items()}
        self.holds = {
            robot: self.holds[robot] if self.holds.get(robot, ("",))[0] == place else (place, now)
            for robot, place in holds.items()
        }
        for task in {report.task for report in self.reports.values() if report.recruits}:
            self.recruiting_s[self.plan.id(task)] += JUDGE_S
        if now >= self._path_at:
            self._path_at += PATH_S
            for name in team.names:
                if (pose := world.pose(name)) is not None:
                    self.paths[name].append((round(pose[0], 2), round(pose[1], 2)))

    # -- the row

    def columns(self, outcome: Outcome) -> RunRow:
        missing = [name for name, (held, whole) in sorted(self.held.items()) if held < whole]
        row: dict[str, Any] = {} if outcome.accomplished or not missing else {
            "held_up": " ".join(missing), "state": "; ".join(map(self.describe, missing)),
        }  # fmt: skip
        row |= {
            "adaptations": self.adaptations, "archived": " ".join(sorted(self.archived)),
            "recruiting_s": round(sum(self.recruiting_s.values()), 1), "frame_bytes": self.frame_bytes,
            "changes_before_t4": self.changes[False], "changes_with_t4": self.changes[True],
        }  # fmt: skip
        row |= {f"{name}_first_s": round(at, 1) for name, at in sorted(self.first.items())}
        if (by := self.completed_by(LAST)) and outcome.accomplished:
            row |= {"t4_by": by, "t4_recruited_s": round(self.recruiting_s[LAST], 1)}
        learned = self.suitabilities()
        verdicts = [verdict(learned[name], self.blind[name]) for name in sorted(learned)]
        row |= {f"colours_{word}": verdicts.count(word) for word in VERDICTS}
        row["required"] = " ".join(str(record.required) for record in self._records)
        each = {name: self._successes(name) for name in sorted(self._robots)}
        row["successes"] = "; ".join(f"{name} {' '.join(map(str, own))}" for name, own in each.items())
        return row

    def describe(self, task: str) -> str:
        """A task that is not performed, and what each robot makes of it, in words."""
        held, whole = self.held[task]
        number = next(k for k in range(1, len(self.plan.tasks) + 1) if self.plan.id(k) == task)
        words = [f"{task}: {held} of {whole} pucks held, {self._records[number - 1].required} required"]
        for name, report in sorted(self.reports.items()):
            if report.task == number:
                what = "recruits" if report.recruits else STATUS.get(report.status, "performs it")
                words.append(f"{name} {what}{' (cannot see it)' if self._misses(name, task) else ''}")
        away = [name for name, report in sorted(self.reports.items()) if not report.values[number - 1]]
        return ", ".join([*words, *([f"backed off: {' '.join(away)}"] if away else [])])

    def _misses(self, robot: str, task: str) -> bool:
        return any(one.task.arg("colour") in self.blind[robot] for one in self.plan.tasks if one.task.id == task)

    def completed_by(self, task: str) -> str:
        """The robot that joined last of those that hold the pucks of a place; '' where none does."""
        there = [(since, robot) for robot, (place, since) in self.holds.items() if place == task]
        return max(there, default=(0.0, ""))[1]

    def _successes(self, robot: str) -> tuple[int, ...]:
        """S of a robot, by basis task."""
        keeper = self._robots[robot].mind.keeper
        memory: Any = keeper.memory() if keeper is not None else {}
        return from_plain(State, memory["kept"]).success if memory else ()

    def suitabilities(self) -> dict[str, dict[str, float]]:
        """How far each robot trusts itself with each colour in the end: mu, equation (8)."""
        basis, epsilon = self.settings.basis, self.settings.epsilon
        found = {}
        for name in self._robots:
            own = dict(zip(basis, self._successes(name), strict=False))
            found[name] = {one: effectiveness(own.get(ABILITY.format(one), 0), epsilon) for one in COLOURS}
        return found

    def shown(self, outcome: Outcome) -> dict[str, Any]:
        """What the figures of a run show, as JSON."""
        world, names = self._content.world, [(task.task.id, task.place) for task in self.plan.tasks]
        return {
            "seed": outcome.seed, "duration_s": outcome.duration_s, "stays": self.stays, "paths": self.paths,
            "suitabilities": self.suitabilities(), "home": self.settings.home,
            "range_m": self._content.radio.range_m, "width_m": world["width_m"], "depth_m": world["depth_m"],
            "places": {name: [*place, world["clusters"][name]["colour"]] for name, place in names},
        }  # fmt: skip


def verdict(mu: Mapping[str, float], blind: tuple[str, ...]) -> str:
    """Whether the suitabilities of a robot show what it cannot see: known, wrong, or open where they are equal."""
    first, *others = (mu[one] for one in COLOURS)
    if all(math.isclose(first, other) for other in others):
        return "open"
    worst = reduce(lambda one, other: one if mu[one] <= mu[other] else other, COLOURS)
    return "known" if worst in blind else "wrong"
