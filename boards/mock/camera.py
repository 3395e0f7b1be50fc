"""A camera that looks ahead: pucks and marks by colour, chargers, and the box, where nothing is in the way.

| kind | label | size | range |
|---|---|---|---|
| `puck` | its colour | - | to its middle, m |
| `mark` | its name | - | m |
| `charger` | its name | - | m |
| `box` | - | width of what is in the picture, rad | - |
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from boards.mock.noise import four_normals
from boards.mock.world import World
from robotd.model.senses import Sight

RATE = 5  # Hz: what colour segmentation takes on a small computer
BEARING_NOISE, RANGE_NOISE = 0.01, 0.05  # one sigma: rad; share of a range that is read off the floor
GROSS_BEARING, GROSS_MISS = 0.3, 1.3  # of a noisy camera: rad; sigmas beyond which it misses a thing (one of ten)
STEPS = 100  # in a metre or radian

Place = tuple[float, float]


class Eye:
    """What camera and laser of robot `name` share: a reading per period, made when it is first asked for.

    Its errors depend on the period and the thing alone. Wants the world stepped to now before.
    """

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
        """Four standard normals for a thing in a period."""
        return four_normals(self.world.seed, self.name, f"{self.part} {thing}", tick)

    def to(self, place: Place) -> tuple[float, float]:
        """Bearing (rad) and distance (m) of a place."""
        x, y, heading = self.robot.pose()
        aside = math.atan2(place[1] - y, place[0] - x) - heading
        return math.remainder(aside, 2 * math.pi), math.dist((x, y), place)


class Camera(Eye):
    """See the module."""

    part = "camera"

    def __init__(self, world: World, name: str) -> None:
        super().__init__(world, name)
        settings = self.robot.spec.camera
        if settings is None:
            raise ValueError(f"{name} has no camera")
        self._half, self._reach = math.radians(settings.fov_deg) / 2, settings.reach_m

    def look(self, tick: int) -> Iterator[Sight]:
        """See `Eye.look`."""
        if self.world.box is not None:
            yield from self._box(tick)
        for kind, name, label, place, body in self._things():
            bearing, far = self.to(place)
            if abs(bearing) > self._half or far > self._reach or not self.world.in_sight(self.robot, place, body):
                continue
            one, two, gross, miss = self.noise(f"{kind} {name}", tick)
            if self.robot.faults.get("camera") == "noisy":
                if miss > GROSS_MISS:
                    continue
                bearing += GROSS_BEARING * gross
            yield Sight(
                kind, _step(bearing + BEARING_NOISE * one), None, _step(far * (1 + RANGE_NOISE * two)), label
            )

    def _things(self) -> Iterator[tuple[str, str, str, Place, object]]:
        """Kind, name, label, place and body of all that it can make out, in one order for all."""
        world, blind = self.world, self.robot.spec.blind_to
        for puck in world.pucks:
            if not puck.holder and puck.colour not in blind:
                yield "puck", puck.name, puck.colour, tuple(puck.body.position), puck.body
        for mark in world.settings.marks:
            carrier = world.robots.get(mark.robot)
            if mark.colour in blind or carrier is self.robot or (carrier is not None and not carrier.present):
                continue
            place = carrier.pose()[:2] if carrier is not None else (mark.x_m, mark.y_m)
            yield "mark", mark.name, mark.name, place, carrier.body if carrier is not None else None
        for charger in world.settings.chargers:
            if charger.colour not in blind:
                yield "charger", charger.name, charger.name, (charger.x_m, charger.y_m), None

    def _box(self, tick: int) -> Iterator[Sight]:
        """The box, as far as it is in the picture: a robot at one end sees it reach out of the other side."""
        box = self.world.box
        assert box is not None
        middle, far = self.to(box.pose()[:2])
        corners = [self.to(corner) for corner in box.corners()]
        if min(far, *(away for _, away in corners)) > self._reach:
            return
        if not self.world.in_sight(self.robot, box.pose()[:2], box.body):
            return
        asides = [math.remainder(bearing - middle, 2 * math.pi) for bearing, _ in corners]
        low, high = max(middle + min(asides), -self._half), min(middle + max(asides), self._half)
        if low < high:
            one, two, _, _ = self.noise("box", tick)
            low, high = low + BEARING_NOISE * one, high + BEARING_NOISE * two
            yield Sight("box", _step((low + high) / 2), max(_step(high - low), 0.0), None, "")


def _step(value: float) -> float:
    return round(value * STEPS) / STEPS
