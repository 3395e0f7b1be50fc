"""The simulated room as a mission file describes it: every key with unit, range, default and meaning."""

import math
from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from boards.mock.anatomy import BODILY, DIRT_SENSOR, HULLS, RESOURCES, parts_of

CLUSTER_GAP_M = 0.9  # between pucks of a cluster: two robots side by side hold one each, no robot touches two
Tool = Literal["broom", "duster", "tipper"]
Kind = Literal["garbage", "dust", "dirt"]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


Place = tuple[float, float]
Colour = Annotated[str, Field(pattern=r"^[a-z]+$", max_length=20)]


class _At(_Table):
    x_m: float = Field(ge=0, le=100, description="x of its middle, m")
    y_m: float = Field(ge=0, le=100, description="y of its middle, m")


Resource = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$", max_length=40)]


class CameraSettings(_Table):
    """A camera that looks ahead: it makes out pucks, marks, chargers and the box."""

    fov_deg: float = Field(60.0, gt=0, le=360, description="its field of view, degrees")
    reach_m: float = Field(3.0, gt=0, le=100, description="how far it makes things out, m")
    misses: float = Field(
        0.0, ge=0, lt=1, description="chance that it does not make out a thing, drawn each second"
    )


class BodySettings(_Table):
    """What sets one simulated body apart from the others."""

    hull: Literal["r2", "pioneer", "walker"] = Field(
        "r2", description="the hull: measures, force of the wheels; only an r2 has a gripper"
    )
    lacks: tuple[str, ...] = Field((), description="parts never fitted: groups or single sensors")
    speed: float = Field(1.0, gt=0, le=4, description="factor on the world's max_speed_m_s")
    tools: tuple[Tool, ...] = Field((), description="cleaning tools fitted, with a dirt sensor")
    clumsy: float = Field(0.0, ge=0, le=1, description="chance that it drops litter when it has emptied garbage")
    force: float = Field(1.0, gt=0, le=4, description="factor on the force of its hull's wheels")
    end: Literal["left", "right"] | None = Field(
        None, description="the end of [world.box] where it starts; default: by x_m and y_m"
    )
    x_m: float | None = Field(None, ge=0, le=100, description="x where it starts, m; default: at the entrance")
    y_m: float | None = Field(None, ge=0, le=100, description="y where it starts, m; given together with x_m")
    heading_deg: float = Field(90.0, ge=-360, le=360, description="heading at its start, degrees; 90: to the back")
    camera: CameraSettings | None = Field(None, description="a camera; default: none")
    laser: bool = Field(default=False, description="a laser that measures the faces of the box")
    blind_to: tuple[Colour, ...] = Field((), description="colours that its camera misses, and nothing reports so")
    fixed: bool = Field(default=False, description="it has no wheels, sensors or collisions: a desktop computer")
    resources: tuple[Resource, ...] = Field((), description="further resources, an overhead-camera for example")
    battery_s: float | None = Field(None, gt=0, le=1e6, description="from full to empty driving, s; default: none")

    @model_validator(mode="after")
    def _known(self) -> Self:
        for name in self.lacks:
            parts_of(name)
        if (self.x_m is None) != (self.y_m is None):
            raise ValueError("x_m and y_m are given together, or neither")
        if self.fixed and self.x_m is None:
            raise ValueError("a fixed body needs its place: x_m and y_m")
        return self


class BodySpec(BodySettings):
    """A robot of the world: its settings with its name, type and number; ValidationError for wrong ones."""

    name: str
    type: str
    number: int

    def __init__(self, name: str, type_: str, number: int, **body: Any) -> None:
        super().__init__(**body, name=name, type=type_, number=number)  # type: ignore[call-arg]


class EntranceSettings(_Table):
    """Where robots start and where reports are given; in the front wall, y = 0, unless moved."""

    x_m: float | None = Field(None, ge=0, le=100, description="x, m; default: centre of the front wall")
    y_m: float = Field(0.0, ge=0, le=100, description="y of the entrance, m; 0 is the front wall")
    drawn: bool = Field(default=False, description="robots wait in an order drawn from the seed, not by number")
    spread_m: float = Field(
        0.0, ge=0, le=0.5, description="their places are off by up to so much along x and y, m"
    )


