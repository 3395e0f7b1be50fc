"""A room of robots and things, stepped when it is asked: the order of asking changes nothing."""

import math
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import pymunk

from boards.mock import anatomy as r2
from boards.mock.anatomy import HULLS
from boards.mock.areas import Areas
from boards.mock.bodies import RobotBody
from boards.mock.clusters import Clusters, reach_of
from boards.mock.objects import HEAVY, OBJECTS, ROBOT, WALL, Box, ObjectTruth, Puck, build_walls, coloured, place
from boards.mock.rays import Scene, cast, object_reach, scene
from boards.mock.settings import BodySpec, WorldSettings
from robotd.model.command import Command
from robotd.model.streams import draw

BUSY_M, BUSY_RAD = 0.4, 0.5  # so near to its place at the box, and facing it so well, a robot is about to push
BETWEEN = 0.1  # m between waiting robots, which can turn on the spot
FROM_WALL = 0.25  # m from the wall to a waiting robot's circle
SURFACE = 0.01  # m: what is on a wall is not behind it
KEPT_S = 62.0  # places are kept for as long as the fate of a frame may be asked for, and its airtime
OVERLAP = 0.002  # m by which bodies in contact may lie in each other; pymunk's own is made for pixels
TUNES = 1000  # the last ones played are kept: a board mock may run for months
ROUNDING = 1e-6  # of a step: n * period in floating point may lie just below the step that it means


