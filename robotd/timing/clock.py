"""The one place that reads a clock other than the event loop's: wall-clock time, for names and boot epochs.

Nothing that decides may depend on it: a robot without a real-time clock starts in 1970, and clocks step.
"""

import datetime as dt
import os
import resource
import time  # noqa: TID251 - the exception that the ban is for

EPOCH_START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def wall() -> dt.datetime:
    """Wall-clock time, UTC; any value is possible."""
    return dt.datetime.now(tz=dt.UTC)  # noqa: TID251 - the exception that the ban is for


def minutes_since_2026() -> int | None:
    """Whole minutes since 2026-01-01, or None where the clock is plainly not set."""
    minutes = int((wall() - EPOCH_START).total_seconds() // 60)
    return minutes if minutes > 0 else None


def utc_text() -> str:
    """Date and time in ISO 8601, UTC, to the millisecond; '' where the clock is plainly not set."""
    return wall().isoformat(timespec="milliseconds") if minutes_since_2026() is not None else ""


def boot_seed() -> int:
    """A number that differs from start to start, for what must not be alike on two robots."""
    return int.from_bytes(os.urandom(8), "big")


def monotonic() -> float:
    """Seconds of the system's monotonic clock, for processes that have no event loop."""
    return time.monotonic()


def processor_s() -> float:
    """Seconds of processor time that this process has used."""
    return time.process_time()


def waits() -> int:
    """How often this thread has given the processor up by itself, to wait for something."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


def work_clock() -> float:
    """Seconds of the finest clock, for measuring the work of a tick; never part of a decision or a log."""
    return time.perf_counter()
