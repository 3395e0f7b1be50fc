"""Report progress: go to the entrance of the room and play a tune (paper 000, section IV-B and figure 8)."""

from dataclasses import dataclass, field

from behaviors import parts
from behaviors.parts import Drive, Out, Part, Percept, SingleSet
from behaviors.steering import Trip, distance_to, head_for, nearness
from robotd.model.beliefs import Beliefs
from robotd.model.facts import Fact
from robotd.model.senses import Pose
from robotd.model.tasks import Feedback, Task

SOON_S = 0.4  # a command to the buzzer is repeated for so long: one tick's may be lost on the way


@dataclass(slots=True)
class Report:
    """The way there, since when it plays (-1: not yet), and whether it is over."""

    trip: Trip = field(default_factory=Trip)
    begun_at: float = -1.0
    playing_since: float = -1.0
    reported: bool = False


class GoAndPlay(Part[Report, "ReportProgress.Settings"]):
    """Goes to the entrance, stops, plays, and counts the report."""

    name = "go-and-play"
    initial = Report

    def enter(self, now: float, task: Task | None) -> None:
        self.state = Report(begun_at=now)

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        report, s, pose = self.state, self.settings, i.pose
        if pose is None or i.senses.lifted:
            report.playing_since = -1.0
            return None
        if report.reported:
            return None
        if report.playing_since < 0.0:
            if not self._there(i.now, pose):
                return Out(drive=head_for(report.trip, i, s.entrance_x_m, s.entrance_y_m, s.speed, beliefs.me))
            report.playing_since = i.now
        played = i.now - report.playing_since
        if played < s.tune_s:
            return Out(drive=Drive(0.0, 0.0), sound=s.tune if played < SOON_S else None)
        report.reported = True
        return Out(facts=(Fact("reports", (float(beliefs.count("reports") + 1),)),))

    def _there(self, now: float, pose: Pose) -> bool:
        """At the entrance; nearly, if others have stood in the way for `patience_s`."""
        s, trip = self.settings, self.state.trip
        far = distance_to(pose, s.entrance_x_m, s.entrance_y_m)
        waited = now - trip.best_at if trip.best < s.nearly_m else 0.0
        return far < s.near_m or (far < s.nearly_m and waited > s.patience_s)


class ReportProgress(SingleSet[GoAndPlay]):
    """The behavior set; always applicable: its motivation says when a report is due."""

    behavior = GoAndPlay

    class Settings(parts.Settings):
        entrance_x_m: float = parts.setting(3.0, "x of the place to report from, m")
        entrance_y_m: float = parts.setting(0.45, "y of the place to report from, m")
        near_m: float = parts.setting(0.5, "so near to it is there, m", gt=0, le=5)
        nearly_m: float = parts.setting(1.1, "so near is good enough where others block it, m", gt=0, le=5)
        patience_s: float = parts.setting(4.0, "time without coming nearer that means blocked, s", ge=0, le=60)
        tune: int = parts.setting(1, "number of the tune", ge=0, le=255)
        tune_s: float = parts.setting(15.0, "how long it stops there and plays, s", ge=0.5, le=120)
        speed: float = parts.setting(0.6, "share of the body's greatest speed", gt=0, le=1)

    needs = ("mobile", "positioning", "sound")

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        s = self.one.settings
        report, fitness = self.one.state, nearness(i.pose, s.entrance_x_m, s.entrance_y_m)
        progress = 0.5 if report.playing_since >= 0.0 else 0.0
        return Feedback(applicable=True, done=report.reported, progress=progress, fitness=fitness)
