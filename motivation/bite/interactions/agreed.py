"""Agreed order: what was fixed beforehand, without messages. It takes no time and serves where all sense alike."""

from collections import Counter

from motivation.bite.interactions.contract import Allocate, Decide, Point, Shares


class Agreed(Decide, Allocate):
    """The first enabled successor in the order of the file; the first child to the robot of the lowest number."""

    steps = ("take the first in order",)
    talks = False

    def decide(self, point: Point) -> int | None:
        """The first successor that is enabled as this robot knows it; robots that sense otherwise differ."""
        return point.first_enabled or (None if point.node.own.wait else 0)

    def allocate(self, point: Point) -> Shares:
        """Robots by number, each to the first child that has the fewest; a behavior of a single robot takes one.

        Where those that are done early get another child, robots at work stay.
        """
        who = {robot: child for robot, child in self._at_work(point).items() if child}
        for robot in point.team:
            if robot not in who and (child := _emptiest(point, robot, Counter(who.values()))):
                who[robot] = child
        return Shares(who.get(point.me, 0), {robot: who.get(robot, 0) for robot in point.team})

    @staticmethod
    def _at_work(point: Point) -> dict[int, int]:
        """Who keeps the child that it is on: of several on one of a single robot, the lowest number."""
        if not point.memory.get("repeats"):
            return {}
        kept: dict[int, int] = {}
        for robot in point.team:
            child = point.on.get(robot, 0)
            has = list(kept.values()).count(child)
            if child and not point.done >> child - 1 & 1 and _takes(point, child, has):
                kept[robot] = child
        return kept


def _takes(point: Point, child: int, has: int) -> bool:
    return point.children[child - 1].is_joint or has == 0


def _emptiest(point: Point, robot: int, counts: Counter[int]) -> int:
    """The child with the fewest robots that takes this one; 0: none."""
    open_ = [
        (counts[child], child) for child, node in enumerate(point.children, 1)
        if not point.done >> child - 1 & 1
        and _takes(point, child, counts[child])
        and (not node.is_joint or robot in node.team)
    ]  # fmt: skip
    return min(open_)[1] if open_ else 0
