"""What a robot's radio has seen, for status and log."""

from __future__ import annotations

from dataclasses import dataclass, replace

from radio.duty_cycle import Airtime


@dataclass(frozen=True, slots=True)
class Contact:
    """One sender as heard: its number, frames taken, when the last one arrived (own clock, s).

    `missed` counts its frames between those taken, by their counters: lost on the way, or never on the air.
    """

    number: int
    frames: int
    last_heard: float
    missed: int = 0
    stamp: tuple[int, int] = (-1, 0)  # epoch and counter of the last one; no epoch is negative
    strength_dbm: float | None = None  # of the last one; None where the modem does not tell

    def met(self, at: float, stamp: tuple[int, int], strength_dbm: float | None) -> Contact:
        """The same sender with one more frame, which arrived at `at`."""
        (epoch, counter), (last_epoch, last_counter) = stamp, self.stamp
        return replace(
            self,
            frames=self.frames + 1,
            last_heard=at,
            missed=self.missed + (counter - last_counter - 1 if epoch == last_epoch else 0),
            stamp=stamp,
            strength_dbm=strength_dbm,
        )


@dataclass(frozen=True, slots=True)
class RadioStatistics:
    """An immutable snapshot; pairs are (reason, count), sorted."""

    alive: bool  # the modem, as far as it can tell
    pacing: str  # slots or free
    sent: int  # frames that left
    bytes_sent: int
    airtime_s: float
    law: Airtime
    pending: int  # states to be said
    heard: tuple[Contact, ...]  # sorted by number
    refused: tuple[tuple[str, int], ...]  # frames not believed
    skipped: tuple[tuple[str, int], ...]  # records not understood
    framing: tuple[tuple[str, int], ...]  # what the modem's framing dropped
