"""The secrets of a team: one key for all, or one for each robot, and two at once while keys are changed."""

from collections.abc import Mapping
from dataclasses import field

from robotd.model.value import value

KEY = 32  # bytes, the most that BLAKE2s takes
AT_ONCE = 2  # keys valid for one sender: the one that signs, and that before or after it


@value
class Keys:
    """The keys that a robot holds. Of each tuple the first signs, any verifies; ValueError for what are no keys.

    `team` is for all senders but those in `own` (by number, 0 a base station), whose frames bear their own key.
    Who can verify can also forge: a key of its own keeps a robot apart only from those that do not hold it.
    """

    team: tuple[bytes, ...] = field(repr=False)
    own: Mapping[int, tuple[bytes, ...]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for keys in (self.team, *self.own.values()):
            if len(keys) > AT_ONCE:
                raise ValueError(f"{len(keys)} keys for one sender; expected at most {AT_ONCE}")
            if any(len(key) != KEY for key in keys):
                raise ValueError(f"a key holds {KEY} bytes")
        if not self.team and not any(self.own.values()):
            raise ValueError("no key")

    def of(self, number: int) -> tuple[bytes, ...]:
        """The keys under which frames of a sender are believed, that which it signs with first; () for none."""
        return self.own.get(number, self.team)
