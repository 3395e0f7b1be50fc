"""What a body feels and what it can do now. Lengths in metres, angles in radians, left is positive.

Headings count from the x axis of the room counter-clockwise; bearings from the robot's own forward axis.
"""

from dataclasses import field

from robotd.model.plain import OMIT_DEFAULT
from robotd.model.value import value


@value
class Pose:
    """Where the robot is in room coordinates; `accuracy` is one standard deviation of the position, m."""

    x: float
    y: float
    heading: float
    accuracy: float


@value
class Wheels:
    """Measured wheel speeds, m/s."""

    left: float
    right: float


@value
class Range:
    """One proximity reading; `distance` is None where nothing was seen within [low, high] metres."""

    kind: str  # infrared, sonar, laser
    bearing: float
    distance: float | None
    low: float
    high: float


@value
class Bump:
    """One contact switch on the hull."""

    bearing: float
    pressed: bool


@value
class Grip:
    """A gripper: opening 0 (closed) to 1 (open), lift 0 (down) to 1 (up), beam broken, inner bump pressed."""

    opening: float
    lift: float
    beam: bool
    bump: bool


@value
class Sight:
    """Something that a camera, laser or beacon receiver makes out.

    `angle`: of a face, how far it is turned from square to the robot, rad, counter-clockwise; None for all else.
    """

    kind: str
    bearing: float
    size: float | None
    range: float | None
    label: str
    angle: float | None = field(default=None, metadata=OMIT_DEFAULT)


@value
class Ages:
    """Seconds since each group of readings was taken."""

    wheels: float = 0.0
    pose: float = 0.0
    ranges: float = 0.0
    bumps: float = 0.0
    grip: float = 0.0
    sights: float = 0.0
    power: float = 0.0


@value
class Senses:
    """One reading of the whole body. A part that is absent or not trusted is None or missing, never zero."""

    wheels: Wheels | None = None
    odometry: Pose | None = None
    pose: Pose | None = None
    ranges: tuple[Range, ...] = ()
    bumps: tuple[Bump, ...] = ()
    cliffs: tuple[Bump, ...] = ()
    lifted: bool = False
    stalled: bool = False
    grip: Grip | None = None
    sights: tuple[Sight, ...] = ()
    battery: float | None = None  # 0 (empty) to 1
    charging: bool = False
    ages: Ages = field(default=Ages())


@value
class Capabilities:
    """What exists on this body and works now.

    `resources` are sorted names: mobile, positioning, front-range, side-range, bumpers, gripper, sound, ...;
    `missing` pairs each resource that the body was built with and has lost with the reason in words.
    """

    resources: tuple[str, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()
    max_speed: float = 0.0  # of one wheel, m/s
    wheel_base: float = 0.3  # between the wheels, m
    radius: float = 0.2  # of the circle round the hull, m

    def lacking(self, needed: tuple[str, ...]) -> tuple[str, ...]:
        """Those of `needed` that are not there now, in the order asked."""
        return tuple([name for name in needed if name not in self.resources])
