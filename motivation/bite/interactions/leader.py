"""A leader decides for all and announces it: one message instead of three."""

from motivation.bite.interactions.contract import Decide, Point


class Leader(Decide):
    """The robot of the lowest number present decides as it senses and is informed."""

    steps = ("choose", "announce the choice")

    def decide(self, point: Point) -> int | None:
        """The leader's choice at the leader; the others wait for the announcement."""
        if min(point.team) != point.me:
            return None
        return point.first_enabled or (None if point.node.own.wait else 0)
