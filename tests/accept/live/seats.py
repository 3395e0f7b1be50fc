"""The line on a class: thirty teams, and a page of each, which is updated at least twice a second."""

import asyncio
import itertools
import statistics

import aiohttp

from tests.accept.check import Check, Found
from tests.accept.desk import Desk
from tests.accept.live.page import START_S, served

SEATS, LEAST_HZ = 30, 2.0
FRAME = b'data: {"type":"frame"'
COMMAND = f"robotd class cleanup --seats {SEATS}"


def updated(desk: Desk) -> Found:
    """Each page by the frames that its stream brings, while all others are read too."""
    seats, length_s = desk.fewer(SEATS, 6), float(desk.fewer(60, 10))
    with served("class", "cleanup", "--seats", str(seats)) as (seat, _):
        begun_s, found = asyncio.run(read_all(seat, seats, length_s))
    rates = sorted(len(times) / length_s for times in found)
    gaps = [max(b - a for a, b in itertools.pairwise(times)) for times in found if len(times) > 1]
    figure = f"{seats} pages after {begun_s:.0f} s; updates a second: least {rates[0]:.1f}, median "
    figure += f"{statistics.median(rates):.1f}; longest time without one {max(gaps, default=length_s):.2f} s"
    return Found(figure, f"at least {LEAST_HZ:g} a second on each page", rates[0] >= LEAST_HZ)


async def read_all(seat: str, seats: int, length_s: float) -> tuple[float, list[list[float]]]:
    """After how long all pages had a frame, and when further ones came from then on, by page."""
    start, begun = asyncio.get_running_loop().time(), [asyncio.Event() for _ in range(seats)]
    found: list[list[float]] = [[] for _ in range(seats)]
    async with asyncio.timeout(length_s + 10 * START_S), asyncio.TaskGroup() as pages:
        reading = [pages.create_task(read(seat, begun[k], found[k])) for k in range(seats)]
        for event in begun:
            await event.wait()
        begun_s = asyncio.get_running_loop().time() - start
        for times in found:
            times.clear()
        await asyncio.sleep(length_s)
        for task in reading:
            task.cancel()
    return begun_s, found


async def read(seat: str, begun: asyncio.Event, times: list[float]) -> None:
    """A browser of its own, which opens the address of the class and reads its stream."""
    loop = asyncio.get_running_loop()
    async with aiohttp.ClientSession(
        cookie_jar=aiohttp.CookieJar(unsafe=True), timeout=aiohttp.ClientTimeout(total=None), read_bufsize=1 << 20
    ) as browser:
        async with browser.get(seat) as page:
            page.raise_for_status()
        async with browser.get(f"{seat.rpartition('/')[0]}/stream") as stream:
            async for line in stream.content:
                if line.startswith(FRAME):
                    times.append(loop.time())
                    begun.set()


CHECKS = (Check("2.5", "thirty seats, and a page of each", COMMAND, updated),)
