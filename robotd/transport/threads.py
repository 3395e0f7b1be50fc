"""Blocking work beside the event loop, in threads that never keep the process from exiting."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def in_thread(work: Callable[[], T], discard: Callable[[T], object] = lambda _: None) -> asyncio.Future[T]:
    """The outcome of blocking `work` in a thread; a result no longer awaited goes to `discard`."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: Exception | None) -> None:
        if outcome.done():
            if result is not None:
                discard(result)
        elif error is not None:
            outcome.set_exception(error)
        else:
            outcome.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result: T | None = None
        failure: Exception | None = None
        try:
            result = work()
        except Exception as error:  # noqa: BLE001 - of the library that works there; else the outcome never comes
            failure = error
        with contextlib.suppress(RuntimeError):  # the loop is closed: the process is about to end
            loop.call_soon_threadsafe(settle, result, failure)

    threading.Thread(target=run, daemon=True, name="aside").start()
    return outcome
