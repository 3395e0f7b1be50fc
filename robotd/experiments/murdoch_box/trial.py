"""One trial: what fails and when, and what is observed until the watcher declares the end (paper 002, VI-B.2b)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from robotd.experiments.measure import Measure
from robotd.experiments.rows import RunRow
from robotd.model.choice import Decision
from robotd.model.inputs import Inputs
from robotd.model.statements import Sent
from robotd.sim.activity_trace import Outcome
from robotd.sim.team import Team

WATCHER, PUSHERS = "lookout", ("east", "west")
DECLARED = "box-at-goal"
SETS = ("set 1", "set 2", "set 3", "set 4", "set 5")
STRAIGHT, OFF, STUCK, RETURNS, CURVE = SETS
WHAT = {
    STRAIGHT: "no failure, straight ahead", OFF: "one pusher seized and switched off",
    STUCK: "one pusher stuck, and in touch", RETURNS: "one pusher off, and back", CURVE: "goal 35 degrees aside",
}  # fmt: skip
FAILS_M, EARLY_M, BACK_M = 1.2, 0.6, 1.8  # of the box's way
STRAIGHT_M = 3.0  # the way to the goal of sets 1 to 4
ASIDE_M, AHEAD_M = 1.58, 2.25  # of set 5: 2.75 m away, 35 degrees off the axis
NEAR_M, OVER_ROTATED_DEG = 0.5, 70.0
STEP_M = 0.05  # the box's path is noted in such steps
MOVES_M = 0.005  # in half a second: less is no movement
NEVER = ""
ROTATION, TOO_FAR, TIME = "rotation", "declared too far", "time"
COLUMNS = (
    "cause", "time_s", "left_m", "turned_deg", "changes", "change_s", "push_deg", "exclusion_s",
    "healthy_excluded", "switched", "side", "failed", "path",
)  # fmt: skip
"""Each is defined in docs/murdoch.md."""


def failing(seed: int) -> str:
    """The pusher that fails: the other one with the next seed."""
    return PUSHERS[seed % 2]


def events_of(which: str, seed: int) -> list[str]:
    """What happens in a trial of a set.

    A stuck pusher turns no wheel whatever it commands, and does not know it: the paper's robot without motor power
    "claimed to be fit". The event `motors-dead` would make a robot report that it lacks its motors.
    """
    pusher = failing(seed)
    off, on = (f"seize {pusher}", f"radio {pusher} off"), (f"release {pusher}", f"radio {pusher} on")
    instants: Mapping[str, Sequence[tuple[float, Sequence[str]]]] = {
        OFF: [(FAILS_M, off)], STUCK: [(FAILS_M, [f"slow {pusher} 0"])], RETURNS: [(EARLY_M, off), (BACK_M, on)],
    }  # fmt: skip
    return [f"box:{at:g} {what}" for at, list_ in instants.get(which, ()) for what in list_]


def goal_of(which: str, seed: int, box: tuple[float, float]) -> tuple[float, float]:
    """Where the box is to come from place `box`, m: straight ahead, or aside, right or left by the seed."""
    if which != CURVE:
        return box[0], box[1] + STRAIGHT_M
    return box[0] + (ASIDE_M if seed % 2 else -ASIDE_M), box[1] + AHEAD_M


@dataclass(frozen=True, slots=True)
class Push:
    """A robot's work at one end: by which set, from when to when, s, and the box's angle at its end, degrees."""

    robot: str
    set: str
    start: float
    end: float
    angle: float


class Trial(Measure):
    """Observes one trial."""

    def __init__(self, which: str, seed: int) -> None:
        super().__init__()
        self.which, self.failed = which, failing(seed) if which in (OFF, STUCK, RETURNS) else ""
        self.pushes: list[Push] = []
        self.moved: list[tuple[float, float]] = []  # when the box moved, s, and how far it had come, m
        self.path: list[tuple[float, float]] = []
        self.excluded: dict[str, float] = {}
        self.introduced = self.declared = self.failed_at = self.back_at = math.nan
        self.turned = self.angle = 0.0
        self.left_m = math.nan
        self._box_at = (math.nan, math.nan)

    def tick(self, robot: str, i: Inputs, sent: tuple[Sent, ...], decision: Decision) -> None:
        super().tick(robot, i, sent, decision)
        now = self.elapsed(i.now)
        if robot == WATCHER and any(fact.name == DECLARED for fact in decision.acted.facts):
            self.declared = now if math.isnan(self.declared) else self.declared
        if decision.choice is None:
            return
        if robot in PUSHERS:
            self._note_push(robot, decision.choice.run[-1].set if decision.choice.run else "", now)
        for event in decision.choice.events:
            if event.kind in ("introduced", "activated") and math.isnan(self.introduced):
                self.introduced = now  # ALLIANCE introduces no task: the first to become active begins
            elif robot == WATCHER and event.kind == "excluded":
                self.excluded.setdefault(event.data["robot"], now)

    def _note_push(self, robot: str, doing: str, now: float) -> None:
        last = next((k for k in reversed(range(len(self.pushes))) if self.pushes[k].robot == robot), None)
        if doing and (last is None or self.pushes[last].set != doing):
            self.pushes.append(Push(robot, doing, now, now, self.angle))
        elif doing and last is not None:
            self.pushes[last] = Push(robot, doing, self.pushes[last].start, now, self.angle)

    def look(self, now: float, team: Team) -> None:
        super().look(now, team)
        box = team.world.box
        assert box is not None
        x, y, angle = box.pose()
        self.angle = math.degrees(angle)
        self.turned = max(self.turned, abs(self.angle))
        came = box.came_m()
        if not math.dist(self._box_at, (x, y)) < MOVES_M:
            self.moved.append((now, came))
        self._box_at = x, y
        if not self.path or math.dist(self.path[-1], self._box_at) >= STEP_M:
            self.path.append(self._box_at)
        if math.isnan(self.failed_at) and came >= (EARLY_M if self.which == RETURNS else FAILS_M):
            self.failed_at = now
        if math.isnan(self.back_at) and came >= BACK_M:
            self.back_at = now
        if math.isnan(self.declared) or math.isnan(self.left_m):
            goal = box.settings.goal_x_m
            self.left_m = math.dist(
                self._box_at, (box.settings.x_m if goal is None else goal, box.settings.goal_y_m)
            )

    # -- the row

    @property
    def cause(self) -> str:
        """Why it is a failure, '' for a success."""
        if self.turned > OVER_ROTATED_DEG:
            return ROTATION
        if math.isnan(self.declared):
            return TIME
        return TOO_FAR if self.left_m > NEAR_M else NEVER

    def columns(self, outcome: Outcome) -> RunRow:
        cause = self.cause
        row: dict[str, Any] = {"accomplished": not cause, "cause": cause or "none"}
        if not cause:
            row["time_s"] = round(self.declared - self.introduced, 2)
        row |= {"left_m": round(self.left_m, 3), "turned_deg": round(self.turned, 1), **self._changes()}
        if self.which == STUCK and self.failed in self.excluded:
            row["exclusion_s"] = round(self.excluded[self.failed] - self.failed_at, 1)
        stuck = {self.failed} if self.which == STUCK else set()
        row["healthy_excluded"] = len(set(self.excluded) - stuck)
        if self.which == RETURNS and (ends := self._ends_after()) is not None:
            row["switched"] = ends
        if self.which == CURVE:
            row["side"] = "right" if self.path and self.path[-1][0] > self.path[0][0] else "left"
        if self.failed:
            row["failed"] = self.failed
        return {**row, "path": "; ".join(f"{x:.2f} {y:.2f}" for x, y in self.path)}

    def _changes(self) -> dict[str, float]:
        """How often a robot changed ends, seconds until the box moves again, degrees from change to change."""
        found, pauses, turns = 0, [], []
        for pusher in PUSHERS:
            own = [push for push in self.pushes if push.robot == pusher]
            for one, other in pairwise(own):
                found += 1
                moved = [at for at, _ in self.moved if at > other.start]
                if moved:
                    pauses.append(moved[0] - one.end)
            turns += [abs(other.angle - one.angle) for one, other in pairwise(own)]
        row: dict[str, float] = {"changes": found}
        if pauses:
            row["change_s"] = round(math.fsum(pauses) / len(pauses), 2)
        if turns:
            row["push_deg"] = round(math.fsum(turns) / len(turns), 1)
        return row

    def _ends_after(self) -> bool | None:
        """Whether the pushers work at other ends together than before the failure; None where they never do."""
        before = {push.robot: push.set for push in reversed(self.pushes) if push.start < self.failed_at}
        late = [push for push in self.pushes if push.end > self.back_at]
        mine = next((push.set for push in reversed(late) if push.robot == self.failed), None)
        return None if mine is None else mine != before.get(self.failed)
