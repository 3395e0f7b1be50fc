"""The R-2's measures and parts, shared by its simulated body and its serial protocol.

After Parker 1998, section IV.A: 25 x 31 x 35 cm, two drive wheels as a differential pair, eight infrared
proximity sensors, bump sensors round the base, a two-axis parallel gripper. The paper gives no bearings; those
here are chosen so that each behavior of figures 4 to 8 has what it needs. Frame: x forward from the middle of
the axle, y to the left, m; bearings counter-clockwise from x, rad.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass

from robotd.model.value import value

LENGTH, WIDTH = 0.31, 0.25
FRONT = LENGTH / 2
RADIUS = 0.2  # of the circle round the hull: half its diagonal, rounded up
WHEEL_BASE = 0.22
MAX_SPEED = 0.25  # of one wheel, m/s, unless the world sets another

# The gripper lies in a notch of the hull, between two arms: nothing reaches out of the 31 cm.
NOTCH = 0.115  # depth: an object of 10 cm and a little
ARM = 0.02  # thickness of each arm; 21 cm between them
JAW = WIDTH - 2 * ARM
HELD_AT = FRONT - 0.06  # x of a held object's centre
BEAM_AT = FRONT - 0.05  # x of the light beam: broken once an object's centre passes the front
OPENING_RATE, LIFT_RATE = 1.0, 0.5  # full travels per second
LOW_LIFT = 0.3  # up to here fingers and held object touch the floor
JAW_FREE = 0.5  # opening from which an object can pass between the fingers

OBJECT_RADIUS = 0.05
CLAMPED = 2 * OBJECT_RADIUS / JAW  # opening at which the fingers meet an object
RELEASED = CLAMPED + 0.08  # opening at which they let it go: their pads have left it on both sides


@dataclass(frozen=True, slots=True)
class Infrared:
    """One proximity sensor. A low one (4 cm above the floor) sees spill objects, a high one (20 cm) over them."""

    name: str
    degrees: float
    low: bool

    @property
    def bearing(self) -> float:
        """Radians, counter-clockwise from straight ahead."""
        return math.radians(self.degrees)


INFRARED = (
    Infrared("front", 0, low=True), Infrared("front-left", 15, low=True), Infrared("front-right", -15, low=True),
    Infrared("left-diagonal", 45, low=False), Infrared("right-diagonal", -45, low=False),
    Infrared("left-side", 90, low=False), Infrared("right-side", -90, low=False), Infrared("rear", 180, low=False),
)  # fmt: skip
RANGE_LOW, RANGE_HIGH = 0.04, 0.8  # m from the hull; nearer things read as RANGE_LOW
OBJECT_SEEN = 0.5  # m: a small object returns too little light from farther away

BUMPERS = (
    ("bump-front", 0.0), ("bump-front-left", 40.0), ("bump-front-right", -40.0), ("bump-left", 90.0),
    ("bump-right", -90.0), ("bump-rear-left", 145.0), ("bump-rear-right", -145.0),
)  # fmt: skip

BUMPERS_RAD = tuple((name, math.radians(degrees)) for name, degrees in BUMPERS)
TOOLS = ("broom", "duster", "tipper")  # fitted to a body that its settings give them, for the areas of a room
DIRT_SENSOR = "dirt-sensor"  # comes with any tool
EYES = ("camera", "laser")  # fitted to a body whose settings ask for them
SINGLE = ("motors", "positioning", "gripper", "wheels", "sound")  # parts that come alone
GROUPS: dict[str, tuple[str, ...]] = {
    "infrared": tuple(sensor.name for sensor in INFRARED),
    "front-range": ("front", "front-left", "front-right"),
    "side-range": ("left-side", "right-side"),
    "bumpers": tuple(name for name, _ in BUMPERS),
    **{part: (part,) for part in (*SINGLE, *TOOLS, DIRT_SENSOR, *EYES)},
}
RESOURCES: dict[str, tuple[str, ...]] = {  # of every body, and the parts that each takes
    "bumpers": GROUPS["bumpers"], "front-range": GROUPS["front-range"], "gripper": ("gripper",),
    "mobile": ("motors",), "odometry": ("wheels",), "positioning": ("positioning",),
    "side-range": GROUPS["side-range"], "sound": ("sound",),
}  # fmt: skip
PARTS = tuple(dict.fromkeys(part for parts in GROUPS.values() for part in parts))

BODILY = tuple(part for part in PARTS if part not in EYES)  # that a body without wheels does not have


def parts_of(name: str, resources: Collection[str] = ()) -> tuple[str, ...]:
    """The parts that a group, a part, `all` or one of a body's own `resources` names; ValueError listing them."""
    if name == "all":
        return (*PARTS, *resources)
    if name in resources:
        return (name,)
    if name in GROUPS:
        return GROUPS[name]
    if name in PARTS:
        return (name,)
    valid = ", ".join(("all", *GROUPS, *GROUPS["infrared"], *GROUPS["bumpers"], *sorted(resources)))
    raise ValueError(f"an R-2 has no part {name!r}; it has: {valid}")


@value
class Hull:
    """Lengths in m, mass in kg, force of both wheels together in N; `gripper`: it has the R-2's notch.

    `front`: from the middle of the axle to the front. `radius`: of the circle round the hull, half its diagonal,
    rounded up to a centimetre. `halves`: of its length and width.
    """

    length: float
    width: float
    wheel_base: float
    mass: float
    force: float
    gripper: bool
    lacks: tuple[str, ...]
    front: float
    radius: float
    halves: tuple[float, float]


def _hull(
    length: float, width: float, wheel_base: float, mass: float, force: float, lacks: tuple[str, ...] = ()
) -> Hull:
    front, radius = length / 2, math.ceil(math.hypot(length, width) * 50) / 100
    gripper = "gripper" not in lacks
    return Hull(length, width, wheel_base, mass, force, gripper, lacks, front, radius, (front, width / 2))


# 7 kg: a robot of the R-2's size with lead-acid batteries. 8 N reach top speed in 0.2 s; a 12 N box stalls one
# robot and moves under two. Pioneer 2-DX (Gerkey and Mataric 2002, VI): 44 x 38 x 22 cm, 9 kg; its motors push
# about twice its weight's rolling resistance. The walker is a small four-legged robot as of the RoboCup league of
# 2004, whose gait turns and advances as wheels do; its body has no bump ring.
HULLS = {
    "r2": _hull(LENGTH, WIDTH, WHEEL_BASE, 7.0, 8.0),
    "pioneer": _hull(0.44, 0.38, 0.33, 9.0, 20.0, lacks=("gripper",)),
    "walker": _hull(0.28, 0.16, 0.13, 1.6, 4.0, lacks=("gripper", "bumpers")),
}
