"""Progress on standard error: a bar on a terminal, where rich is installed; else lines, of experiments alone."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from robotd.files.progress_bar import bar
from robotd.record.reading import LogLines
from robotd.timing.clock import monotonic

LINE_S = 30.0  # from line to line: short experiments write none
MINUTE_S, HOUR_S = 60.0, 3600.0
FEW = 100.0  # runs a minute: below, digits after the point count


@contextlib.contextmanager
def reading(log: Path, doing: str) -> Iterator[Callable[[int], None] | None]:
    """Shows on standard error how much of `log` was read; yields what takes the bytes so far."""
    total = LogLines(log).size() if sys.stderr.isatty() else None
    with bar(doing, total, "TaskProgressColumn", "TimeRemainingColumn") as update:
        yield update and (lambda read: update(completed=read))


class Pace:
    """Runs a minute since the first `note`; what an earlier command did is no run of this one."""

    def __init__(self, now: float) -> None:
        self._start = now
        self._before: int | None = None

    def note(self, done: int, total: int, now: float) -> str:
        """So many runs are done at `now` (s): their pace, and the time left, in words; '' before the first."""
        if self._before is None:
            self._before = done
        own, span_s = done - self._before, now - self._start
        if own <= 0 or span_s <= 0.0:
            return ""
        a_minute = MINUTE_S * own / span_s
        rate = f"{a_minute:.0f}" if a_minute >= FEW else f"{a_minute:.3g}"
        return f"{rate} runs a minute, {in_words((total - done) * span_s / own)} left"


def in_words(seconds: float) -> str:
    """A time in its unit: 45 s, 12 min, 3.2 h."""
    if seconds < 2 * MINUTE_S:
        return f"{seconds:.0f} s"
    return f"{seconds / MINUTE_S:.0f} min" if seconds < 2 * HOUR_S else f"{seconds / HOUR_S:.1f} h"


@contextlib.contextmanager
def pacing(name: str, clock: Callable[[], float] = monotonic) -> Iterator[Callable[[int, int], None]]:
    """Yields what takes how many runs are done, and of how many; it shows them on standard error."""
    pace, written_at = Pace(clock()), clock()
    with bar(name, None, "MofNCompleteColumn") as update:

        def show(done: int, total: int) -> None:
            nonlocal written_at
            now = clock()
            words = pace.note(done, total, now)
            if update is not None:
                update(completed=done, total=total, description=f"{name} {words}".rstrip())
            elif words and now - written_at >= LINE_S:
                written_at = now
                print(f"{name}: {done} of {total} runs, {words}", file=sys.stderr, flush=True)

        yield show
