"""`python -m tests.accept.live.endurance`: a day of a simulated team with faults, its server, and a page of it.

Every ten minutes of virtual time something befalls a robot, is mended, and the next run opens. Memory, threads,
descriptors and tasks of the run's process, and of the server with the page's client, are compared with what they
were after the first hour, or the first tenth of a shorter run.
"""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import aiohttp

from robotd.config.robot import HttpPart
from robotd.live import stage
from robotd.live.server import LiveServer
from tests.accept.desk import ROOT

SAMPLE_S = 60.0  # virtual time between two looks
ROUND_S = 600.0
MOST_GROWTH = 0.05
ROBOTS = ("amber", "olive", "slate")
FAULTS = (  # what befalls a robot, and what mends it
    ("remove WHO", "return WHO"), ("seize WHO", "release WHO"), ("radio WHO off", "radio WHO on"),
    ("motors-dead WHO", "restore WHO motors"), ("kill WHO", "start WHO"), ("reboot WHO", "start WHO"),
    ("dead WHO front-range", "restore WHO front-range"), ("loss WHO 0.5", "loss WHO 0"),
)  # fmt: skip
ENDLESS = {"facts.never": {"number": 9, "kind": "flag"}, "goal.facts": ["never"]}
Used = Mapping[str, float]


def used() -> dict[str, float]:
    """What this process has: memory in MiB, descriptors, threads, tasks of the running loop."""
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    status = dict(line.split(":", 1) for line in lines)
    return {
        "memory": int(status["VmRSS"].split()[0]) / 1024,
        "descriptors": len(os.listdir("/proc/self/fd")) - 1,  # without that of the listing
        "threads": int(status["Threads"]),
        "tasks": len(asyncio.all_tasks()),
    }


class Measured(stage.Stage):
    """A run that sends what its process has, beside its frames."""

    _sampled = 0.0

    def _frame(self) -> None:
        super()._frame()
        if self._loop.time() >= self._sampled:
            self._sampled = self._loop.time() + SAMPLE_S
            self._write({"type": "used", "t": self._loop.time(), **used()})


def events(hours: float) -> tuple[str, ...]:
    """The day's faults."""
    found = []
    for number in range(int(hours * 3600.0 / ROUND_S)):
        start, robot = number * ROUND_S, ROBOTS[number % len(ROBOTS)]
        fault, mended = (one.replace("WHO", robot) for one in FAULTS[number % len(FAULTS)])
        steps = ((30.0, fault), (150.0, mended), (200.0, f"ack {robot}"), (400.0, f"restart-mission {robot}"))
        found += [f"{start + after:g} {event}" for after, event in steps]
    return tuple(found)


@asynccontextmanager
async def looking(hours: float) -> AsyncIterator[aiohttp.StreamReader]:
    """The stream of a page that looks at the run."""
    limit_s = hours * 3600.0
    run = stage.Run("patrol", changes={**ENDLESS, "time_limit_s": limit_s}, events=events(hours), speed=None)
    start = asyncio.create_subprocess_exec

    async def measured(*command: str, **options: Any) -> asyncio.subprocess.Process:
        return await start(command[0], "-m", "tests.accept.live.endurance", "--stage", cwd=ROOT, **options)

    jar, timeout = aiohttp.CookieJar(unsafe=True), aiohttp.ClientTimeout(total=None)
    with patch.object(asyncio, "create_subprocess_exec", measured):
        async with (
            LiveServer(run, HttpPart(port=0)) as server,
            aiohttp.ClientSession(cookie_jar=jar, timeout=timeout, read_bufsize=1 << 20) as browser,
        ):
            (await browser.get(server.link)).raise_for_status()
            async with browser.get(f"{server.url()}stream") as stream:
                yield stream.content


async def watch(hours: float) -> list[tuple[float, Used, Used]]:
    """When (virtual s), what the run's process had, and what this one."""
    found: list[tuple[float, Used, Used]] = []
    frames = 0
    async with looking(hours) as stream:
        async for line in stream:
            frames += line.startswith(b'data: {"type":"frame"')
            if line.startswith(b'data: {"type":"used"'):
                data = json.loads(line[6:])
                found.append((data.pop("t"), {key: data[key] for key in used()}, used()))
                if len(found) % 10 == 1:
                    sys.stderr.write(f"{found[-1][0] / 3600.0:.1f} h: {frames} frames; {found[-1][1]}\n")
            if line.startswith((b'data: {"type":"over"', b'data: {"type":"refused"')):
                if found and found[-1][0] > 0.99 * 3600.0 * hours - SAMPLE_S:
                    return found
                raise OSError(f"the run has ended early: {line.decode()}")
    raise OSError("the stream has ended")


def faults_of(name: str, rows: Sequence[Used]) -> list[str]:
    """What a process has more at the end than after the first hour."""
    first, last = rows[0], rows[-1]
    growth = max(one["memory"] for one in rows) / first["memory"] - 1.0
    sys.stdout.write(f"{name}: {first} at first, {last} at last; memory grew by at most {100 * growth:.1f} %\n")
    more = [key for key in ("descriptors", "threads", "tasks") if last[key] > first[key]]
    return [f"{name}: more {key}" for key in more] + ([f"{name}: memory"] if growth > MOST_GROWTH else [])


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.accept.live.endurance", description=__doc__)
    parser.add_argument("--hours", type=float, default=24.0, help="of virtual time (default 24)")
    parser.add_argument("--stage", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if options.stage:
        sys.argv = sys.argv[:1]
        with patch.object(stage, "Stage", Measured):
            return stage.main()
    rows = asyncio.run(watch(options.hours))
    after = [row for row in rows if row[0] >= min(3600.0, 360.0 * options.hours)]
    faults = faults_of("run", [row[1] for row in after]) + faults_of(
        "server and client", [row[2] for row in after]
    )
    sys.stdout.write(f"{options.hours:g} h, {len(events(options.hours))} events: {faults or 'nothing grew'}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
