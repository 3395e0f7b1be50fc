"""Orders that open a run wait until this robot knows which run its team is in.

A number that the team has used would join the old run's facts to the new run. Once a frame of each teammate has
been received, or none within the time in which a live one sends, the next number is new.
"""

from robotd.model.beliefs import SILENT_BEATS, Beliefs
from robotd.model.inputs import Order

KINDS = ("mission-start", "mission-stop", "mission-reset")
UNCHECKED = "unchecked"  # an argument of an order: the team is new, as in a simulation of processes
ALL_BEATS = 2.0  # after the start: in one beat and its jitter each teammate in reach has sent
GREETED_S = 2.0  # a modem that is there has answered by then; without one nothing is received
LONGEST_BEATS = SILENT_BEATS + 1.0  # a teammate waits a beat after its own start


class RunOrders:
    """Holds these orders, and releases them in the order in which they came."""

    def __init__(self) -> None:
        self._held: list[Order] = []

    @property
    def waiting(self) -> str:
        """The kind of the newest order that waits; '' if none does."""
        return self._held[-1].kind if self._held else ""

    def hold(self, order: Order) -> bool:
        """Keep `order` until `release`; False where it is none of these."""
        if order.kind not in KINDS or (UNCHECKED in order.args and not self._held):
            return False
        self._held.append(order)
        return True

    def release(self, beliefs: Beliefs, up_s: float, *, alive: bool) -> list[Order]:
        """The orders that waited, once the team's run is known. `up_s`: since the start; `alive`: the modem."""
        if self._held and _knows_run(beliefs, up_s / beliefs.table.beat_s, alive=alive or up_s < GREETED_S):
            held, self._held = self._held, []
            return held
        return []


def _knows_run(beliefs: Beliefs, beats: float, *, alive: bool) -> bool:
    """Whether a robot that has run for so many beats knows the newest run of the teammates in reach."""
    if len(beliefs.teammates) >= len(beliefs.table.team) - 1 or beats >= LONGEST_BEATS:
        return True
    return (beats >= ALL_BEATS and bool(beliefs.teammates)) or not alive
