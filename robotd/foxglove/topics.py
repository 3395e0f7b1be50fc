"""A run as messages of Foxglove's standard schemas, on topics that Foxglove and Lichtblick show.

`/tf`, `/room`, `/robots`, `/objects`, `/events` and `/radio` are of the team; each robot has `/NAME/pose`,
`/NAME/scan`, `/NAME/activity` and `/NAME/levels`. Only levels have a schema of our own, in JSON, as none of
Foxglove's holds named numbers. The frame of the room is `room`, that of a robot's body has the robot's name.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from foxglove import Channel, Context, Schema
from foxglove.channels import (
    FrameTransformsChannel,
    LaserScanChannel,
    LogChannel,
    PoseInFrameChannel,
    SceneUpdateChannel,
)
from foxglove.messages import (
    Color,
    CubePrimitive,
    CylinderPrimitive,
    FrameTransform,
    FrameTransforms,
    LaserScan,
    LinePrimitive,
    LinePrimitiveLineType,
    Log,
    LogLevel,
    Point3,
    Pose,
    PoseInFrame,
    Quaternion,
    SceneEntity,
    SceneUpdate,
    TextPrimitive,
    Timestamp,
    Vector3,
)

from robotd.figures.room import Block, Disc, Room, colour_of, colour_of_object, room_of, team_of
from robotd.model.choice import Choice, Level, State
from robotd.model.inputs import Inputs
from robotd.model.senses import Range
from robotd.model.statements import Sent
from robotd.record.why import Account, Happened

NS = 1_000_000_000
ROOM = "room"
SCAN_PARTS = 180  # of a circle: a reading is put within a degree of where its sensor looks
TALL_M, FLAT_M, LINE_M, TEXT_M = 0.15, 0.01, 0.03, 0.18  # how high and thick things are drawn
OBJECT_M = 0.06  # radius of a loose object
URGENT = {
    "fault": LogLevel.Error, "raised": LogLevel.Error, "lost": LogLevel.Warning, "faulted": LogLevel.Error,
    "stopped": LogLevel.Warning, "teammate-silent": LogLevel.Warning,
}  # fmt: skip
GREY = "#6E6E6E"
LEVELS = Schema(
    name="robotd.Levels",
    encoding="jsonschema",
    data=json.dumps({
        "title": "robotd.Levels", "type": "object",
        "properties": {"levels": {"type": "array", "items": {"type": "object", "properties": {
            "set": {"type": "string", "description": "behavior set"},
            "score": {"type": "string", "description": "the coordinator's name of the number"},
            "value": {"type": "number", "description": "0 to the limit"},
            "limit": {"type": "number"},
            "why": {"type": "string", "description": "why it is so"},
        }}}},
    }).encode(),
)  # fmt: skip


def names_of(robot: str) -> tuple[str, ...]:
    """The topics of one robot."""
    return tuple(f"/{robot}/{name}" for name in ("pose", "scan", "activity", "levels"))


class _Own:
    """The channels of one robot, and what was sent of it last."""

    def __init__(self, robot: str, context: Context) -> None:
        pose, scan, activity, levels = names_of(robot)
        self.pose = PoseInFrameChannel(pose, context=context)
        self.scan = LaserScanChannel(scan, context=context)
        self.activity = LogChannel(activity, context=context)
        self.levels = Channel(levels, schema=LEVELS, message_encoding="json", context=context)
        self.radius_m = 0.2
        self.account, self.doing = Account(robot), ""


class Topics:
    """Publishes what happens in `context`, whose sinks are files and servers; times are ns.

    `truth`: the places of robots are given to `place` by one who knows them; else they are those measured.
    """

    def __init__(self, context: Context, team: Sequence[str], room: Room | None, *, truth: bool = False) -> None:
        self._team, self._room, self._truth = list(team), room, truth
        self._tf = FrameTransformsChannel("/tf", context=context)
        self._walls = SceneUpdateChannel("/room", context=context)
        self._bodies = SceneUpdateChannel("/robots", context=context)
        self._objects = SceneUpdateChannel("/objects", context=context)
        self._events = LogChannel("/events", context=context)
        self._radio = LogChannel("/radio", context=context)
        self._own = {name: _Own(name, context) for name in self._team}
        self._channels: list[Any] = [self._tf, self._walls, self._bodies, self._objects, self._events, self._radio]
        self._channels += [
            each for own in self._own.values() for each in (own.pose, own.scan, own.activity, own.levels)
        ]
        self._published = -math.inf  # when the room and the bodies were sent

    @property
    def watched(self) -> bool:
        """Whether anybody receives any of it."""
        return any(channel.has_sinks() for channel in self._channels)

    def publish_room(self, at: int, again_ns: float = math.inf) -> None:
        """What stays as it is, room and bodies: at first, and for those who come later every `again_ns`."""
        if self._published > -math.inf and at - self._published < again_ns:
            return
        self._published = at
        if self._room is not None:
            self._walls.log(SceneUpdate(entities=[_room(self._room, at)]), log_time=at)
        bodies = [_body(name, own.radius_m, colour_of(name, self._team), at) for name, own in self._own.items()]
        self._bodies.log(SceneUpdate(entities=bodies), log_time=at)

    def tick(
        self, robot: str, at: int, i: Inputs, sent: Sequence[Sent], choice: Choice | None, state: State
    ) -> None:
        """One finished tick of a robot; what changes slowly is taken at decisions alone."""
        own, account = self._own[robot], self._own[robot].account
        account.happened = []
        account.take(i, state, choice, at / NS)
        for one in account.happened:
            self.happened(robot, one)
        for frame in sent:
            kinds = " ".join(statement.kind for statement in frame.statements)
            self._radio.log(_log(at, robot, kinds), log_time=at)
        if choice is None:
            return
        if own.radius_m != i.capabilities.radius:
            own.radius_m, self._published = i.capabilities.radius, -math.inf
        if i.senses.pose is not None and not self._truth:
            self.place(robot, at, i.senses.pose.x, i.senses.pose.y, i.senses.pose.heading)
        own.scan.log(_scan(robot, at, i.senses.ranges), log_time=at)
        own.levels.log({"levels": list(_levels(choice.levels))}, log_time=at)
        doing = account.set or state.word
        if doing != own.doing:
            own.doing = doing
            own.activity.log(_log(at, robot, doing), log_time=at)

    def happened(self, robot: str, one: Happened) -> None:
        """Something happened to a robot."""
        at, words = max(0, round(one.at * NS)), f"{one.what}: {one.cause}" if one.cause else one.what
        level = URGENT.get(one.kind) or URGENT.get(one.what) or LogLevel.Info
        self._events.log(_log(at, robot, words, level), log_time=at)

    def place(self, robot: str, at: int, x: float, y: float, heading: float) -> None:
        """Where a robot is, m and rad."""
        turn, place = _turn(heading), Vector3(x=x, y=y)
        frame = FrameTransform(
            timestamp=_time(at), parent_frame_id=ROOM, child_frame_id=robot, translation=place, rotation=turn
        )
        self._tf.log(FrameTransforms(transforms=[frame]), log_time=at)
        pose = PoseInFrame(timestamp=_time(at), frame_id=ROOM, pose=Pose(position=place, orientation=turn))
        self._own[robot].pose.log(pose, log_time=at)

    def objects(self, at: int, objects: Sequence[tuple[float, float, str]]) -> None:
        """Where all loose objects are (x, y in m, colour)."""
        shapes = [_cylinder(x, y, OBJECT_M, TALL_M / 2, colour_of_object(colour)) for x, y, colour in objects]
        entity = SceneEntity(timestamp=_time(at), frame_id=ROOM, id="objects", cylinders=shapes)
        self._objects.log(SceneUpdate(entities=[entity]), log_time=at)


def _time(at: int) -> Timestamp:
    return Timestamp(sec=at // NS, nsec=at % NS)


def _turn(heading: float) -> Quaternion:
    return Quaternion(z=math.sin(heading / 2), w=math.cos(heading / 2))


def _log(at: int, robot: str, words: str, level: LogLevel = LogLevel.Info) -> Log:
    return Log(timestamp=_time(at), level=level, message=words, name=robot)


def _levels(levels: Sequence[Level]) -> list[Mapping[str, Any]]:
    return [
        {"set": level.set, "score": name, "value": value, "limit": level.limit, "why": level.why}
        for level in levels
        for name, value in level.scores.items()
        if math.isfinite(value)
    ]


def places_of(ranges: Sequence[Range]) -> list[float]:
    """All proximity readings, m, from its back, over its right, to its back; inf where nothing is measured."""
    places = [math.inf] * SCAN_PARTS
    for one in ranges:
        if one.distance is not None:
            part = round((one.bearing + math.pi) / (2 * math.pi) * SCAN_PARTS) % SCAN_PARTS
            places[part] = min(places[part], one.distance)
    return places


def _scan(robot: str, at: int, ranges: Sequence[Range]) -> LaserScan:
    last = math.pi - 2 * math.pi / SCAN_PARTS
    return LaserScan(
        timestamp=_time(at), frame_id=robot, pose=_at(0.0, 0.0, TALL_M / 2), start_angle=-math.pi, end_angle=last,
        ranges=places_of(ranges),
    )  # fmt: skip


def _at(x: float, y: float, z: float = 0.0) -> Pose:
    return Pose(position=Vector3(x=x, y=y, z=z), orientation=Quaternion(w=1.0))


def _colour(text: str, share: float = 1.0) -> Color:
    red, green, blue = (int(text[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return Color(r=red, g=green, b=blue, a=share)


def _cylinder(
    x: float, y: float, radius: float, height: float, colour: str, share: float = 1.0
) -> CylinderPrimitive:
    size = Vector3(x=2 * radius, y=2 * radius, z=height)
    return CylinderPrimitive(
        pose=_at(x, y, height / 2), size=size, bottom_scale=1.0, top_scale=1.0, color=_colour(colour, share)
    )


def _line(points: Sequence[tuple[float, float]], colour: str, *, closed: bool = False) -> LinePrimitive:
    kind = LinePrimitiveLineType.LineLoop if closed else LinePrimitiveLineType.LineStrip
    return LinePrimitive(
        type=kind, pose=_at(0.0, 0.0), thickness=LINE_M, color=_colour(colour),
        points=[Point3(x=x, y=y, z=FLAT_M) for x, y in points],
    )  # fmt: skip


def _text(words: str, x: float, y: float, z: float, colour: str) -> TextPrimitive:
    return TextPrimitive(
        pose=_at(x, y, z),
        billboard=True,
        font_size=TEXT_M,
        scale_invariant=False,
        color=_colour(colour),
        text=words,
    )


def _body(robot: str, radius_m: float, colour: str, at: int) -> SceneEntity:
    """A robot in its own frame: its hull, where it looks, and its name above."""
    nose = LinePrimitive(
        type=LinePrimitiveLineType.LineStrip, pose=_at(0.0, 0.0), thickness=LINE_M, color=_colour("#FFFFFF"),
        points=[Point3(z=TALL_M), Point3(x=radius_m, z=TALL_M)],
    )  # fmt: skip
    return SceneEntity(
        timestamp=_time(at), frame_id=robot, id=robot, frame_locked=True,
        cylinders=[_cylinder(0.0, 0.0, radius_m, TALL_M, colour, 0.8)], lines=[nose],
        texts=[_text(robot, 0.0, 0.0, TALL_M + TEXT_M, GREY)],
    )  # fmt: skip


def _room(room: Room, at: int) -> SceneEntity:
    """The room as the mission has it: walls, goal, areas, chargers, and where its things are at first."""
    width, depth = room.size
    outline = [(0.0, 0.0), (width, 0.0), (width, depth), (0.0, depth)]
    lines = [_line(outline, GREY, closed=True), *(_line(wall, GREY) for wall in room.walls)]
    if room.finish is not None:
        lines.append(_line([(0.0, room.finish), (width, room.finish)], "#009E73"))
    flat = [_cylinder(one.x, one.y, one.radius, FLAT_M, one.colour, 0.4) for one in room.discs]
    boxes = [
        CubePrimitive(
            pose=_at(one.x, one.y, one.height / 2), size=Vector3(x=one.width, y=one.depth, z=one.height),
            color=_colour(one.colour, 0.4),
        )
        for one in room.boxes
    ]  # fmt: skip
    named: list[Disc | Block] = [*room.discs, *room.boxes]
    texts = [_text(one.name, one.x, one.y, TEXT_M, GREY) for one in named if one.name]
    return SceneEntity(
        timestamp=_time(at), frame_id=ROOM, id=ROOM, lines=lines, cylinders=flat, cubes=boxes, texts=texts
    )  # fmt: skip


def topics_of(context: Context, mission: Mapping[str, Any], *, truth: bool = False) -> Topics:
    """The topics of a mission's team, in order of its numbers; `mission`: its file's content as plain data."""
    return Topics(context, team_of(mission), room_of(mission), truth=truth)
