"""A setting that changes now and then, read at any instant."""

from __future__ import annotations

from bisect import bisect_left
from typing import Generic, TypeVar

T = TypeVar("T")


class History(Generic[T]):
    """What a setting was at each instant. A change made at t holds for all after t, and not yet at t itself:
    so a reader at t reads the same, whether before or after `set` is called."""

    def __init__(self, first: T) -> None:
        self._times: list[float] = []
        self._values = [first]

    def set(self, value: T, now: float) -> None:
        """From `now` on, which is no earlier than any change before, the setting is `value`."""
        self._times.append(now)
        self._values.append(value)

    def at(self, time: float) -> T:
        """The setting at `time`."""
        return self._values[bisect_left(self._times, time)]
