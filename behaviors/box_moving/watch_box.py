"""Watch the box on its way to the goal and direct those that push it (paper 002, section VI-B.2).

The watcher keeps between the box and the goal, or beyond it, and sees both. From the angle between the face of the
box and the way to the goal it computes the pushing velocities of both ends, and asks for both pushes, the faster
first. The paper leaves the control law to its reference [35]; this one is ours (docs/faithfulness.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from behaviors import parts
from behaviors.parts import LIFTED, BehaviorSet, Drive, OnTask, Out, Part, Percept
from behaviors.steering import place_at, turn_to
from behaviors.whereabouts import wrap
from robotd.model.beliefs import Beliefs
from robotd.model.facts import Fact, as_sent
from robotd.model.senses import Pose, Sight
from robotd.model.tasks import Feedback, Task

SLOWEST_M_S = 0.01  # a slower push is none
SMOOTH = 0.1  # share of a new reading in a place: over ten of them the laser errs by a centimetre
SHARE = 0.2  # of a new reading in the place of the box, which moves by a tenth of a metre in a second
ALPHA, BETA = 0.3, 0.02  # shares of a new reading in the direction of the face, and in the rate at which it turns
LESS = 1.5  # times the tolerance where less of a turn is due: pushes that bring the box back last longer
SEARCH_RAD_S = 0.5  # it turns about until it sees box and goal
LOST_S = 3.0  # what is out of sight for longer is not where it was
LOOKAHEAD_M = 0.7
TOO_NEAR_M = 0.9  # the box may turn into a watcher that is nearer to its middle
IN_VIEW = math.radians(60.0)  # it turns no farther away from the box
BACKWARDS = 0.3  # cosine of the bearing of its place: below it drives backwards
NEAR_M = 0.15  # so near to its place the watcher turns to the box


@dataclass(frozen=True, slots=True)
class View:
    """The box and the goal in the frame of the robot: middle of the box and goal, m; where the face looks, rad."""

    box: tuple[float, float]
    goal: tuple[float, float]
    outward: float

    @property
    def way(self) -> tuple[float, float]:
        """From the middle of the box to the goal, m."""
        return self.goal[0] - self.box[0], self.goal[1] - self.box[1]

    @property
    def left_m(self) -> float:
        """How far the middle of the box is from the goal, m."""
        return math.hypot(*self.way)

    @property
    def error(self) -> float:
        """How far the box must turn, counter-clockwise, until its face looks to the goal, rad.

        A goal nearer than `LOOKAHEAD_M` counts as so far off: beside it no turn would bring the box there.
        """
        cos, sin = math.cos(self.outward), math.sin(self.outward)
        ahead, left = self.way[0] * cos + self.way[1] * sin, self.way[1] * cos - self.way[0] * sin
        return math.atan2(left, max(ahead, LOOKAHEAD_M)) if ahead > 0.0 else math.copysign(math.pi, left)


def find_face(i: Percept, depth_m: float) -> tuple[tuple[float, float], float] | None:
    """The middle of the box, m, and where the face that the laser sees looks, rad; None where it sees none."""
    faces = [s for s in i.senses.sights if s.kind == "face" and s.label == "box"]
    face = max(faces, key=lambda s: s.size or 0.0, default=None)
    if face is None or face.range is None or face.angle is None:
        return None
    outward = wrap(face.angle + math.pi)
    middle = (
        face.range * math.cos(face.bearing) - depth_m / 2 * math.cos(outward),
        face.range * math.sin(face.bearing) - depth_m / 2 * math.sin(outward),
    )
    return middle, outward


def ahead_and_left(at: Pose, x: float, y: float) -> tuple[float, float]:
    """How far ahead and to the left of a robot a place is, m."""
    dx, dy, cos, sin = x - at.x, y - at.y, math.cos(at.heading), math.sin(at.heading)
    return dx * cos + dy * sin, dy * cos - dx * sin


def in_odometry(at: Pose, ahead: float, left: float) -> tuple[float, float]:
    """The inverse of `ahead_and_left`: x and y in the frame of odometry."""
    cos, sin = math.cos(at.heading), math.sin(at.heading)
    return at.x + ahead * cos - left * sin, at.y + ahead * sin + left * cos


@dataclass(slots=True)
class Steadied:
    """Goal and middle of the box, m, where its face looks, rad, and its rate, rad/s, in the frame of odometry.

    The goal is remembered while it is out of sight, as the box hides its mark once it lies over it.
    """

    goal_known: bool = False
    x: float = 0.0
    y: float = 0.0
    box_x: float = 0.0
    box_y: float = 0.0
    outward: float = 0.0
    rate: float = 0.0
    faced_at: float = -LOST_S  # when the face was seen last, s

    def note_goal(self, at: Pose, mark: Sight) -> None:
        """Take in what the camera sees of the goal."""
        assert mark.range is not None
        (x, y), share = place_at(at, mark.bearing, mark.range), SMOOTH if self.goal_known else 1.0
        self.x += share * (x - self.x)
        self.y += share * (y - self.y)
        self.goal_known = True

    def note_face(self, now: float, at: Pose, middle: tuple[float, float], outward: float) -> None:
        """Take in where the laser sees the box, and by an alpha-beta filter where its face looks."""
        passed, outward = now - self.faced_at, wrap(outward + at.heading)
        (x, y), share = in_odometry(at, *middle), 1.0 if passed >= LOST_S else SHARE
        self.box_x += share * (x - self.box_x)
        self.box_y += share * (y - self.box_y)
        if passed >= LOST_S:
            self.outward, self.rate = outward, 0.0
        elif passed > 0.0:
            off = wrap(outward - self.outward - self.rate * passed)
            self.outward = wrap(outward - (1.0 - ALPHA) * off)
            self.rate += BETA * off / passed
        self.faced_at = now

    def view(self, at: Pose) -> View:
        """Box and goal from a robot."""
        box, goal = ahead_and_left(at, self.box_x, self.box_y), ahead_and_left(at, self.x, self.y)
        return View(box, goal, wrap(self.outward - at.heading))


@dataclass(slots=True)
class EndOfBox:
    """How far an end of the box has come ahead at most, m; where it was seen last, by odometry.

    Errors of the laser must not add up to progress, so that ways ahead and back are summed with their signs.
    """

    came_m: float = 0.0
    x: float = 0.0
    y: float = 0.0
    seen: bool = False
    ahead_m: float = 0.0
    smooth_m: float = 0.0

    def note(self, x: float, y: float, outward: float) -> None:
        """Add what the end has moved in the direction in which the face looks."""
        if self.seen:
            self.ahead_m += (x - self.x) * math.cos(outward) + (y - self.y) * math.sin(outward)
        self.smooth_m += SMOOTH * (self.ahead_m - self.smooth_m)
        self.came_m = max(self.came_m, self.smooth_m)
        self.x, self.y, self.seen = x, y, True


@dataclass(slots=True)
class Watched(OnTask):
    """The velocities asked for, m/s, the faster end, since when it sees nothing, both ends, if done."""

    left: float = -1.0
    right: float = -1.0
    first: str = "left"
    unseen_since: float = -1.0
    left_end: EndOfBox = field(default_factory=EndOfBox)
    right_end: EndOfBox = field(default_factory=EndOfBox)
    over: bool = False


class Watching(Part[Watched, "WatchBox"]):
    """Keeps in view of box and goal, and asks for the pushes."""

    name = "watching"
    initial = Watched

    def enter(self, now: float, task: Task | None) -> None:
        """Watch anew."""
        super().enter(now, task)
        self.state.unseen_since = now

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        """One tick: where to drive, and which pushes are wanted."""
        s, state, at = self.settings.settings, self.state, i.senses.odometry
        if state.over or i.senses.lifted:
            return None
        view = self.settings.look(i)
        if view is None or at is None:
            if i.now - state.unseen_since > LOST_S:
                return Out(drive=Drive(0.0, SEARCH_RAD_S))
            return Out(drive=Drive(0.0, 0.0), subtasks=self._pushes())
        state.unseen_since = i.now
        self._measure(view, at)
        if view.left_m <= s.near_m or abs(view.error) > math.pi / 2:
            state.over = True
            return Out(drive=Drive(0.0, 0.0), facts=(Fact(s.declares),) if s.declares else ())
        self._decide(view.error - s.lead_s * self.settings.memory.rate)
        return Out(drive=self._keep(view), facts=self.stated(beliefs), subtasks=self._pushes())

    def _decide(self, error: float) -> None:
        """New velocities where they are not about those asked for; at first, straight ahead is what was asked."""
        s, state = self.settings.settings, self.state
        new = velocities(error, s)
        asked = (state.left, state.right) if state.left >= 0.0 else (s.speed_m_s, s.speed_m_s)
        if are_alike(new, asked, s.tolerance * s.speed_m_s):
            state.left, state.right = asked
            return
        if abs(new[0] - new[1]) > SLOWEST_M_S:
            state.first = "left" if new[0] > new[1] else "right"
        state.left, state.right = new

    def stated(self, beliefs: Beliefs) -> tuple[Fact, ...]:
        """The velocities asked for as facts, for teams whose coordinator knows no subtasks; those that are new."""
        s, state = self.settings.settings, self.state
        shares = (max(v, 0.0) / s.speed_m_s for v in (state.left, state.right))
        wanted = [Fact(name, (share,)) for name, share in zip(s.states, shares, strict=False)]
        known = {name: beliefs.facts[name].value for name in s.states if name in beliefs.facts}
        kinds = {name: beliefs.table.fact(name) for name in s.states}
        return tuple(one for one in wanted if known.get(one.name) != as_sent(kinds[one.name], one.value))

    def _measure(self, view: View, at: Pose) -> None:
        """How far both ends have come, by the laser and the robot's own odometry."""
        half, face = self.settings.settings.box_length_m / 2, view.outward + at.heading
        for end, aside in ((self.state.left_end, 1.0), (self.state.right_end, -1.0)):
            x = view.box[0] - aside * half * math.sin(view.outward)
            y = view.box[1] + aside * half * math.cos(view.outward)
            end.note(*in_odometry(at, x, y), face)

    def _pushes(self) -> tuple[Task, ...]:
        """Both pushes, the faster first (paper 002, VI-B.2a, step 4); one of no velocity is not asked for."""
        state = self.state
        ends = {"left": (state.left, state.left_end), "right": (state.right, state.right_end)}
        order = (state.first, "left" if state.first == "right" else "right")
        return tuple(
            Task(
                "push-box",
                (("end", end), ("progress", f"{ends[end][1].came_m:.2f}"), ("speed", f"{ends[end][0]:.3f}")),
                f"{state.task}/{end}",
            )
            for end in order
            if ends[end][0] >= SLOWEST_M_S
        )

    def _keep(self, view: View) -> Drive:
        """To its place before the box on the way to the goal, backwards where it is behind; there face the box."""
        s = self.settings.settings
        far = max(view.left_m, 1e-3)
        x = view.box[0] + s.distance_m * view.way[0] / far
        y = view.box[1] + s.distance_m * view.way[1] / far
        boxward = math.atan2(view.box[1], view.box[0])
        if math.hypot(*view.box) < TOO_NEAR_M:
            return Drive(-s.fast, turn_to(boxward))
        if math.hypot(x, y) < NEAR_M or view.left_m < LOOKAHEAD_M:
            return Drive(0.0, turn_to(boxward))  # near the goal the way to it may look anywhere
        bearing = math.atan2(y, x)
        back = math.cos(bearing) < BACKWARDS
        error = wrap(bearing - math.pi) if back else bearing
        speed = min(s.fast, math.hypot(x, y)) * max(math.cos(error), 0.0) ** 2
        turn = min(max(error, boxward - IN_VIEW), boxward + IN_VIEW)  # the laser looks over a half circle
        return Drive(-speed if back else speed, turn_to(turn))