class SpillSettings(_At):
    """A heap of objects to be moved to the goal."""

    name: Literal["left", "right"] = Field(description="its half of the room, seen from the entrance")
    spread_m: float = Field(0.35, ge=0, le=2, description="objects lie within this distance of the centre, m")
    objects: int = Field(4, ge=1, le=20, description="how many objects")


class AreaSettings(_At):
    """A rectangle of the floor where there is work for a robot with the fitting tool: garbage, dust or dirt."""

    name: Name = Field(description="what its sensor reading names")
    kind: Kind = Field(description="garbage needs a tipper, dust a duster, dirt a broom")
    width_m: float = Field(0.8, ge=0.1, le=100, description="its size along x, m")
    depth_m: float = Field(0.8, ge=0.1, le=100, description="its size along y, m")
    work_s: float = Field(20.0, gt=0, le=3600, description="how long one tool has to run in it, s")
    litter_on: str = Field("", description="of garbage: the area of dirt that litter of clumsy robots makes dirty")


class FinishSettings(_Table):
    """A line across the room that all robots shall reach."""

    y_m: float | None = Field(None, ge=0, le=100, description="y that robots have to reach, m; default: no line")


class PuckSettings(_At):
    """A coloured puck on the floor, as large as a spill's objects."""

    colour: Colour = Field(description="its colour, a word of lower-case letters")
    fixed: bool = Field(default=False, description="it is bolted to the floor: nothing moves it")


class ClusterSettings(_At):
    """Pucks of one colour on a ring round a place, bolted to the floor: a robot at rest holds what it touches."""

    colour: Colour = Field(description="their colour, a word of lower-case letters")
    pucks: int = Field(1, ge=1, le=12, description="how many pucks")
    radius_m: float = Field(1.5, ge=0.5, le=20, description="radius of the ring, m")

    @model_validator(mode="after")
    def _apart(self) -> Self:
        if self.pucks > 1 and 2.0 * self.radius_m * math.sin(math.pi / self.pucks) < CLUSTER_GAP_M:
            raise ValueError(
                f"{self.pucks} pucks on a ring of {self.radius_m:g} m lie less than {CLUSTER_GAP_M} m apart"
            )
        return self


class MarkSettings(_Table):
    """Something coloured that cameras make out by name: at a place, or on a robot."""

    name: Name = Field(description="what its sight names")
    colour: Colour = Field("white", description="its colour, a word of lower-case letters")
    x_m: float = Field(0.0, ge=0, le=100, description="x, m; 0 for one on a robot")
    y_m: float = Field(0.0, ge=0, le=100, description="y, m; 0 for one on a robot")
    size_m: float | None = Field(
        None, gt=0, le=5, description="its width, m: cameras give its apparent size; default: its range"
    )
    above: bool = Field(default=False, description="it is so high that robots and the box do not hide it")
    robot: str = Field("", description="the robot that carries it; default: it has a place")


class ChargerSettings(_At):
    """A marked place that charges the battery of a robot that rests on it."""

    name: Name = Field(description="what its sight names")
    colour: Colour = Field("white", description="its colour, a word of lower-case letters")
    radius_m: float = Field(0.3, ge=0.05, le=5, description="a robot whose axle is this near is on it, m")
    full_s: float = Field(600.0, gt=0, le=1e6, description="from empty to full, s")

    def holds(self, place: Place) -> bool:
        """Whether a place, m, lies on it."""
        return math.dist(place, (self.x_m, self.y_m)) <= self.radius_m


class WallSettings(_Table):
    """A straight wall inside the room, as thick as those around it."""

    x1_m: float = Field(ge=0, le=100, description="x of one end, m")
    y1_m: float = Field(ge=0, le=100, description="y of one end, m")
    x2_m: float = Field(ge=0, le=100, description="x of the other end, m")
    y2_m: float = Field(ge=0, le=100, description="y of the other end, m")
    blocks_radio: bool = Field(default=False, description="no radio wave passes it")

    @property
    def ends(self) -> tuple[Place, Place]:
        """Both ends, m."""
        return (self.x1_m, self.y1_m), (self.x2_m, self.y2_m)

    @model_validator(mode="after")
    def _long(self) -> Self:
        if self.ends[0] == self.ends[1]:
            raise ValueError("a wall's ends are two places")
        return self


