"""Ticking a robot in real time."""

from collections.abc import Callable
from dataclasses import replace

from robotd.model.command import EXPIRY_S
from robotd.robot.robot import STATISTICS_EVERY, Robot
from robotd.timing.ticker import Ticker


async def run_ticks(robot: Robot, ticker: Ticker, now: Callable[[], float], after: Callable[[], None]) -> None:
    """Tick for ever; `after` is called after each tick."""
    last = -1
    while True:
        n = await ticker.next()
        if last >= 0 and (n - last) * ticker.period_s > EXPIRY_S:
            robot.faults.open_fault("tick-stalled", f"{n - last - 1} ticks were skipped at a stretch", now())
        last = n
        robot.ticks = replace(robot.ticks, count=ticker.count, skipped=ticker.skipped)
        if n % STATISTICS_EVERY == 0:
            robot.ticks = ticker.statistics()
        robot.step(now(), n)
        after()
