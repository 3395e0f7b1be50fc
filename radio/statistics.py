"""What a robot's radio has received and sent, for status and log."""

from collections.abc import Callable

from radio.duty_cycle import Airtime
from radio.reservation import Stamp
from robotd.model.value import value


@value
class Contact:
    """One sender as received: its number, frames taken, when the last one arrived (own clock, s).

    `missed` counts its frames between those taken, by their counters: lost on the way, or never on the air.
    """

    number: int
    frames: int
    last_received: float
    missed: int = 0
    stamp: Stamp = (-1, 0)  # epoch and counter of the last one; no epoch is negative
    strength_dbm: float | None = None  # RSSI of the last one; None where the modem does not report it


class Contacts:
    """The senders received by one modem."""

    def __init__(self) -> None:
        self._by_number: dict[int, Contact] = {}
        self._mismatched_at: dict[int, float] = {}  # by robot: when it was last received with another table

    def note(
        self, at: float, number: int, stamp: Stamp, rssi_dbm: float | None, *, same_mission: bool = True
    ) -> None:
        """A frame of `number` arrived at `at` and was taken."""
        if same_mission or number == 0:
            self._mismatched_at.pop(number, None)
        else:
            self._mismatched_at[number] = at
        known = self._by_number.get(number, Contact(number, 0, at))
        (epoch, counter), (last_epoch, last_counter) = stamp, known.stamp
        missed = known.missed + (counter - last_counter - 1 if epoch == last_epoch else 0)
        self._by_number[number] = Contact(number, known.frames + 1, at, missed, stamp, rssi_dbm)

    def find_mismatched(self, is_recent: Callable[[float], bool]) -> list[int]:
        """The robots whose last frame had another number table, where that is recent; sorted."""
        return sorted(number for number, at in self._mismatched_at.items() if is_recent(at))

    def by_number(self) -> tuple[Contact, ...]:
        """All of them, sorted by number."""
        return tuple(self._by_number[number] for number in sorted(self._by_number))


@value
class RadioStatistics:
    """An immutable snapshot; pairs are (reason, count), sorted."""

    alive: bool  # the modem, as far as it can detect
    pacing: str  # slots or free
    sent: int  # frames that left
    bytes_sent: int
    airtime_s: float
    limit: Airtime  # what the regulations leave
    pending: int  # states to be sent
    contacts: tuple[Contact, ...]  # sorted by number
    refused: tuple[tuple[str, int], ...]  # frames not believed
    skipped: tuple[tuple[str, int], ...]  # records not understood
    framing: tuple[tuple[str, int], ...]  # what the modem's framing dropped