class GoalSettings(_Table):
    """Where the objects belong."""

    x_m: float | None = Field(None, ge=0, le=100, description="x of its centre, m; default: half the width")
    y_m: float | None = Field(None, ge=0, le=100, description="y, m; default: middle of the back third")
    radius_m: float = Field(1.0, ge=0.2, le=5, description="an object let go this near is delivered, m")


class BoxSettings(_At):
    """A long heavy box, square to the room at first, to be pushed to the back at both of its ends."""

    length_m: float = Field(1.8, ge=1.2, le=10, description="its length, along x, m")
    depth_m: float = Field(0.3, ge=0.1, le=2, description="its depth, along y, m")
    mass_kg: float = Field(12.0, gt=0, le=200, description="its mass, kg")
    drag_n: float = Field(
        12.3, gt=0, le=500, description="friction of the whole box on the floor, N; one r2 pushes with 8 N"
    )
    goal_y_m: float = Field(ge=0, le=100, description="it is to come so far that its middle has this y, m")
    goal_x_m: float | None = Field(None, ge=0, le=100, description="x for its middle to reach, m; default: any x")
    goal_radius_m: float = Field(0.5, gt=0, le=5, description="how near to that point is near enough, m")


def _two_spills() -> tuple[SpillSettings, ...]:
    return (SpillSettings(name="left", x_m=1.4, y_m=1.4), SpillSettings(name="right", x_m=4.6, y_m=1.4))


