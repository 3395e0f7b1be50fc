"""Frames handed to the modem, from then until the modem reports which of them left."""

from radio.contract import Modem
from robotd.model.statements import Sent, Statement
from robotd.model.value import value

_MAX_FLIGHTS = 4  # remembered until the modem reports them: one regular, one stop, and their next


@value
class Flight:
    """A frame handed to the modem, and its statements as rounded on the air."""

    frame: bytes
    statements: tuple[Statement, ...]
    paced: bool


class Flights:
    """The frames on their way through one modem, and the counts of those that left."""

    def __init__(self, modem: Modem) -> None:
        self._modem = modem
        self._flights: tuple[Flight, ...] = ()
        self._sent: tuple[Sent, ...] = ()
        self.frames = self.bytes = 0
        self.airtime_s = 0.0

    def __bool__(self) -> bool:
        """Whether some frame has been handed over and is not known to have left."""
        return bool(self._flights)

    def hand_over(self, now: float, at: float, flight: Flight) -> None:
        """Give a frame to the modem, to leave at `at`."""
        self._flights = (*self._flights, flight)[-_MAX_FLIGHTS:]
        self._modem.send(now, flight.frame, at)

    def collect(self, now: float) -> list[tuple[float, float, bool]]:
        """When frames left since the last call, their airtime (s) and whether they were paced; each is counted.

        Frames handed over before one that left are void.
        """
        departures = []
        for at, frame in self._modem.left(now):
            place = next((i for i, flight in enumerate(self._flights) if flight.frame == frame), None)
            if place is None:
                continue
            flight, self._flights = self._flights[place], self._flights[place + 1 :]
            airtime_s = self._modem.airtime(len(frame))
            departures.append((at, airtime_s, flight.paced))
            self._sent += (Sent(at, flight.statements),)
            self.frames += 1
            self.bytes += len(frame)
            self.airtime_s += airtime_s
        return departures

    def take_sent(self) -> tuple[Sent, ...]:
        """What left and was not returned yet, as rounded on the air, by time."""
        sent, self._sent = self._sent, ()
        return sent
