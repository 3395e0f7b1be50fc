"""Deadlines, overruns and their statistics; virtual time but for two tests of the system's own timer."""

import asyncio
import gc

import pytest

from robotd.timing import clock
from robotd.timing.gc_control import YOUNG, rarely_collected
from robotd.timing.ticker import Durations, Ticker
from robotd.timing.virtual_loop import run_virtual
from tests.robotd.transport.serial_helper import descriptors

TIMER = "anon_inode:[timerfd]"


def ticks(work, count, period=0.05, phase=0.0):
    """(n, time) of `count` ticks, the k-th of which takes work.get(k, 0) s; and the statistics at the end."""

    async def main():
        loop = asyncio.get_running_loop()
        ticker = Ticker(period, phase)
        seen = []
        for k in range(count):
            n = await ticker.next()
            seen.append((n, loop.time()))
            await asyncio.sleep(work.get(k, 0.0))
        ticker.close()
        return seen, ticker.statistics()

    return run_virtual(main())


def test_ticks_come_at_origin_plus_phase_plus_n_periods_to_the_last_bit():
    seen, statistics = ticks({}, 1000, phase=0.0123)
    assert seen == [(n, 0.0123 + n * 0.05) for n in range(1000)]
    assert (statistics.count, statistics.skipped, statistics.lateness.max) == (1000, 0, 0.0)


@pytest.mark.parametrize(
    ("work", "seen", "skipped"),
    [
        (dict.fromkeys(range(10), 0.049), {n: n * 0.05 for n in range(10)}, 0),  # within the period
        ({2: 0.230}, {0: 0.0, 1: 0.05, 2: 0.1, 7: 7 * 0.05, 8: 8 * 0.05}, 4),  # keeps the phase
        ({0: 1.03}, {0: 0.0, 21: 21 * 0.05, 22: 22 * 0.05}, 20),  # never a burst
        ({0: 0.054}, {0: 0.0, 1: 0.054, 2: 0.1}, 0),  # late by under a tenth of a period: at once
        ({0: 0.056}, {0: 0.0, 2: 0.1, 3: 3 * 0.05}, 1),  # by over a tenth: the next multiple
        ({0: 0.154}, {0: 0.0, 3: 0.154}, 2),  # the same after a long overrun
    ],
)
def test_an_overrun_skips_whole_periods_beyond_a_tenth_and_moves_no_deadline(work, seen, skipped):
    ticked, statistics = ticks(work, len(seen))
    assert (dict(ticked), statistics.skipped) == (seen, skipped)
    assert statistics.lateness.max == pytest.approx(max(at - n * 0.05 for n, at in seen.items()), abs=1e-12)


def test_an_origin_may_be_given_so_that_several_share_one_grid():
    async def main():
        await asyncio.sleep(0.33)
        ticker = Ticker(0.1, origin_s=0.0)
        return await ticker.next(), asyncio.get_running_loop().time()

    assert run_virtual(main()) == (4, pytest.approx(0.4))


def test_a_period_must_be_positive():
    async def main():
        Ticker(0.0)

    with pytest.raises(ValueError, match="positive"):
        run_virtual(main())


async def test_on_the_systems_timer_ticks_are_never_early_and_the_descriptor_is_given_back():
    before = descriptors(TIMER)
    ticker = Ticker(0.01)
    loop = asyncio.get_running_loop()
    for _ in range(10):
        n = await ticker.next()
        assert loop.time() >= ticker.deadline(n)
    statistics = ticker.statistics()
    assert statistics.count == 10
    assert statistics.work.max > 0.0
    assert descriptors(TIMER) == before + 1
    ticker.close()
    ticker.close()
    assert descriptors(TIMER) == before


async def test_a_cancelled_wait_leaves_nothing_behind_and_the_next_one_works():
    ticker = Ticker(0.02)
    await ticker.next()
    waiting = asyncio.create_task(ticker.next())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await ticker.next() >= 1
    ticker.close()


async def test_a_really_blocked_loop_skips_too():
    ticker = Ticker(0.01)
    first = await ticker.next()  # above 0 where the machine is busy
    until = clock.monotonic() + 0.055
    while clock.monotonic() < until:
        pass
    second = await ticker.next()
    assert second >= first + 6
    assert ticker.statistics().skipped == second - 1  # all but the two that ran
    ticker.close()


def test_percentiles_are_right_within_three_percent_and_the_maximum_exactly():
    durations = Durations()
    for k in range(1, 1001):
        durations.add(k * 1e-3)
    spread = durations.spread()
    assert spread.p50 == pytest.approx(0.500, rel=0.032)
    assert spread.p99 == pytest.approx(0.990, rel=0.032)
    assert spread.max == 1.0


def test_no_durations_give_zeros_and_a_long_run_keeps_memory_bounded():
    durations = Durations()
    assert durations.spread().max == 0.0
    for k in range(20000):
        durations.add(k * 1e-5)
    assert len(durations._buckets) < 400


# -- the garbage collector


@pytest.mark.parametrize("frozen", [False, True])
def test_the_collector_looks_rarely_meanwhile_and_as_before_afterwards(frozen) -> None:
    gc.freeze() if frozen else gc.unfreeze()
    before = gc.get_threshold()
    with rarely_collected():
        assert gc.get_threshold() == (YOUNG, *before[1:])
        assert gc.get_freeze_count() > 0
    assert gc.get_threshold() == before
    assert (gc.get_freeze_count() > 0) == frozen


def test_an_error_meanwhile_leaves_it_as_before_too() -> None:
    before = gc.get_threshold()
    with pytest.raises(ValueError, match="meanwhile"), rarely_collected():
        raise ValueError("meanwhile")
    assert gc.get_threshold() == before
