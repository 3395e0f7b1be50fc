"""The virtual-time loop: exact instants, order of scheduling, no waiting, and loud failure instead of hanging."""

import asyncio
import os
import pty
import signal
import threading
import tty

import pytest

from robotd.timing import clock
from robotd.timing.virtual_loop import StuckError, VirtualLoop, is_virtual, run_virtual


def test_an_hour_passes_in_an_instant_and_exactly():
    async def main():
        loop = asyncio.get_running_loop()
        await asyncio.sleep(3600)
        return loop.time()

    before = clock.monotonic()
    assert run_virtual(main()) == 3600.0
    assert clock.monotonic() - before < 600.0


def test_timers_of_one_instant_run_in_the_order_of_scheduling():
    ran = []

    async def main():
        loop = asyncio.get_running_loop()
        for number in range(50):
            loop.call_at(1.0 if number % 2 else 2.0, ran.append, number)
        await asyncio.sleep(3)

    run_virtual(main())
    assert ran == [*range(1, 50, 2), *range(0, 50, 2)]


def test_a_timer_one_ulp_later_does_not_run_at_this_instant():
    late = 86400.0
    seen = []

    async def main():
        loop = asyncio.get_running_loop()
        for when in (late + 2e-11, late):
            loop.call_at(when, lambda: seen.append(loop.time()))
        await asyncio.sleep(late + 1)

    run_virtual(main())
    assert seen == [late, late + 2e-11]


def test_a_cancelled_timer_moves_no_clock():
    async def main():
        loop = asyncio.get_running_loop()
        loop.call_at(5.0, lambda: None).cancel()
        await asyncio.sleep(7.0)
        return loop.time()

    assert run_virtual(main()) == 7.0


def test_periodic_calls_come_at_their_instants_after_the_timers_of_that_instant_until_cancelled():
    seen = []

    async def main():
        loop = asyncio.get_running_loop()
        first = loop.call_every(0.25, 0.5, lambda n: seen.append(("first", n, loop.time())))
        second = loop.call_every(0.25, 0.75, lambda n: seen.append(("second", n, loop.time())))
        loop.call_at(0.25, seen.append, "timer")
        await asyncio.sleep(1.25)
        first.cancel()
        await asyncio.sleep(1.0)
        second.cancel()
        return first.count, second.count

    assert run_virtual(main()) == (2, 3)
    firsts = [("first", 0, 0.25), ("second", 0, 0.25), ("first", 1, 0.75)]
    assert seen == ["timer", *firsts, ("second", 1, 1.0), ("second", 2, 1.75)]


def test_what_a_periodic_call_makes_ready_runs_at_that_instant_and_what_it_raises_ends_the_run():
    seen = []

    async def main():
        loop = asyncio.get_running_loop()

        def call(n):
            loop.call_soon(lambda: seen.append((n, loop.time())))
            if n == 2:
                raise ArithmeticError

        loop.call_every(0.0, 1.0, call)
        await asyncio.sleep(10.0)

    with pytest.raises(ArithmeticError):
        run_virtual(main())
    assert seen[:2] == [(0, 0.0), (1, 1.0)]


def test_periodic_calls_alone_keep_a_run_going_and_leave_room_for_a_signal():
    async def main():
        loop = asyncio.get_running_loop()
        got = loop.create_future()
        loop.add_signal_handler(signal.SIGUSR1, got.set_result, "signal")
        periodic = loop.call_every(0.0, 1.0, lambda n: n or os.kill(os.getpid(), signal.SIGUSR1))
        try:
            return await got
        finally:
            loop.remove_signal_handler(signal.SIGUSR1)
            periodic.cancel()
            periodic.cancel()

    assert run_virtual(main()) == "signal"


def test_periodic_calls_keep_to_the_speed():
    seen = []

    async def main():
        asyncio.get_running_loop().call_every(0.0, 0.1, seen.append)
        await asyncio.sleep(2.0)

    before = clock.monotonic()
    run_virtual(main(), speed=20.0)
    assert clock.monotonic() - before >= 0.1
    assert seen == list(range(20))


def test_no_periodic_call_comes_while_the_clock_is_held():
    seen, tenth = [], threading.Event()

    async def main():
        loop = asyncio.get_running_loop()
        loop.until = 1.05
        loop.call_every(0.0, 0.1, lambda n: (seen.append(n), n == 10 and tenth.set()))
        await asyncio.to_thread(tenth.wait)
        return loop.time()

    assert run_virtual(main(), serving=True) == 1.0
    assert seen == list(range(11))


def test_a_run_that_can_never_end_is_an_error():
    async def main():
        await asyncio.get_running_loop().create_future()

    with pytest.raises(StuckError, match="nothing is left"):
        run_virtual(main())


def test_a_signal_is_taken_though_nothing_else_is_left_to_wait_for():
    async def main():
        loop = asyncio.get_running_loop()
        reported = loop.create_future()
        loop.add_signal_handler(signal.SIGUSR1, reported.set_result, "reported")
        os.kill(os.getpid(), signal.SIGUSR1)
        try:
            return await reported
        finally:
            loop.remove_signal_handler(signal.SIGUSR1)

    assert run_virtual(main()) == "reported"


def test_threads_are_refused_but_where_people_are_served():
    async def main():
        return await asyncio.to_thread(lambda: 7)

    with pytest.raises(RuntimeError, match="no threads"):
        run_virtual(main())
    assert run_virtual(main(), serving=True) == 7


def test_real_descriptors_are_served_while_the_clock_is_stopped():
    async def main():
        loop = asyncio.get_running_loop()
        read, write = os.pipe()
        got = loop.create_future()
        loop.add_reader(read, lambda: got.set_result(loop.time()))
        os.write(write, b"x")
        at = await got
        loop.remove_reader(read)
        os.close(read)
        os.close(write)
        return at

    assert run_virtual(main()) == 0.0


def test_what_was_written_to_a_pseudo_terminal_is_read_before_the_clock_moves_on():
    async def main():
        loop, came = asyncio.get_running_loop(), []
        master, slave = pty.openpty()
        tty.setraw(slave)
        loop.add_reader(master, lambda: came.append((loop.time(), os.read(master, 99))))
        for k in range(100):
            os.write(slave, b"%d" % k)
            await asyncio.sleep(0.25)
        loop.remove_reader(master)
        os.close(master)
        os.close(slave)
        return came

    assert run_virtual(main()) == [(k * 0.25, b"%d" % k) for k in range(100)]


def test_speed_sleeps_before_each_jump():
    async def main():
        await asyncio.sleep(6000.0)

    before = clock.monotonic()
    run_virtual(main(), speed=60_000.0)
    assert 0.1 <= clock.monotonic() - before < 600.0


def test_a_slow_callback_makes_a_paced_loop_lag_and_never_skip():
    ticks = []

    async def main():
        loop = asyncio.get_running_loop()
        for n in range(20):
            loop.call_at(n * 0.05, ticks.append, n)
        loop.call_at(0.1, lambda: _burn(0.05))
        await asyncio.sleep(1.0)

    run_virtual(main(), speed=50.0)
    assert ticks == list(range(20))


def _burn(seconds):
    until = clock.monotonic() + seconds
    while clock.monotonic() < until:
        pass


def test_a_speed_of_zero_is_refused():
    with pytest.raises(ValueError, match="positive"):
        VirtualLoop(0.0).close()


async def test_only_the_virtual_loop_is_virtual():
    async def main():
        return is_virtual()

    assert not is_virtual()
    assert await asyncio.to_thread(run_virtual, main())
