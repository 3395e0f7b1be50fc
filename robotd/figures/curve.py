"""A quantity over time, thinned to what a plot can show, in memory that does not grow with the run."""

from __future__ import annotations

from collections.abc import Sequence

BINS = 1500  # at least half of them are in use, and a panel on a page is some 700 dots wide
FINEST_S = 0.05  # width of a bin at the start: one control tick
Point = tuple[float, float]


class Curve:
    """Samples in order of time. Each bin of time keeps its first, least, greatest and last one.

    A line through what is kept looks the same as one through everything, as long as a bin is no wider than a dot.
    The bins double whenever there are more than `bins`.
    """

    def __init__(self, bins: int = BINS) -> None:
        self._most = bins
        self._width = FINEST_S
        self._bins: list[list[Point]] = []
        self._number = -1  # of the last bin

    def add(self, at: float, value: float) -> None:
        """Take the next sample; `at` (s) is not before the last one's."""
        number = int(at / self._width)
        if number == self._number:
            points = self._bins[-1]
            points.append((at, value))
            if len(points) > 8:
                self._bins[-1] = thinned(points)
            return
        self._bins.append([(at, value)])
        self._number = number
        while len(self._bins) > self._most:
            self._coarsen()

    def _coarsen(self) -> None:
        self._width *= 2.0
        merged: list[list[Point]] = []
        last = None
        for points in self._bins:
            number = int(points[0][0] / self._width)
            if number == last:
                merged[-1] = thinned(merged[-1] + points)
            else:
                merged.append(points)
            last = number
        self._bins = merged
        self._number = -1 if last is None else last

    def points(self) -> list[Point]:
        """What is kept, in order of time: at most four samples a bin."""
        return [point for points in self._bins for point in thinned(points)]


def thinned(points: Sequence[Point]) -> list[Point]:
    """The first, least, greatest and last of `points`, in order of time and each once."""
    if len(points) <= 2:
        return list(points)
    last = len(points) - 1
    low = min(range(len(points)), key=lambda k: points[k][1])
    high = max(range(len(points)), key=lambda k: points[k][1])
    return [points[k] for k in sorted({0, low, high, last})]
