"""Serial devices are sans-I/O: bytes in, bytes out; ports and emulators do the waiting."""

from collections.abc import Sequence
from typing import Protocol

from robotd.model.value import value


@value
class LineSettings:
    """How a port is opened, and after what silence (s) of a device it counts as dead."""

    baud: int = 115200
    dtr: bool | None = None  # None: left as the system has it
    rts: bool | None = None
    silence_s: float = 1.0


@value
class SetLine:
    """A modem line to be set between two writes."""

    dtr: bool | None = None
    rts: bool | None = None


class SerialDevice(Protocol):
    """The protocol side of a board or a modem."""

    @property
    def line(self) -> LineSettings:
        """How its port is opened."""

    @property
    def wake_at(self) -> float | None:
        """Next time it wants transmit() called; None: only after receive()."""

    @property
    def ready(self) -> bool:
        """A valid answer was seen since connect()."""

    @property
    def halt(self) -> bytes:
        """Boards: stops the motors whatever command was cut half-way before; modems: empty."""

    def connect(self, now: float) -> None:
        """Start, or start again, the handshake: everything pending of the old connection is void."""

    def receive(self, now: float, data: bytes) -> None:
        """Take what came, in whatever pieces; never raises, whatever it is."""

    def transmit(self, now: float) -> Sequence[bytes | SetLine]:
        """What to write now; called only when nothing is unsent, so the newest always wins."""