class World:
    """The room at whole steps: `count` of them are done since `start` (loop clock, s; None: the first asking)."""

    def __init__(
        self, settings: WorldSettings, bodies: Sequence[BodySpec], seed: int, start: float | None = 0.0
    ) -> None:
        self.settings, self.seed, self.start, self.count = settings, seed, start, 0
        self.tunes: list[tuple[float, str, int]] = []  # when, which robot, which tune
        self.dt = 1.0 / settings.steps_per_s
        self._advanced_to = -math.inf  # loop clock, s
        self._space: Any = pymunk.Space()
        self._space.collision_slop = OVERLAP
        self._walls()
        self.walls = build_walls(settings.walls, settings.wall_m, self._space)
        self.clusters = Clusters(settings.clusters, seed, self._space)
        self.loose = [*self._spill(), *coloured(settings, self._space)]  # all but those of clusters
        self.pucks = [*self.loose, *self.clusters.pucks]
        self.box = Box(settings.box, self._space) if settings.box is not None else None
        self._radius = max((HULLS[spec.hull].radius for spec in bodies if not spec.fixed), default=r2.RADIUS)
        self.robots = self._line_up(bodies)
        self._order = list(self.robots.values())
        self.clusters.step(self._order)
        self._powered = [robot for robot in self._order if robot.battery is not None]
        self._places: deque[dict[str, tuple[float, float]]] | None = None
        self.areas = Areas(settings, seed) if settings.areas else None

    def _walls(self) -> None:
        width, depth, half = self.settings.width_m, self.settings.depth_m, self.settings.wall_m / 2
        corners = [(-half, -half), (width + half, -half), (width + half, depth + half), (-half, depth + half)]
        for one, other in zip(corners, corners[1:] + corners[:1], strict=True):
            wall = pymunk.Segment(self._space.static_body, one, other, half)
            wall.friction, wall.filter = 0.3, pymunk.ShapeFilter(categories=WALL)
            self._space.add(wall)

    def _spill(self) -> list[Puck]:
        pucks = []
        for spill in sorted(self.settings.spills, key=lambda spill: spill.name):
            for k, at in enumerate(place(spill, self.settings, self.seed)):
                pucks.append(Puck(f"{spill.name}-{k + 1}", spill.name, at, self._space))
        return pucks

    def _line_up(self, bodies: Sequence[BodySpec]) -> dict[str, RobotBody]:
        by_number = sorted(bodies, key=lambda spec: (spec.number, spec.name))
        if len({spec.name for spec in bodies}) != len(bodies):
            raise ValueError("two robots of the world have the same name")
        given = ((spec.name, spec.x_m, spec.y_m) for spec in bodies)
        spots = {name: (x, y) for name, x, y in given if x is not None and y is not None}
        waiting = [spec.name for spec in by_number if spec.name not in spots]
        if self.settings.entrance.drawn:
            waiting.sort(key=lambda name: draw(self.seed, name, "waiting place", 0))
        spots.update(zip(waiting, map(self._put_near, waiting, self.waiting_places(len(waiting))), strict=True))
        _check_places(self.settings, spots)
        taken: set[str] = set()
        for spec in by_number:  # the first of each end is put there
            if self.box is not None and spec.end is not None and spec.end not in taken:
                taken.add(spec.end)
                spots[spec.name] = self.box.place_at(spec.end, HULLS[spec.hull].front)
        specs = sorted(bodies, key=lambda spec: spec.name)
        return {spec.name: RobotBody(spec, k, self._space, spots[spec.name]) for k, spec in enumerate(specs)}

    def _put_near(self, name: str, place: tuple[float, float]) -> tuple[float, float]:
        """A waiting place as robot `name` is really put there."""
        spread = self.settings.entrance.spread_m
        if not spread:
            return place
        dx, dy = (spread * (2 * draw(self.seed, name, "waiting place", axis) - 1) for axis in (1, 2))
        return place[0] + dx, place[1] + dy

    def waiting_places(self, robots: int) -> list[tuple[float, float]]:
        """Places side by side at the entrance, in rows where the room is too narrow for one."""
        x, y = self.settings.entrance_xy
        apart, off = 2 * self._radius + BETWEEN, self._radius + FROM_WALL
        per_row = max(1, min(robots, int((self.settings.width_m - 2 * off) / apart) + 1))
        half = (per_row - 1) / 2 * apart
        middle = min(max(x, off + half), self.settings.width_m - off - half)
        first = max(y, off)
        return [(middle - half + k % per_row * apart, first + k // per_row * apart) for k in range(robots)]

    # Time

    @property
    def now(self) -> float:
        """The instant of the last whole step, s."""
        return (self.start or 0.0) + self.count * self.dt

    def steps_to(self, now: float) -> int:
        """The number of whole steps that are over at `now`."""
        if self.start is None:
            self.start = now
        return int((now - self.start) * self.settings.steps_per_s + ROUNDING)

    def advance(self, now: float) -> None:
        """Step to the last whole step at or before `now`; never back."""
        if now == self._advanced_to:
            return
        self._advanced_to = now
        last, dt, space = self.steps_to(now), self.dt, self._space
        while self.count < last:
            self.count += 1
            for robot in self._powered:
                robot.draw_power(self.settings.chargers, self.settings.steps_per_s)
            for robot in self._order:
                robot.step(self.count, dt)
            if self.areas is not None:
                self.areas.step(self._order, self.count)
            space.step(dt)
            if self.clusters.by_name:
                self.clusters.step(self._order)
            if self._places is not None:
                self._places.append(self._now_at())

    def keep_places(self) -> None:
        """From now on keep where robots were, for `was_at`."""
        if self._places is None:
            self._places = deque([self._now_at()], round(KEPT_S * self.settings.steps_per_s))

    def _now_at(self) -> dict[str, tuple[float, float]]:
        return {robot.spec.name: tuple(robot.body.position) for robot in self._order if robot.present}

    def was_at(self, name: str, time: float) -> tuple[float, float] | None:
        """Where a robot was at `time` (s), at most a minute ago; None while it was out of the room. It does not
        depend on the order of calls. Wants `keep_places` before; earlier ones read as the first kept."""
        self.advance(time)
        if self._places is None:
            raise ValueError("the world keeps no places: call keep_places first")
        back = max(self.count - self.steps_to(time), 0)
        return self._places[-min(1 + back, len(self._places))].get(name)

    # Commands and readings of a board

    def command(self, name: str, now: float, command: Command) -> None:
        """Wheels and gripper as commanded from the next step on; the wheels stop `expiry_s` after `now`."""
        self.advance(now)
        robot = self.robots[name]
        drive, grip = robot.drive, robot.gripper
        drive.left, drive.right, drive.tool = command.left, command.right, command.tool or ""
        drive.until = self.steps_to(now + command.expiry_s) + 1
        if "gripper" not in robot.faults:
            grip.aim(command.opening, command.lift)

    def top_speed(self, name: str) -> float:
        """Of one wheel of this robot, m/s."""
        return self.settings.max_speed_m_s * self.robots[name].spec.speed

    def scene(self, name: str) -> Scene | None:
        """What the infrared rays of a robot can meet now; None while it is out of the room."""
        me = self.robots[name]
        if not me.present:
            return None
        at = me.pose()
        others = [(o.pose(), o.hull) for o in self._order if o is not me and o.present and o.solid]
        low = self._space.point_query_nearest(at[:2], object_reach(me.hull), OBJECTS) is not None
        objects = [puck.body.position for puck in self.pucks if not puck.holder] if low else ()
        box = (self.box.pose(), self.box.halves) if self.box is not None else None
        return scene(at, me.hull, others, objects, self.walls, box)

    def in_sight(
        self, robot: RobotBody, place: tuple[float, float], of: object = None, *, above: bool = False
    ) -> bool:
        """Whether no wall, box or robot lies between a robot's axle and a place; `of`: the body that is there.
        `above`: it is seen above robots and the box."""
        if above and not self.walls:
            return True
        x, y, _ = robot.pose()
        short = 1.0 - min(1.0, SURFACE / max(math.dist((x, y), place), SURFACE))
        place = x + short * (place[0] - x), y + short * (place[1] - y)
        mask = pymunk.ShapeFilter(group=robot.filter.group, mask=WALL if above else WALL | HEAVY | ROBOT)
        hits = self._space.segment_query((x, y), place, 0, mask)
        return all(hit.shape.body is of for hit in hits)

    def holders(self) -> Mapping[str, str]:
        """By name of each puck of a cluster that is held now, a robot that holds it."""
        return self.clusters.holders

    def held_at(self, cluster: str) -> tuple[int, int]:
        """How many of a cluster's pucks are held now, and how many it has."""
        return self.clusters.held(cluster)

    def rays(self, scene: Scene) -> tuple[float, ...]:
        """What the infrared sensors would measure there without error, m from the hull."""
        return cast(scene, self.settings.width_m, self.settings.depth_m)

    def play(self, name: str, now: float, tune: int) -> None:
        """A tune from a robot's buzzer, for the record."""
        self.tunes.append((now, name, tune))
        del self.tunes[:-TUNES]

    def free_place(self, robot: RobotBody) -> tuple[float, float]:
        """A waiting place that is free: its own first, then the others, then rows behind."""
        others = [o.body.position for o in self._order if o.present and o.solid and o is not robot]
        spots = [robot.start, *self.waiting_places(4 * len(self._order))]
        free = (s for s in spots if all(math.dist(s, (o.x, o.y)) > 2 * self._radius for o in others))
        return next(free, robot.start)

    def place_for(self, robot: RobotBody) -> tuple[tuple[float, float], float]:
        """Where people put a robot that was lifted out, and its heading: its end of the box, or the entrance."""
        if self.box is not None and robot.spec.end is not None:
            return self.box.place_at(robot.spec.end, robot.hull.front), self.box.pose()[2] + math.pi / 2
        return (robot.start if not robot.solid else self.free_place(robot)), math.pi / 2

    def box_came_m(self, now: float) -> float:
        """How far the box has come towards its goal, m; 0 without a box."""
        self.advance(now)
        return self.box.came_m() if self.box is not None else 0.0

    def may_return(self, name: str, now: float) -> bool:
        """Whether people put a robot back now: to its end of the box while the others are busy at the other."""
        self.advance(now)
        robot = self.robots[name]
        if self.box is None or robot.spec.end is None or robot.present:
            return True
        place = self.box.place_at("right" if robot.spec.end == "left" else "left", robot.hull.front)
        return all(self._is_busy(other, place) for other in self._order if other.present and other.solid)

    def _is_busy(self, robot: RobotBody, place: tuple[float, float]) -> bool:
        """Whether a robot pushes at its place at the box, or is about to: it neither backs off nor turns."""
        assert self.box is not None
        x, y, heading = robot.pose()
        off = math.remainder(heading - self.box.pose()[2] - math.pi / 2, 2 * math.pi)
        return math.dist((x, y), place) < BUSY_M and abs(off) < BUSY_RAD and min(robot.driven()) >= 0.0

    # The truth, for judges and figures

    def objects(self) -> tuple[ObjectTruth, ...]:
        """All pucks, where they are and which robot holds each."""
        return tuple(ObjectTruth(p.name, p.spill, *self._place(p), p.holder, p.colour) for p in self.pucks)

    def _place(self, puck: Puck) -> tuple[float, float]:
        if puck.holder:
            return self.robots[puck.holder].to_room(r2.HELD_AT, 0)
        return puck.body.position.x, puck.body.position.y

    def pose(self, name: str) -> tuple[float, float, float] | None:
        """A robot's x, y (m) and heading (rad); None while it is out of the room."""
        robot = self.robots[name]
        return robot.pose() if robot.present else None

    def wheel_speeds(self, name: str) -> tuple[float, float]:
        """How fast a robot's wheels turn, m/s."""
        return self.robots[name].wheel_speeds()

    def held(self, name: str) -> str:
        """The object in a robot's gripper; '' for none."""
        puck = self.robots[name].gripper.held
        return puck.name if puck is not None else ""

    def total(self, spill: str) -> int:
        """How many objects a spill has."""
        return sum(puck.spill == spill for puck in self.pucks)

    def delivered(self, spill: str) -> int:
        """How many of a spill's objects lie within the goal's radius, let go."""
        goal, radius = self.settings.goal_xy, self.settings.goal.radius_m
        free = [puck.body for puck in self.pucks if puck.spill == spill and not puck.holder]
        return sum([math.dist(body.position, goal) <= radius for body in free])


# What a mission can ask of its world, and how much of it is brought about.


def _delivered(world: World) -> tuple[int, int]:
    spills = [spill.name for spill in world.settings.spills]
    return sum(world.delivered(spill) for spill in spills), sum(world.total(spill) for spill in spills)


def _finished(world: World) -> tuple[int, int]:
    """Robots past the finish, of those that are in the room; of all that there are where none is."""
    line = world.settings.finish.y_m
    if line is None:
        return 0, 0
    driven = [robot for robot in world.robots.values() if robot.solid]
    here = [robot.pose()[1] for robot in driven if robot.present]
    return sum(y >= line for y in here), len(here) or len(driven)


def _touched(world: World) -> tuple[int, int]:
    at = [(r.pose()[:2], reach_of(r)) for r in world.robots.values() if r.solid and r.present]
    pucks = [puck.body.position for puck in world.pucks if puck.colour]
    return sum(any(math.dist(xy, puck) <= reach for xy, reach in at) for puck in pucks), len(pucks)


AIMS: Mapping[str, Callable[[World], tuple[int, int]]] = {
    "delivered": _delivered,  # objects of spills, let go at the goal
    "clean": lambda world: world.areas.progress() if world.areas is not None else (0, 0),  # areas
    "box": lambda world: world.box.progress() if world.box is not None else (0, 0),  # centimetres of the box's way
    "finish": _finished,  # robots past the line
    "touched": _touched,  # coloured pucks
    "held": lambda world: (len(world.holders()), len(world.clusters.pucks)),  # pucks of clusters
}
USUAL = ("delivered", "clean", "box", "finish")  # without a word of the mission: coloured pucks may be landmarks


def progress(world: World, aims: Collection[str] | None = None) -> tuple[int, int]:
    """How much of how much of `aims` is brought about; None: of the usual ones that the world has."""
    counts = [AIMS[aim](world) for aim in (USUAL if aims is None else aims)]
    return sum(done for done, _ in counts), sum(total for _, total in counts)


def _check_places(settings: WorldSettings, spots: Mapping[str, tuple[float, float]]) -> None:
    """ValueError for a robot that starts out of the room, and for a mark on a robot that is not there."""
    for name, (x, y) in sorted(spots.items()):
        if not (0 <= x <= settings.width_m and 0 <= y <= settings.depth_m):
            raise ValueError(f"robot {name} starts at ({x:g}, {y:g}), outside the room")
    for mark in settings.marks:
        if mark.robot and mark.robot not in spots:
            raise ValueError(f"mark {mark.name} is on no robot of the team; robots: {', '.join(sorted(spots))}")
