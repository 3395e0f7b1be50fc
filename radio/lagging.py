"""Senders far behind what was taken of their number: they lost their memory, or recordings of them are played."""

from __future__ import annotations

from collections.abc import Callable


class LaggingSenders:
    """`received_at`: when each was last received with such a frame."""

    def __init__(self) -> None:
        self.received_at: dict[int, float] = {}
        self._reported_at: dict[int, float] = {}

    def next(self, at: float, is_recent: Callable[[float], bool]) -> int | None:
        """The sender to report to in the frame of `at`: by turns of those received recently; None: none was."""
        recent = [number for number, last in self.received_at.items() if is_recent(last)]
        if not recent:
            return None
        number = min(recent, key=lambda number: (self._reported_at.get(number, -1.0), number))
        self._reported_at[number] = at
        return number
