"""Which tune a driver has still to begin: a command names one as long as it is to be heard, and it begins once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Tunes:
    """See the module."""

    wanted: int | None = None  # by the newest command
    due: int | None = None  # not yet begun

    def want(self, tune: int | None) -> None:
        """What the newest command names."""
        if tune is not None and tune != self.wanted:
            self.due = tune
        self.wanted = tune

    def take(self) -> int | None:
        """The tune to begin now, which then counts as begun; None for none."""
        due, self.due = self.due, None
        return due
