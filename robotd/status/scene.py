"""What pages show of a mission, its room and its tasks, as plain data in m and s."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from boards.mock.settings import WorldSettings
from robotd.config.load import Mission
from robotd.model.table import NumberTable

Data = dict[str, Any]
DIGITS = 3  # millimetres, milliseconds
RADIUS_M = 0.2  # of a robot whose size is not known


def rounded(value: float | None) -> float | None:
    """As it travels; None where it is not known or not finite."""
    return round(value, DIGITS) if value is not None and math.isfinite(value) else None


def mission_of(mission: Mission) -> Data:
    """The part of a scene that a mission is."""
    content = mission.content
    return {
        "type": "scene",
        "mission": content.name,
        "description": content.description,
        "coordinator": content.coordinator.name,
        "tasks": [entry.task.id for entry in mission.table.tasks],
        "sets": {name: entry.task for name, entry in content.sets.items()},
    }


def scene_of(mission: Mission, real: str) -> Data:
    """A mission as the page of a robot shows it; `real`: whose page it is."""
    content, table = mission.content, mission.table
    return {
        **mission_of(mission),
        "real": real,
        "range_m": None,
        "reach": "",
        "room": room_data(WorldSettings(**content.world)) if content.world else None,
        "team": [
            {"name": one.name, "number": one.number, "type": one.type, "radius": RADIUS_M, "fixed": False,
             "camera": None, "hull": None, "colour": ""}
            for one in sorted(table.team, key=lambda one: one.number)
        ],
    }  # fmt: skip


def room_data(settings: WorldSettings) -> Data:
    """The room, in m."""
    (goal_x, goal_y), goal = settings.goal_xy, settings.goal.radius_m
    box = settings.box
    return {
        "width": settings.width_m,
        "depth": settings.depth_m,
        "goal": [goal_x, goal_y, goal] if settings.spills else None,
        "finish": settings.finish.y_m,
        "target": None if box is None else [box.goal_x_m, box.goal_y_m],
        "walls": [[*one, *other] for one, other in (wall.ends for wall in settings.walls)],
        "chargers": [[one.x_m, one.y_m, one.radius_m] for one in settings.chargers],
        "marks": [[one.name, one.x_m, one.y_m, one.colour] for one in settings.marks if not one.robot],
        "clusters": [
            [name, one.x_m, one.y_m, one.radius_m, one.colour] for name, one in sorted(settings.clusters.items())
        ],
    }


def done_of(
    table: NumberTable, facts: Collection[str], done: Mapping[str, Sequence[tuple[float, str]]] | None = None,
    busy: Collection[str] = (),
) -> Data:  # fmt: skip
    """By task: how often it was done, when last (s) and by whom, as far as `done` has it; whether it is `over`.

    A task to be done once is over where its completion is a known fact, or where it was done and is not `busy`.
    """
    found: Data = {}
    for entry in table.tasks:
        task = entry.task.id
        times = (done or {}).get(task, ())
        over = not entry.recurring and (entry.completion in facts or (bool(times) and task not in busy))
        if over or times:
            at, by = times[-1] if times else (None, "")
            found[task] = {"over": over, "times": len(times), "at": rounded(at), "by": by}
    return found


def frame_of(t: float, robots: list[Data], **more: Any) -> Data:
    """A frame of a real team: of the world nothing is known but what robots state."""
    return {
        "type": "frame", "t": rounded(t), "robots": robots, "objects": [], "lit": [], "box": None, "areas": [],
        "counted": [], "sent": [], "received": [], "lost": [],
        "paused": False, "speed": 1.0, "facts": {}, "events": [], **more,
    }  # fmt: skip
