"""What those who look on cost a robot: how late its ticks are with many streams and polls, and without."""

import asyncio
import contextlib
import gc
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from statistics import quantiles

from robotd.config.load import load_robot
from robotd.daemon.daemon import Daemon
from robotd.robot.snapshot import Snapshot
from robotd.status import web
from tests.benches.measure import Figure, at_most
from tests.benches.ticks import undisturbed

STREAMS, POLLS_HZ = 50, 100.0
CONNECTIONS = 4  # that the polls come over
ROUND_S, ROUNDS = 10.0, 3  # with and without in turns, so that whatever else runs falls on both
SETTLE_S, START_S = 1.0, 60.0
BOUND = 0.1  # of a period, by which the 99th percentile may move
ROBOT = """name = "green"
mission = "cleanup"
start = "at-boot"
state_folder = "state"
board = { name = "mock" }
radio = { name = "none" }
http = { port = 0 }
log = { folder = "log" }
"""


async def look_on(port: int) -> None:
    """The other side, for ever: half the streams are pages, half are events."""
    await asyncio.gather(
        *(_stream(port, "/stream" if k % 2 else "/events") for k in range(STREAMS)),
        *(_poll(port, k) for k in range(CONNECTIONS)),
    )


async def _stream(port: int, path: str) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
    writer.write(head.encode())
    while await reader.read(65536):
        pass


async def _poll(port: int, k: int) -> None:
    period_s, loop = CONNECTIONS / POLLS_HZ, asyncio.get_running_loop()
    due = loop.time() + k * period_s / CONNECTIONS
    while True:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):  # a connection has its time
            while True:
                await asyncio.sleep(max(0.0, due - loop.time()))
                due += period_s
                writer.write(b"GET /status HTTP/1.1\r\nHost: localhost\r\n\r\n")
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length: ")[2].split()[0])
                await reader.readexactly(length)
        writer.close()


class Clocked:
    """The instants of a robot's ticks, less their period times their number: lateness but for a constant."""

    def __init__(self, period_s: float) -> None:
        self.period_s = period_s
        self.least = math.inf
        self.late: list[float] = []

    def note(self, snapshot: Snapshot) -> None:
        off = snapshot.inputs.now - snapshot.inputs.n * self.period_s
        self.least = min(self.least, off)
        self.late.append(off)

    def take(self) -> list[float]:
        late, self.late = self.late, []
        return late


@contextlib.contextmanager
def looking(port: int) -> Iterator[None]:
    """Clients in a process that leaves the robot its processor: theirs is another computer's."""
    command = ["nice", "-n", "19", sys.executable, "-m", "tests.benches.http", str(port)]
    with subprocess.Popen(command, preexec_fn=_step_back) as process:
        try:
            yield
        finally:
            process.kill()


def _step_back() -> None:
    with contextlib.suppress(AttributeError, OSError):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


async def until(holds: Callable[[], bool]) -> None:
    """TimeoutError where it does not become so."""
    async with asyncio.timeout(START_S):
        while not holds():  # noqa: ASYNC110 - when others come is their affair
            await asyncio.sleep(0.05)


async def measure(folder: Path) -> tuple[list[float], list[float], float, int, float]:
    """Lateness without and with those who look on (s), the period (s), streams open, polls answered a second."""
    (folder / "green.toml").write_text(ROBOT, encoding="utf-8")
    config, mission = load_robot(folder / "green.toml")
    daemon = Daemon(config, mission, folder, None)
    clocked = Clocked(1.0 / mission.content.control.tick_hz)
    daemon._robot.watchers.append(clocked.note)
    task = asyncio.ensure_future(daemon.run())
    await until(lambda: daemon._http.address is not None)
    assert daemon._http.address is not None
    port, alone, watched, streams = daemon._http.address[1], list[float](), list[float](), STREAMS
    polls, answered = [0], 0
    answer = daemon._http._answers["/status"]

    def counted(request: web.BaseRequest) -> Awaitable[web.StreamResponse]:
        polls[0] += 1
        return answer(request)

    daemon._http._answers["/status"] = counted
    gc.collect()
    gc.freeze()
    await asyncio.sleep(SETTLE_S)
    for _ in range(ROUNDS):
        clocked.take()
        await asyncio.sleep(ROUND_S)
        alone += clocked.take()
        with looking(port):
            await until(lambda: len(daemon._http._streaming) >= STREAMS)
            await asyncio.sleep(SETTLE_S)
            clocked.take()
            before = polls[0]
            await asyncio.sleep(ROUND_S)
            answered += polls[0] - before
            watched += clocked.take()
            streams = min(streams, len(daemon._http._streaming))
        await asyncio.sleep(SETTLE_S)
    daemon._stop.set()
    await task
    alone, watched = ([off - clocked.least for off in offs] for offs in (alone, watched))
    return alone, watched, clocked.period_s, streams, answered / (ROUNDS * ROUND_S)


def run() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder, undisturbed() as how:
        os.environ["RUNTIME_DIRECTORY"] = folder
        alone, watched, period_s, streams, polls_hz = asyncio.run(measure(Path(folder)))
    before, after = (quantiles(late, n=100)[98] for late in (alone, watched))
    detail = (
        f"99 % of {len(watched)} ticks of {period_s:g} s begin within {after * 1e3:.2f} ms with {streams} streams "
        f"and {polls_hz:.0f} polls a second, within {before * 1e3:.2f} ms without, {how}"
    )
    return [at_most("later ticks with many who look on", (after - before) / period_s, BOUND, detail)]


if __name__ == "__main__":
    asyncio.run(look_on(int(sys.argv[1])))
