"""A Create 2's driver at instants given by hand, and frames of a robot to feed it."""

from __future__ import annotations

from boards.create2 import frames as wire
from boards.create2.driver import Create2, Create2Settings
from robotd.model.command import Command

LAYOUT = wire.Layout(wire.SENSED)
RESTING = {
    **dict.fromkeys(wire.SENSED, 0),
    **dict.fromkeys(wire.LIGHTS, 33),
    wire.CHARGE: 2300,
    wire.CAPACITY: 2696,
}
FORWARD = Command(0.1, 0.1)


def frame(**changes):
    """A frame of a robot in Safe mode at rest, with packets changed by number (p7 = 1)."""
    values = {**RESTING, wire.MODE: wire.SAFE_MODE, **{int(name[1:]): value for name, value in changes.items()}}
    return LAYOUT.build([values[packet] for packet in wire.SENSED])


class Talk:
    """A driver at instants given by hand."""

    def __init__(self, **table):
        self.board = Create2(Create2Settings(**table))
        self.board.connect(0.0)

    def sent(self, now):
        return b"".join(part for part in self.board.transmit(now) if isinstance(part, bytes))

    def hear(self, now, **changes):
        self.board.receive(now, frame(**changes))

    def missing(self, now):
        return dict(self.board.capabilities(now).missing)


def answered():
    """A driver whose robot has answered at 0 s and is in Safe mode."""
    talk = Talk()
    talk.sent(0.0)
    talk.hear(0.0)
    return talk
