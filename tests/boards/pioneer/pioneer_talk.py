"""A Pioneer's driver at instants given by hand, and packets of a robot to feed it."""

from boards.pioneer import frames as wire
from boards.pioneer.driver import Pioneer
from robotd.model.command import Command
from tests.boards.hand import BaseTalk

FORWARD = Command(0.1, 0.1)
RESTING = wire.Sip(
    moves=False, x=0, y=0, heading=0, left=0, right=0, battery=125, stall=0, flags=3,
    sonar=tuple((k, 5000) for k in range(8)), grip=wire.NOT_OPEN,
)  # fmt: skip
DRIVING = RESTING._replace(moves=True, x=100, left=100, right=100)
CONFIGURATION = wire.build_configuration(1000, gripper=False, watchdog=2000)


class Talk(BaseTalk):
    """What it sends is given as (command, argument)."""

    driver = Pioneer

    def sent(self, now):
        return [(command, wire.argument_of(data)) for command, data in wire.PacketParser().feed(super().sent(now))]

    def receive(self, now, sip=RESTING, **changes):
        self.board.receive(now, wire.build_sip(sip._replace(**changes)))

    def greet(self, now=0.0, config=CONFIGURATION, subclass=b"p3dx", **changes):
        """The greeting, and the configuration, if any; what opened the connection."""
        for step, names in ((0, b""), (1, b""), (2, b"Rosie\0Pioneer\0" + subclass + b"\0")):
            assert self.sent(now) == [(step, None)]
            self.board.receive(now, wire.packet(step, names))
        opened = self.sent(now)
        if config is not None:
            self.board.receive(now, wire.packet(wire.CONFIGURATION, config))
        self.receive(now, **changes)
        return opened
