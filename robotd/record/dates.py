"""Date and time of what a robot's log holds: a part says when it began, UTC, if the computer's clock was set."""

import datetime as dt
import math
from dataclasses import dataclass, field

SHORT = "%Y-%m-%d %H:%M:%S UTC"
EXPECTED = 'expected seconds from the start of the log, or a date and time (UTC) such as "2026-11-28 14:05"'
STEP_S = 1.0  # between two parts the clock was set by more than this: another part counts


def epoch_of(text: str) -> float:
    """Seconds since 1970 of a date and time in ISO 8601, UTC where it names no zone; ValueError."""
    given = text.strip().removesuffix("UTC").strip()
    if not given[:4].isdecimal() or "-" not in given:
        raise ValueError(f"{text!r}: {EXPECTED}")
    try:
        found = dt.datetime.fromisoformat(given)
    except ValueError:
        raise ValueError(f"{text!r}: {EXPECTED}") from None
    return (found if found.tzinfo else found.replace(tzinfo=dt.UTC)).timestamp()


def utc_text(epoch_s: float) -> str:
    """A date and time for people, to the second."""
    return dt.datetime.fromtimestamp(epoch_s, dt.UTC).strftime(SHORT)


def instant(text: str) -> float | dt.datetime:
    """What `--at` was given: seconds from the start of a log, at least 0, or a date and time; ValueError."""
    try:
        seconds = float(text)
    except ValueError:
        return dt.datetime.fromtimestamp(epoch_of(text), dt.UTC)
    if not 0 <= seconds < math.inf:
        raise ValueError(f"{text}: {EXPECTED}, 0 or more")
    return seconds


@dataclass
class Dates:
    """Which date and time it was at seconds from the start of a log, as far as that is known."""

    _offsets: list[tuple[float, float]] = field(default_factory=list)  # from when on, and what is to be added

    def note(self, at: float, epoch_s: float) -> None:
        """It was `epoch_s` (s since 1970) at `at` (s from the start of the log)."""
        offset = epoch_s - at
        if not self._offsets or abs(offset - self._offsets[-1][1]) > STEP_S:
            self._offsets.append((at, offset))

    def of(self, at: float) -> str:
        """The date and time then; '' where it is not known."""
        before = [offset for start, offset in self._offsets if start <= at + STEP_S]
        try:
            return utc_text(at + before[-1]) if before else ""
        except (ValueError, OverflowError):  # of a broken log: no date that there is
            return ""