class WorldSettings(_Table):
    """A rectangular room with walls parallel to the axes, its front left corner at the origin, y to the back."""

    width_m: float = Field(6.0, ge=2, le=100, description="inner size along x, m")
    depth_m: float = Field(8.0, ge=2, le=100, description="inner size along y, m")
    wall_m: float = Field(0.1, gt=0, le=1, description="thickness of the walls, m")
    entrance: EntranceSettings = Field(EntranceSettings(), description="where robots start and report")
    spills: tuple[SpillSettings, ...] = Field(default_factory=_two_spills, description="the heaps to be moved")
    goal: GoalSettings = Field(GoalSettings(), description="where they are moved to")
    areas: tuple[AreaSettings, ...] = Field((), description="where there is cleaning to do")
    finish: FinishSettings = Field(FinishSettings(), description="where all robots shall get")
    pucks: tuple[PuckSettings, ...] = Field((), description="coloured pucks")
    clusters: dict[Name, ClusterSettings] = Field({}, description="places with pucks to be held at once, by name")
    marks: tuple[MarkSettings, ...] = Field((), description="what cameras make out by name")
    chargers: tuple[ChargerSettings, ...] = Field((), description="places that charge batteries")
    walls: tuple[WallSettings, ...] = Field((), description="walls inside the room")
    box: BoxSettings | None = Field(None, description="a long heavy box to be pushed to the back")
    max_speed_m_s: float = Field(0.25, gt=0, le=2, description="top speed of an R-2's wheel, m/s")
    position_noise_m: float = Field(0.15, ge=0, le=1, description="one sigma of the positions, m (Parker: 0.15)")
    position_noise_s: float = Field(6.0, ge=0.1, le=100, description="time in which that error forgets itself, s")
    heading_noise_rad: float = Field(0.05, ge=0, le=0.5, description="one sigma of the heading's error, rad")
    steps_per_s: int = Field(20, ge=20, le=200, multiple_of=10, description="steps of the world in one second")

    @property
    def entrance_xy(self) -> tuple[float, float]:
        """The entrance, m."""
        x = self.entrance.x_m
        return (self.width_m / 2 if x is None else x, self.entrance.y_m)

    @property
    def goal_xy(self) -> tuple[float, float]:
        """The goal's centre, m: the back centre of the room, unless given."""
        x, y = self.goal.x_m, self.goal.y_m
        return (self.width_m / 2 if x is None else x, self.depth_m * 5 / 6 if y is None else y)

    @model_validator(mode="after")
    def _inside(self) -> Self:
        places = [("entrance", self.entrance_xy), ("goal", self.goal_xy)]
        places += [(f"spill {spill.name}", (spill.x_m, spill.y_m)) for spill in self.spills]
        places += [("a puck", (puck.x_m, puck.y_m)) for puck in self.pucks]
        places += [(mark.name, (mark.x_m, mark.y_m)) for mark in self.marks]
        places += [(charger.name, (charger.x_m, charger.y_m)) for charger in self.chargers]
        places += [(f"cluster {name}", (one.x_m, one.y_m)) for name, one in self.clusters.items()]
        places += [("the end of a wall", end) for wall in self.walls for end in wall.ends]
        for name, (x, y) in places:
            if not (0 <= x <= self.width_m and 0 <= y <= self.depth_m):
                raise ValueError(f"{name} at ({x}, {y}) is outside the room of {self.width_m} x {self.depth_m} m")
        for name, one in self.clusters.items():
            margin = min(one.x_m, one.y_m, self.width_m - one.x_m, self.depth_m - one.y_m)
            if margin < one.radius_m:
                raise ValueError(
                    f"cluster {name} has a ring of {one.radius_m:g} m, {margin:g} m from a wall of the room"
                )
        self._check_areas()
        if self.box is not None:
            self._holds(self.box)
        _check_names("spills", (spill.name for spill in self.spills))
        _check_names("marks or chargers", [*(m.name for m in self.marks), *(c.name for c in self.chargers)])
        return self

    def _check_areas(self) -> None:
        """ValueError where an area reaches out of the room, or litter falls on what is no area of dirt."""
        _check_names("areas", (area.name for area in self.areas))
        floors = [area.name for area in self.areas if area.kind == "dirt"]
        for area in self.areas:
            x, y = area.width_m / 2, area.depth_m / 2
            if not (x <= area.x_m <= self.width_m - x and y <= area.y_m <= self.depth_m - y):
                raise ValueError(f"area {area.name} reaches out of the room of {self.width_m} x {self.depth_m} m")
            if area.litter_on and (area.kind != "garbage" or area.litter_on not in floors):
                there = f"there are: {', '.join(floors)}" if floors else "there is none"
                raise ValueError(f"litter_on of area {area.name}: garbage drops on an area of dirt ({there})")
        if self.finish.y_m is not None and self.finish.y_m > self.depth_m:
            raise ValueError(f"the finish at y = {self.finish.y_m} m is outside the room, {self.depth_m} m deep")

    def _holds(self, box: BoxSettings) -> None:
        """ValueError where the box does not stand in the room, or has nowhere to go."""
        inside = box.length_m / 2 <= box.x_m <= self.width_m - box.length_m / 2 and box.depth_m / 2 <= box.y_m
        if not inside or box.goal_y_m > self.depth_m - box.depth_m / 2:
            raise ValueError(
                f"the box of {box.length_m:g} x {box.depth_m:g} m at ({box.x_m:g}, {box.y_m:g}), to be pushed to "
                f"y = {box.goal_y_m:g}, does not fit into the room of {self.width_m:g} x {self.depth_m:g} m"
            )
        if box.goal_y_m <= box.y_m:
            raise ValueError(f"the box is pushed to the back: goal_y_m must lie beyond its y_m, {box.y_m:g}")
        if box.goal_x_m is not None and box.goal_x_m > self.width_m:
            raise ValueError(f"the box's goal_x_m of {box.goal_x_m:g} is outside the room of {self.width_m:g} m")


def _check_names(things: str, names: Iterable[str]) -> None:
    """ValueError where two have the same name."""
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise ValueError(f"two {things} have the same name: {', '.join(twice)}")


def absent_parts(body: BodySettings) -> list[str]:
    """The parts that a body was never fitted with."""
    lacks = (*HULLS[body.hull].lacks, *body.lacks, *(BODILY if body.fixed else ()))
    return [part for name in lacks for part in parts_of(name)]


def resources_of(body: BodySettings) -> dict[str, tuple[str, ...]]:
    """The resources that a body was fitted with and the parts of each, sorted."""
    fitted = ((DIRT_SENSOR, body.tools), ("camera", body.camera), ("laser", body.laser))
    own = (*body.tools, *(part for part, there in fitted if there), *body.resources)
    absent = set(absent_parts(body))
    found = {**RESOURCES, **{name: (name,) for name in own}}
    return {name: parts for name, parts in sorted(found.items()) if not absent & set(parts)}
