"""What a body with a camera, a laser or a dirt sensor makes out of the room: its sights.

| sensor | kind | label | size | range | angle |
|---|---|---|---|---|---|
| camera | `puck` | its colour | of a cluster: 1 held, 0 not; else - | to its middle, m | - |
| camera | `mark`, `charger` | its name | - | m | - |
| camera | `mark` of a known size | its name | width in the picture, rad | - | - |
| camera | `box` | - | width of what is in the picture, rad | - | - |
| laser | `face` | `box` | its length, m | to its middle, m | 0 square to the robot, counter-clockwise, rad |
| dirt sensor | the area's kind | its name | share of its work that is left | to its edge, m; 0 inside | - |
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

from boards.mock import anatomy as r2
from boards.mock.areas import Area
from boards.mock.noise import four_normals
from boards.mock.world import World
from robotd.model.senses import Sight
from robotd.model.streams import draw

RATE = 5  # Hz: what colour segmentation takes on a small computer
BEARING_NOISE, RANGE_NOISE = 0.01, 0.05  # one sigma: rad; share of a range that is read off the floor
GROSS_BEARING, GROSS_MISS = 0.3, 1.3  # of a noisy camera: rad; sigmas beyond which it misses a thing (one of ten)
STEPS = 100  # in a metre or radian

Place = tuple[float, float]


class Eye:
    """What camera and laser of robot `name` share: a reading per period, made when it is first asked for. Its
    errors depend on the period and the thing alone. Wants the world stepped to now before."""

    part = ""

    def __init__(self, world: World, name: str) -> None:
        self.world, self.name, self.robot = world, name, world.robots[name]
        self._per = world.settings.steps_per_s // RATE
        self._due: tuple[int, int] | None = None
        self._sights: tuple[Sight, ...] = ()

    def sights(self, *, trusted: bool) -> tuple[Sight, ...]:
        """What is seen, nearest kinds first; the same object until it changes; () where it is not `trusted`."""
        if not trusted or not self.robot.present:
            return ()
        due = (self.world.count // self._per, self.robot.changes)
        if due != self._due:
            self._due = due
            if self.robot.faults.get(self.part) != "frozen":
                self._sights = tuple(self.look(due[0]))
        return self._sights

    def look(self, tick: int) -> Iterator[Sight]:
        """The sights of period `tick`."""
        raise NotImplementedError

    def noise(self, thing: str, tick: int) -> tuple[float, float, float, float]:
        """Four standard normals for a thing in period `tick`."""
        return four_normals(self.world.seed, self.name, f"{self.part} {thing}", tick)

    def to(self, place: Place) -> tuple[float, float]:
        """Bearing (rad) and distance (m) of a place."""
        x, y, heading = self.robot.pose()
        aside = math.atan2(place[1] - y, place[0] - x) - heading
        return math.remainder(aside, 2 * math.pi), math.dist((x, y), place)


class Thing(NamedTuple):
    """What a camera may make out, and the body that it is on.

    `lit`: the size of its sight; `width_m`: its sight has the apparent size in place of the range; `above`: it is
    seen above robots and the box.
    """

    kind: str
    name: str
    label: str
    place: Place
    body: object = None
    lit: float | None = None
    width_m: float | None = None
    above: bool = False


class Camera(Eye):
    """Sees pucks, marks, chargers and the box in its picture, where nothing hides them."""

    part = "camera"

    def __init__(self, world: World, name: str) -> None:
        super().__init__(world, name)
        settings = self.robot.spec.camera
        if settings is None:
            raise ValueError(f"{name} has no camera")
        self._half, self._reach = math.radians(settings.fov_deg) / 2, settings.reach_m
        self._misses = settings.misses

    def look(self, tick: int) -> Iterator[Sight]:
        """See `Eye.look`: the box, then what is loose, marks and chargers, then clusters."""
        if self.world.box is not None:
            yield from self._box(tick)
        for thing in (*self._things(), *self._clusters()):
            yield from self._sight(tick, thing)

    def _sight(self, tick: int, thing: Thing) -> Iterator[Sight]:
        """The thing, where it is in the picture."""
        bearing, far = self.to(thing.place)
        if abs(bearing) > self._half or far > self._reach:
            return
        if not self.world.in_sight(self.robot, thing.place, thing.body, above=thing.above):
            return
        named = f"{thing.kind} {thing.name}"
        if self._misses and draw(self.world.seed, self.name, f"misses {named}", tick // RATE) < self._misses:
            return
        one, two, gross, miss = self.noise(named, tick)
        if self.robot.faults.get("camera") == "noisy":
            if miss > GROSS_MISS:
                return
            bearing += GROSS_BEARING * gross
        bearing, far, width = _step(bearing + BEARING_NOISE * one), far * (1 + RANGE_NOISE * two), thing.width_m
        if width is None:
            yield Sight(thing.kind, bearing, thing.lit, _step(far), thing.label)
        else:
            yield Sight(thing.kind, bearing, _step(width / max(far, width), MILLI), None, thing.label)

    def _things(self) -> Iterator[Thing]:
        """All but clusters that it can make out, in one order for all."""
        world, makes_out = self.world, self.robot.makes_out
        for puck in world.loose:
            if not puck.holder and makes_out(puck.colour):
                yield Thing("puck", puck.name, puck.colour, tuple(puck.body.position), puck.body)
        for mark in world.settings.marks:
            carrier = world.robots.get(mark.robot)
            absent = carrier is self.robot or (carrier is not None and not carrier.present)
            if absent or not makes_out(mark.colour):
                continue
            place, body = (
                (carrier.pose()[:2], carrier.body) if carrier is not None else ((mark.x_m, mark.y_m), None)
            )
            yield Thing("mark", mark.name, mark.name, place, body, width_m=mark.size_m, above=mark.above)
        for charger in world.settings.chargers:
            if makes_out(charger.colour):
                yield Thing("charger", charger.name, charger.name, (charger.x_m, charger.y_m))

    def _clusters(self) -> Iterator[Thing]:
        """Pucks of clusters, whose lamps are seen above robots: each with whether it is held."""
        world, (x, y, _) = self.world, self.robot.pose()
        for cluster in world.clusters.by_name.values():
            s = cluster.settings
            if not self.robot.makes_out(s.colour) or math.dist(cluster.place, (x, y)) > self._reach + s.radius_m:
                continue
            for puck, place in cluster.places.items():
                yield Thing("puck", puck, s.colour, place, lit=float(puck in world.holders()), above=True)

    def _box(self, tick: int) -> Iterator[Sight]:
        """The box, as far as it is in the picture: a robot at one end sees it reach out of the other side."""
        box = self.world.box
        assert box is not None
        middle, far = self.to(box.pose()[:2])
        corners = [self.to(corner) for corner in box.corners()]
        if min(far, *(away for _, away in corners)) > self._reach:
            return
        if not any(self.world.in_sight(self.robot, point, box.body) for point in box.points()):
            return
        asides = [math.remainder(bearing - middle, 2 * math.pi) for bearing, _ in corners]
        low, high = max(middle + min(asides), -self._half), min(middle + max(asides), self._half)
        if low < high:
            one, two, _, _ = self.noise("box", tick)
            low, high = low + BEARING_NOISE * one, high + BEARING_NOISE * two
            yield Sight("box", _step((low + high) / 2), max(_step(high - low), 0.0), None, "")


def _step(value: float, steps: int = STEPS) -> float:
    return round(value * steps) / steps


REACH, HALF = 8.0, math.pi / 2  # m; rad to each side: a laser scanner of a half circle
LASER_RANGE_NOISE, ANGLE_NOISE = 0.01, 0.02  # one sigma: m; rad of a line through some tens of readings
GROSS = 10.0  # times as much of a noisy one
MILLI = 1000  # steps in a metre or radian


class Laser(Eye):
    """Measures the faces of the box that are turned to it."""

    part = "laser"

    def look(self, tick: int) -> Iterator[Sight]:
        """See `Eye.look`: at most two faces, in the box's own order."""
        box = self.world.box
        if box is None:
            return
        factor = GROSS if self.robot.faults.get("laser") == "noisy" else 1.0
        for name, middle, outward, length in box.faces():
            bearing, far = self.to(middle)
            square = math.remainder(outward - self.robot.pose()[2] - math.pi, 2 * math.pi)
            turned_to_me = abs(math.remainder(square - bearing, 2 * math.pi)) < math.pi / 2
            if far > REACH or abs(bearing) > HALF or not turned_to_me:
                continue
            if not self.world.in_sight(self.robot, middle, box.body):
                continue
            one, two, three, _ = self.noise(name, tick)
            bearing, square = bearing + ANGLE_NOISE * factor * one, square + ANGLE_NOISE * factor * three
            far = _step(far + LASER_RANGE_NOISE * factor * two, MILLI)
            yield Sight("face", _step(bearing, MILLI), length, far, "box", _step(square, MILLI))


