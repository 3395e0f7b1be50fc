"""What opens a connection to a Pioneer, sent again as long as the robot does not show that it has received it."""

import math

from boards.pioneer import frames as wire

AGAIN_S = 0.3  # two packets of the robot and their way at 9600 baud
TRIES = 5  # in a row; then the robot is taken to know no such command
SELDOM_S = 5.0  # between two more requests for the configuration
ACCELERATION = 1000  # mm/s^2, of starts and stops: half of what a P3-DX's firmware allows
TURNING = 300  # degrees/s^2: what a P3-DX's firmware allows
ACCELERATIONS = ((wire.SETA, ACCELERATION), (wire.SETA, -ACCELERATION), (wire.SETRA, TURNING),
                 (wire.SETRA, -TURNING))  # fmt: skip


class Welcome:
    """What is to be sent in one connection, from `begin` on. All times are the loop's clock, s.

    Motors that have been seen switched on, and any after `TRIES` orders in vain, are left as they are: a person
    who presses the emergency stop must not find them on again when it is released. Sonars are on once one of them
    reports something. Nothing reports accelerations, so that they are sent twice.
    """

    def __init__(self) -> None:
        self.config: wire.Configuration | None = None
        self._tries = 0
        self._next = math.inf
        self._motors = self._sonars = False  # were seen switched on

    @property
    def unanswered(self) -> bool:
        """The robot has been asked for its configuration `TRIES` times in vain."""
        return self.config is None and self._tries > TRIES

    def begin(self, now: float) -> None:
        self._next = now

    def note(self, sip: wire.Sip) -> None:
        self._motors = self._motors or bool(sip.flags & wire.MOTORS_ON)
        self._sonars = self._sonars or bool(sip.sonar)

    def at(self) -> float:
        """When there is something to send next; inf for nothing."""
        return self._next if self._wanted() else math.inf

    def take(self, now: float) -> bytes:
        """What is to be sent now; it then counts as sent."""
        if now < self.at():
            return b""
        wanted = self._wanted()
        self._tries += 1
        self._next = now + (AGAIN_S if self._tries <= TRIES else SELDOM_S)
        return b"".join(wire.order(*order) for order in wanted)

    def _wanted(self) -> list[tuple[int, int | None]]:
        if not self._tries:
            return [(wire.OPEN, 1), (wire.PULSE, None), (wire.ENABLE, 1), (wire.SONAR, 1), (wire.CONFIG, 1),
                    *ACCELERATIONS]  # fmt: skip
        wanted: list[tuple[int, int | None]] = []
        if not self._motors and self._tries <= TRIES:
            wanted.append((wire.ENABLE, 1))
        if not self._sonars and self._tries <= TRIES:
            wanted.append((wire.SONAR, 1))
        if self.config is None:
            wanted.append((wire.CONFIG, 1))
        return wanted + (list(ACCELERATIONS) if self._tries == 1 else [])
