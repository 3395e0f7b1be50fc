"""How links lose frames. A model is a pure function of the link and the slot, never of what was sent before."""

from dataclasses import field
from typing import Protocol

from robotd.model.streams import draw
from robotd.model.value import value


class LossModel(Protocol):
    """Decides the fate of one frame on one link."""

    def loses(self, sender: int, receiver: int, slot: int, share: float) -> bool:
        """Whether the frame of `slot` is lost between the two; `share` of all frames is, in the long run."""


@value
class Bernoulli:
    """Each frame is lost by itself. Raising the share loses the same frames and more."""

    seed: int

    def loses(self, sender: int, receiver: int, slot: int, share: float) -> bool:
        """See `LossModel.loses`."""
        return share > 0.0 and draw(self.seed, f"robot {sender}", f"loss to robot {receiver}", slot) < share


BURST_BEATS = 4.0  # the mean length of a bad spell: a little more than a silence time-out of 3 beats tolerates
A_SLOT = 8  # slots of a sender in one period of the channel: its paced frame, and stops


@value
class GilbertElliott:
    """Frames are lost in bursts: a link is good or bad, and all frames of a bad spell are lost (Gilbert 1960).

    A Markov chain, a step a period: `share` of the periods are bad, and bad spells last `burst` periods in the
    mean, or as long as it takes for good ones of one period in the mean.
    """

    seed: int
    burst: float = BURST_BEATS
    _bad: dict[tuple[int, int, float], list[bool]] = field(default_factory=dict, compare=False)  # known so far

    def loses(self, sender: int, receiver: int, slot: int, share: float) -> bool:
        """See `LossModel.loses`."""
        if share <= 0.0 or share >= 1.0:
            return share >= 1.0
        states = self._bad.setdefault((sender, receiver, share), [])
        while len(states) <= slot // A_SLOT:
            states.append(self._step(sender, receiver, share, states))
        return states[slot // A_SLOT]

    def _step(self, sender: int, receiver: int, share: float, states: list[bool]) -> bool:
        """The next state of a link; the first one is drawn from the long run."""
        burst = max(self.burst, share / (1.0 - share))
        begins = share / ((1.0 - share) * burst)
        bad = share if not states else 1.0 - 1.0 / burst if states[-1] else begins
        return draw(self.seed, f"robot {sender}", f"bursts to robot {receiver}", len(states)) < bad
