"""An interaction behavior of one's own: what follows is drawn by lot, alike on all robots and without messages."""

from motivation.bite import Bite, Decide, Point
from robotd.model.streams import draw


class ByLot(Decide):
    """A successor drawn from the name of the behavior and its occurrence: a loop is left sooner or later."""

    talks = False

    def decide(self, point: Point) -> int:
        """The successor, from 1; preconditions are not asked, as robots may sense them differently."""
        return 1 + int(point.choices * draw(0, point.node.name, "lot", point.occurrence))


class BiteWithLots(Bite):
    """BITE with one protocol more."""

    protocols = Bite.protocols | {"by-lot": ByLot}


ROBOTD = {"robotd.coordinators": {"bite-with-lots": BiteWithLots}}
