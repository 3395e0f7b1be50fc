"""The layout that shows a team's topics in Foxglove and Lichtblick, as both import it from a file."""

from collections.abc import Mapping, Sequence
from typing import Any

from robotd.figures.room import colour_of, room_of, team_of

TALL = 1.6  # distance of the camera, in sizes of the room
BY_TIME = {"timestampMethod": "receiveTime"}
SHOWN = ("/room", "/robots", "/objects", "/tf")


def layout_of(mission: Mapping[str, Any]) -> dict[str, Any]:
    """Room, who does what, motivations and events; `mission`: the content of its file as plain data."""
    team, sets, room = team_of(mission), list(mission.get("sets", {})), room_of(mission)
    width, depth = room.size if room is not None else (6.0, 8.0)
    panels = {
        "3D!room": _room(team, width, depth),
        "StateTransitions!activity": {"isSynced": True, "paths": [
            {"value": f"/{name}/activity.message", "label": name, **BY_TIME} for name in team
        ]},
        "RosOut!events": {"topicToRender": "/events", "minLogLevel": 1, "searchTerms": []},
        **{f"Plot!{name}": _levels(name, sets) for name in team},
    }  # fmt: skip
    right = {
        "direction": "column", "splitPercentage": 25, "first": "StateTransitions!activity",
        "second": {"direction": "column", "splitPercentage": 65, "second": "RosOut!events",
                   "first": _stacked([f"Plot!{name}" for name in team])},
    }  # fmt: skip
    layout = {"direction": "row", "splitPercentage": 50, "first": "3D!room", "second": right}
    return {
        "configById": panels, "globalVariables": {}, "userNodes": {}, "playbackConfig": {"speed": 1},
        "layout": layout,
    }  # fmt: skip


def _stacked(names: Sequence[str]) -> Any:
    """All of `names` below each other, each as high as the others."""
    first, *others = names
    if not others:
        return first
    share = round(100 / len(names), 1)
    return {"direction": "column", "splitPercentage": share, "first": first, "second": _stacked(others)}


def _room(team: Sequence[str], width: float, depth: float) -> dict[str, Any]:
    camera = {
        "distance": TALL * max(width, depth), "perspective": True, "phi": 30, "thetaOffset": 0, "fovy": 45,
        "near": 0.5, "far": 5000, "target": [0, 0, 0], "targetOrientation": [0, 0, 0, 1],
        "targetOffset": [width / 2, depth / 2, 0],
    }  # fmt: skip
    scans = {
        f"/{name}/scan": {"visible": True, "colorMode": "flat", "flatColor": colour_of(name, team), "pointSize": 5}
        for name in team
    }
    return {
        "cameraState": camera, "followMode": "follow-none", "followTf": "room", "scene": {}, "transforms": {},
        "topics": {**{name: {"visible": True} for name in SHOWN}, **scans},
    }  # fmt: skip


def _levels(robot: str, sets: Sequence[str]) -> dict[str, Any]:
    """The motivation of each behavior set of one robot."""
    value = f'/{robot}/levels.levels[:]{{set=="%s"}}{{score=="motivation"}}.value'
    paths = [{"value": value % name, "label": name, "enabled": True, **BY_TIME} for name in sets]
    return {
        "title": robot, "paths": paths, "minYValue": 0, "isSynced": True, "showLegend": True,
        "xAxisVal": "timestamp", "showXAxisLabels": True, "showYAxisLabels": True, "legendDisplay": "floating",
    }  # fmt: skip
