"""Allocation by a whole coordinator inside: ALLIANCE, MURDOCH, or any other that is installed."""

from collections.abc import Iterator, Mapping

from motivation.bite.interactions.contract import Allocate, Interaction, Point, Shares
from motivation.bite.settings import InteractionSettings


class NestedAllocation(Allocate):
    """The coordinator inside gives a robot one child after the other; the parent ends with the last chain."""

    repeats = True

    def __init__(self, settings: InteractionSettings, library: "Mapping[str, Interaction]") -> None:
        super().__init__(settings, library)
        self.steps = (f"{settings.coordinator} inside",)

    def faults(self) -> Iterator[tuple[str, str, str]]:
        """It needs the name of a coordinator."""
        if not self.settings.coordinator:
            yield "coordinator", "no coordinator inside", 'its name: "alliance" or "murdoch"'

    def allocate(self, point: Point) -> Shares | None:
        """The child that the coordinator inside chooses for this robot, once it has chosen one."""
        child = point.inside(self.settings)
        point.memory["allocates"] = point.memory.get("allocates", 0.0) or float(child)
        return Shares(child, {}) if point.memory["allocates"] else None
