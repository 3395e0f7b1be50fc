"""What a driver gives as its senses: its last reading while that is fresh, else nothing, with its age."""

from __future__ import annotations

from typing import Protocol

from robotd.model.senses import Ages, Senses


class Reading(Protocol):
    """What a device has said last of its body."""

    @property
    def at(self) -> float:
        """When it came, s."""

    def senses(self, now: float) -> Senses:
        """It as the board contract has it, with ages at `now`."""


def felt(now: float, reading: Reading | None, *, hears: bool, stale_s: float) -> Senses:
    """The reading while the driver `hears`; else empty, as old as the reading, or `stale_s` where none came."""
    if reading is not None and hears:
        return reading.senses(now)
    age = now - reading.at if reading is not None else stale_s
    return Senses(ages=Ages(age, age, age, age, age, age, age))
