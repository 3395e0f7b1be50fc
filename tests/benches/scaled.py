"""The mission `service` for any number of robots and tasks: what the benchmarks of growth simulate."""

import math
from typing import Any

from robotd.config.load import Mission, find_mission, load_mission

CELL_M = 6.0  # of the room for each robot or place: no team is denser than another
RATES = {"fast_rate": 5.0, "slow_rate": 0.4, "patience_s": 240.0, "yield_time_s": 240.0, "give_up_time_s": 300.0}
NEVER = {**RATES, "fast_rate": 1e-6, "slow_rate": 1e-7}
KNOWN = {"goto": 0.9, "empty": 0.9}
WORK_S = 20.0  # at a place


def changes(robots: int, tasks: int) -> dict[str, Any]:
    """What replaces keys of `service`: so many robots, all alike, and so many places with a bin each to empty."""
    side = math.ceil(math.sqrt(max(robots, tasks)))
    # Places in the order of their distance from the entrance, whatever the size of the room.
    cells = sorted(((k // side, k % side) for k in range(side * side)), key=lambda cell: (max(cell), cell))
    places = [((x + 0.5) * CELL_M, (y + 0.5) * CELL_M) for x, y in cells[:tasks]]
    visit = {
        "number": tasks + 1, "kind": "visit", "args": {"x": "1.0", "y": "1.0"}, "recurring": True,
        "terms": {"cobos": {"idle": True}},
    }  # fmt: skip
    return {
        "team": {f"r{k}": {"number": k, "type": "bins"} for k in range(1, robots + 1)},
        "types": {"bins": {"body": {"hull": "pioneer", "tools": ["tipper"]}, "terms": {"cobos": KNOWN}}},
        "robots": {},
        "tasks": {"t0": visit, **{f"t{k}": _task(k, *place) for k, place in enumerate(places, 1)}},
        "facts": {f"t{k}-served": {"number": k, "kind": "flag"} for k in range(1, tasks + 1)},
        "sets": {
            "visit": {"behavior": "visit", "task": "t0", "motivation": NEVER},
            **{f"serve-{k}": {"behavior": "empty-bin", "task": f"t{k}", "motivation": RATES}
               for k in range(1, tasks + 1)},
        },
        "radio.range_m": 1000.0,
        "world.width_m": max(side, 3) * CELL_M, "world.depth_m": max(side, 3) * CELL_M,
        "world.areas": [
            {"name": f"place-{k}", "kind": "garbage", "x_m": x, "y_m": y, "work_s": WORK_S}
            for k, (x, y) in enumerate(places, 1)
        ],
    }  # fmt: skip


def _task(k: int, x: float, y: float) -> dict[str, Any]:
    murdoch = {"by": "r1", "resources": ["mobile", "tipper"], "metrics": ["distance"], "range_m": 142.0}
    cobos = {"ways": [["goto", "empty"]], "priority": k, "expected_s": 240.0}
    args = {"x": f"{x:.1f}", "y": f"{y:.1f}", "area": f"place-{k}"}
    terms = {"murdoch": murdoch, "cobos": cobos}
    return {"number": k, "kind": "empty-bin", "args": args, "completion": f"t{k}-served", "terms": terms}


def mission_of(coordinator: str, robots: int, tasks: int) -> Mission:
    """The mission, loaded; ConfigError where it is faulty."""
    changed = {**changes(robots, tasks), "coordinator.name": coordinator}
    return load_mission(find_mission("service"), changed)
