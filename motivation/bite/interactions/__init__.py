"""The library of interaction behaviors, each a class of its own; a subclass of `Bite` may add others."""

from collections.abc import Mapping

from motivation.bite.interactions.agreed import Agreed
from motivation.bite.interactions.by_sight import BySight
from motivation.bite.interactions.contract import KINDS_OF, Allocate, Decide, Interaction, Point, Shares, Terminate
from motivation.bite.interactions.ending import Alone, First, Reallocate, WaitForAll
from motivation.bite.interactions.leader import Leader
from motivation.bite.interactions.market import Market
from motivation.bite.interactions.nested import NestedAllocation
from motivation.bite.interactions.vote import Vote
from motivation.bite.settings import InteractionSettings

__all__ = ["KINDS_OF", "PROTOCOLS", "Allocate", "Decide", "Interaction", "Library", "Point", "Shares", "Terminate"]
PROTOCOLS: dict[str, type[Interaction]] = {
    "vote": Vote, "leader": Leader, "agreed": Agreed,
    "market": Market, "nested": NestedAllocation, "by-sight": BySight,
    "all": WaitForAll, "first": First, "alone": Alone, "reallocate": Reallocate,
}  # fmt: skip


class Library(dict[str, Interaction]):
    """Interaction behaviors by name: each protocol under its own, and those of the mission file."""

    def __init__(
        self, protocols: Mapping[str, type[Interaction]], settings: Mapping[str, InteractionSettings]
    ) -> None:
        """An interaction behavior whose protocol is not there is left out."""
        self.protocols = tuple(protocols)
        plain = {name: InteractionSettings(protocol=name) for name in protocols if name != "nested"}
        for name, own in {**plain, **settings}.items():
            if own.protocol in protocols:
                self[name] = protocols[own.protocol](own, self)
