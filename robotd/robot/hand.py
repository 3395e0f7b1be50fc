"""Driving by hand: a person holds a button, and each order to drive counts for half a second (the dead man)."""

from robotd.model.command import EXPIRY_S
from robotd.model.inputs import Order
from robotd.model.plain import Json

MOST_TURN = 3.0  # rad/s
HELP = f"drive takes SPEED (-1 to 1, a share of the greatest) and TURN (-{MOST_TURN:g} to {MOST_TURN:g} rad/s)"


def parse(args: tuple[str, ...] | list[str]) -> tuple[float, float]:
    """Speed and turn of an order `drive`; ValueError."""
    try:
        speed, turn = (float(word) for word in args)
    except ValueError:
        raise ValueError(HELP) from None
    if not (abs(speed) <= 1.0 and abs(turn) <= MOST_TURN):
        raise ValueError(f"{HELP}, found {speed:g} and {turn:g}")
    return speed, turn


class Hand:
    """The last order to drive of a person, which counts for `EXPIRY_S`."""

    def __init__(self) -> None:
        self._held: tuple[float, float, float, str] | None = None  # when, speed, turn, by whom

    def take(self, order: Order, now: float) -> None:
        """An order of this tick: a drive counts from when it was given, and a stop takes the hand off."""
        if order.kind == "drive":
            speed, turn = parse(order.args)
            self._held = (now - order.age(now), speed, turn, order.by)
        elif order.kind in ("stop", "stop-team"):
            self._held = None

    def wants(self, now: float, *, may_move: bool) -> tuple[float, float] | None:
        """Speed and turn; None where no person drives it."""
        if self._held is not None and (not may_move or now - self._held[0] >= EXPIRY_S):
            self._held = None
        return self._held[1:3] if self._held is not None else None

    @property
    def reason(self) -> str:
        """In words; '' where no person drives it."""
        return f"driven by hand by {self._held[3] or 'a person'}" if self._held is not None else ""

    def freeze(self) -> Json:
        """None where no person drives it."""
        return list(self._held) if self._held is not None else None

    def thaw(self, state: Json) -> None:
        self._held = None
        if state is not None:
            assert isinstance(state, list | tuple)
            at, speed, turn, by = state
            self._held = (float(at), float(speed), float(turn), str(by))
