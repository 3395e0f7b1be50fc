"""How links lose frames. A model is a pure function of the link and the slot, never of what was sent before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from robotd.model.streams import draw


class LossModel(Protocol):
    """Decides the fate of one frame on one link."""

    def loses(self, sender: int, receiver: int, slot: int, share: float) -> bool:
        """Whether the frame of `slot` is lost between the two; `share` of all frames is, in the long run."""


@dataclass(frozen=True, slots=True)
class Bernoulli:
    """Each frame is lost by itself. Raising the share loses the same frames and more."""

    seed: int

    def loses(self, sender: int, receiver: int, slot: int, share: float) -> bool:
        """See `LossModel.loses`."""
        return share > 0.0 and draw(self.seed, f"robot {sender}", f"loss to robot {receiver}", slot) < share
