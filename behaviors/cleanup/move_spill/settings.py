"""What a mission file says of move-spill."""

from behaviors import parts


class SpillSettings(parts.Settings):
    """The table of the behavior set in the mission file."""

    speed: float = parts.setting(0.8, "on the way: share of the body's greatest speed", gt=0, le=1)
    slow: float = parts.setting(0.35, "near objects: share of the body's greatest speed", gt=0, le=1)
    object_seen_m: float = parts.setting(0.5, "farthest that an object is seen, m", gt=0.05, le=3)
    low_deg: float = parts.setting(
        30.0, "sensors within this bearing see objects on the floor, the others look over them, deg", gt=0, le=90
    )
    look_m: float = parts.setting(1.0, "distance between places to look round from, m", gt=0.2, le=5)
    wall_m: float = parts.setting(0.5, "they keep this off the walls, m", gt=0.1, le=3)
    look_rad_s: float = parts.setting(1.4, "how fast it looks round, rad/s", gt=0.1, le=3)
    sweeps: int = parts.setting(1, "searches of the whole area that show that it is moved", ge=1, le=10)
    keep_m: float = parts.setting(
        0.9, "objects within this distance of the goal are where they belong, m", gt=0, le=10
    )
    deliver_m: float = parts.setting(
        0.55, "it lets go before others that lie there within this distance of the goal, m", gt=0, le=10
    )
    slot_m: float = parts.setting(0.25, "between objects put down at the goal, m", gt=0, le=2)
    columns: int = parts.setting(2, "columns of objects put down on its own side of the goal", ge=1, le=10)
    rows: int = parts.setting(4, "objects in a column; then it starts again", ge=1, le=20)
    reject_s: float = parts.setting(
        25.0, "how long what turned out not to be an object is left alone, s", ge=0, le=600
    )
