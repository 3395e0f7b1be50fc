"""Which robots are in a network: those received lately, by the robot itself or by others that it receives (II-A).

Each robot reports for every teammate how long ago it was received, in beats, rounded up, so that a relayed report
never makes a robot seem received later than it was, and one that left is gone everywhere after the same time.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from robotd.model.statements import Heard, Statement, StatementKind

ROBOTS = 8  # in one statement, three bits each
GONE = 7  # an age that says: not received, or too long ago
LEAST_S = 0.25  # a beat counts as this long at least, however fast the radio: networks pause now and then
KINDS = (
    StatementKind("presence", 0, (("ages", "u24"),), key=0, priority=4),
    StatementKind("presence-more", 0, (("page", "u8"), ("ages", "u24")), key=1, priority=4),
)
"""The first eight robots of the team by number, and further eights by page."""


def reported(
    me: int, seen: Mapping[int, float], team: Sequence[int], now: float, unit_s: float
) -> list[Statement]:
    """What a robot reports of the others: `seen` by number when any robot received them last, own clock, s."""
    statements = []
    for page, start in enumerate(range(0, len(team), ROBOTS)):
        ages = 0
        for k, robot in enumerate(team[start : start + ROBOTS]):
            age = (
                GONE
                if robot == me or robot not in seen
                else math.ceil(max(0.0, now - seen[robot]) / unit_s - 1e-9)
            )
            ages |= min(GONE, age) << 3 * k
        statements.append(Statement("presence-more", (page, ages)) if page else Statement("presence", (ages,)))
    return statements


def received(
    me: int, seen: Mapping[int, float], team: Sequence[int], frames: Iterable[Heard], unit_s: float
) -> dict[int, float]:
    """When each robot was received last by any robot, own clock, s, after some frames more."""
    latest = dict(seen)
    for frame in frames:
        if not frame.same_mission or frame.sender not in team:
            continue
        latest[frame.sender] = max(latest.get(frame.sender, -math.inf), frame.at)
        for one in frame.statements:
            if one.kind not in ("presence", "presence-more"):
                continue
            *page, ages = (int(x) for x in one.fields)  # type: ignore[arg-type]
            start = ROBOTS * page[0] if page else 0
            for k, robot in enumerate(team[start : start + ROBOTS]):
                age = ages >> 3 * k & 7
                if robot != me and age != GONE:
                    latest[robot] = max(latest.get(robot, -math.inf), frame.at - age * unit_s)
    return latest


def network(seen: Mapping[int, float], now: float, window_s: float) -> frozenset[int]:
    """The robots received within the window, without the one that asks."""
    return frozenset(robot for robot, at in seen.items() if now - at <= window_s)