def velocities(error: float, s: WatchBox.Settings) -> tuple[float, float]:
    """Left and right pushing velocity, m/s, of an angular error, rad.

    The mean falls with the error, and their difference turns the box: v_mean = v (1 - |e| / e_max),
    v_right - v_left = k w e, each within 0 to v.
    """
    most, difference = s.speed_m_s, s.gain * s.push_width_m * error
    mean = most * (1.0 - min(abs(error) / math.radians(s.widest_deg), 1.0))
    left, right = mean - difference / 2, mean + difference / 2
    return min(max(left, 0.0), most), min(max(right, 0.0), most)


def are_alike(new: tuple[float, float], asked: tuple[float, float], least: float) -> bool:
    """Whether left and right velocities, m/s, turn the box about as those asked for, that is within `least`.

    They are not where an end is to stop. Pushes that bring the box back last longer: `LESS` times `least`.
    """
    if min(new) <= 0.0 and min(asked) >= SLOWEST_M_S:
        return False
    turns, turned = new[1] - new[0], asked[1] - asked[0]
    return abs(turns - turned) <= least * (LESS if abs(turns) < abs(turned) else 1.0)


class WatchBox(BehaviorSet[Steadied]):
    """The behavior set. It is done when it declares the box to be at the goal."""

    class Settings(parts.Settings):
        """Its table in the mission file."""

        goal: str = parts.setting("goal", "name of the mark at the goal")
        declares: str = parts.setting("", "fact asserted once the box is at the goal", names=parts.fact("flag"))
        states: tuple[str, ...] = parts.setting(
            (),
            "facts that state the shares of the greatest velocity asked for at the left and right end",
            names=parts.fact("scalar"),
            max_length=2,
        )
        box_length_m: float = parts.setting(1.8, "length of the box, m", gt=0.5, le=10)
        box_depth_m: float = parts.setting(0.3, "depth of the box, m", gt=0, le=5)
        distance_m: float = parts.setting(1.5, "so far from the box's middle it keeps, m", gt=0.3, le=5)
        near_m: float = parts.setting(0.2, "the box is at the goal when so near, m", gt=0, le=5)
        speed_m_s: float = parts.setting(0.1, "greatest pushing velocity, m/s", gt=0, le=1)
        push_width_m: float = parts.setting(1.6, "w: between both places of pushing, m", gt=0, le=10)
        gain: float = parts.setting(0.08, "k of the control law, 1/s", gt=0, le=10)
        widest_deg: float = parts.setting(60.0, "e_max of the control law, degrees", gt=0, le=180)
        tolerance: float = parts.setting(
            0.35, "share of the greatest by which the difference of new velocities is another one", gt=0, le=2
        )
        lead_s: float = parts.setting(
            1.5,
            "so far ahead it judges the angle of the box, as pushes last until contracts run out, s",
            ge=0,
            le=60,
        )
        fast: float = parts.setting(0.7, "share of the body's greatest speed", gt=0, le=1)

    needs = ("mobile", "laser", "camera", "odometry")

    def __init__(self, settings: Settings) -> None:
        super().__init__(Steadied())
        self.settings = settings
        self._watching = Watching(self)
        self.behaviors = (self._watching,)

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        """Applicable while it is on the floor; it looks at goal and box before it is asked to watch them."""
        self._steady(i)
        return Feedback(applicable=not i.senses.lifted, done=self._watching.state.over, why=LIFTED)

    def _steady(self, i: Percept) -> None:
        """Take in what it sees of the goal and of the face of the box."""
        at = i.senses.odometry
        if at is None or i.senses.lifted:
            self.memory = Steadied()
            return
        mark = next((s for s in i.senses.sights if s.kind == "mark" and s.label == self.settings.goal), None)
        if mark is not None and mark.range is not None:
            self.memory.note_goal(at, mark)
        face = find_face(i, self.settings.box_depth_m)
        if face is not None:
            self.memory.note_face(i.now, at, *face)

    def look(self, i: Percept) -> View | None:
        """What it sees of the box, and sees or remembers of the goal; None where it lacks one of both."""
        face, at = find_face(i, self.settings.box_depth_m), i.senses.odometry
        if face is None or at is None or not self.memory.goal_known:
            return None
        return self.memory.view(at)
