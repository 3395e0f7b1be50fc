"""How even the ticks are: the ticker's single periods against those of a loop that just sleeps."""

import asyncio
import contextlib
import os
import statistics
from collections.abc import Awaitable, Callable, Iterator
from itertools import pairwise

from robotd.timing.ticker import Ticker
from tests.benches.measure import Figure, at_most

PERIOD_S = 0.02  # 50 Hz
ROUND_S, ROUNDS = 1.0, 10  # in turns, so that whatever else the machine does falls on both
BOUND = 1 / 3


async def _errors(wait: Callable[[], Awaitable[object]]) -> list[float]:
    loop = asyncio.get_running_loop()
    await wait()
    times = []
    for _ in range(round(ROUND_S / PERIOD_S)):
        times.append(loop.time())
        await wait()
    return [abs(later - earlier - PERIOD_S) for earlier, later in pairwise(times)]


async def _measure() -> tuple[list[float], list[float]]:
    ticking: list[float] = []
    sleeping: list[float] = []
    for _ in range(ROUNDS):
        ticker = Ticker(PERIOD_S)
        ticking += await _errors(ticker.next)
        ticker.close()
        sleeping += await _errors(lambda: asyncio.sleep(PERIOD_S))
    return ticking, sleeping


@contextlib.contextmanager
def undisturbed() -> Iterator[str]:
    """Before other processes where the system lets us, as their load is not what is measured; says which."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    except (AttributeError, OSError):
        yield "at normal priority"
        return
    try:
        yield "at real-time priority"
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def run() -> list[Figure]:
    with undisturbed() as how:
        ticking, sleeping = asyncio.run(_measure())
    one, other = statistics.median(ticking), statistics.median(sleeping)
    worst = statistics.quantiles(ticking, n=100)[98], statistics.quantiles(sleeping, n=100)[98]
    detail = (
        f"{one * 1e6:.0f} us against {other * 1e6:.0f} us of asyncio.sleep at {1 / PERIOD_S:.0f} Hz {how}; "
        f"99 %: {worst[0] * 1e3:.2f} against {worst[1] * 1e3:.2f} ms"
    )
    return [at_most("error of a tick's period", one / other, BOUND, detail)]