NEAR_M = 0.5  # beyond an area's edge it is not sensed: what a sensor that looks at the floor ahead reaches
SHARES = 20  # of an area that it resolves; the least that is left reads as one of them
BEARINGS = 10  # steps in a radian
RANGES = 20  # and in a metre
GROSS_CHANCE = 0.1  # of a noisy sensor's reading to be clean for dirty or the other way


class DirtSensor(Eye):
    """Readings that have not changed are the same object. A sight has the area's kind and name, the bearing (rad)
    of its centre, the distance (m) of its edge, 0 inside, and as size the share of its work that is left, 0 to
    1."""

    part = r2.DIRT_SENSOR

    def sights(self, *, trusted: bool) -> tuple[Sight, ...]:
        """The areas near; none where the sensor is not `trusted`."""
        how = self.robot.faults.get(self.part)
        if not trusted or self.world.areas is None or not self.robot.present:
            return ()
        if how != "frozen":
            found = (self._sight(area, how == "noisy") for area in self.world.areas.by_name.values())
            sights = tuple(sight for sight in found if sight is not None)
            if sights != self._sights:
                self._sights = sights
        return self._sights

    def _sight(self, area: Area, noisy: bool) -> Sight | None:
        far, s = area.distance(*self.robot.pose()[:2]), area.settings
        if far > NEAR_M:
            return None
        bearing, _ = self.to((s.x_m, s.y_m))
        share = math.ceil(area.share() * SHARES) / SHARES
        if noisy and draw(self.world.seed, self.name, f"dirt {s.name}", self.world.count) < GROSS_CHANCE:
            share = 0.0 if share else 1.0
        return Sight(s.kind, round(bearing * BEARINGS) / BEARINGS, share, math.ceil(far * RANGES) / RANGES, s.name)
