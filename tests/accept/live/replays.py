"""`python -m tests.accept.live.replays`: clicked runs replay exactly, as `robotd sim` and from their logs.

Missions take turns. Each run is a stage of the live page in virtual time; clicks are drawn at random among those
that the page offers. The simulation with the clicks as its events must give the same log, byte for byte, and the
log the same decisions.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from robotd.api import simulate
from robotd.config.load import Mission, mission_names
from robotd.live.runs import Run
from robotd.live.stage import Stage
from robotd.live.tuning import tunable
from robotd.live.view import LiveLog
from robotd.model.command import Command
from robotd.model.inputs import Inputs
from robotd.model.statements import Heard
from robotd.model.streams import Stream
from robotd.record.log import FileSink, RunLog
from robotd.record.replay import replay
from robotd.robot.build import mind_of_part
from robotd.timing.virtual_loop import run_virtual
from tests.accept.check import Check, Found
from tests.accept.desk import Desk

LENGTH_S = 60.0  # of a run
MOST = 8  # clicks of a run
CLICKS = (
    "remove WHO", "return WHO", "seize WHO", "release WHO", "radio WHO off", "radio WHO on", "dead WHO camera",
    "dead WHO front-range", "motors-dead WHO", "restore WHO motors", "restore WHO front-range", "kill WHO",
    "reboot WHO", "start WHO", "ack WHO",
)  # fmt: skip


class Recorded(LiveLog):
    """The log of a stage that is written to a file too."""

    def __init__(self, about: Mapping[str, Any], path: Path) -> None:
        super().__init__(about)
        self.sink = self._sink = FileSink(path)

    def tick(
        self, robot: str, i: Inputs, heard: tuple[Heard, ...], sent: Any, decision: Any, driven: Command
    ) -> None:
        super().tick(robot, i, heard, sent, decision, driven)
        RunLog.tick(self, robot, i, heard, sent, decision, driven)

    def note(self, kind: str, **fields: Any) -> None:
        super().note(kind, **fields)
        RunLog.note(self, kind, **fields)


def clicked(run: Run, clicks: Sequence[tuple[float, str]], log: Path) -> list[str]:
    """Let the stage run with clicks at their instants, s; those that it took, as events."""

    def click(text: str) -> None:
        try:
            stage._do({"do": "event", "event": text})
        except ValueError:  # no such part on this robot, or the mission is over: the page does not offer it
            return

    async def play() -> None:
        loop = asyncio.get_running_loop()
        for at, text in clicks:
            loop.call_at(at, click, text)
        loop.call_at(LENGTH_S + 1.0, stage._end)
        await stage.run()

    source, commands = os.pipe()
    sink = os.open(os.devnull, os.O_WRONLY)
    with patch("robotd.live.stage.LiveLog", lambda about: Recorded(about, log)):
        stage = Stage(run, source, sink)
    try:
        run_virtual(play(), serving=True)
    finally:
        stage._log.sink.close()  # type: ignore[attr-defined]
        for each in (source, commands, sink):
            os.close(each)
    return stage._clicked


def sliders(mission: Mission) -> list[str]:
    """Numbers of its coordinator as the page changes them while it runs, one a click."""
    numbers = [(key, one) for key, one in tunable(mission).items() if one["now"] and not one["whole"]]
    return [f"tune all {key}={(one['value'] + one['high']) / 2:.3g}" for key, one in numbers]


def drawn(seed: int, robots: Sequence[str], sliders: Sequence[str]) -> list[tuple[float, str]]:
    """Clicks of a run: when, s, and what."""
    chance = Stream(seed, "test", "clicks")
    tunes = [(chance.uniform(0.0, LENGTH_S), sliders[int(chance.uniform(0, len(sliders)))]) for _ in range(2)]
    count = 1 + int(chance.uniform(0, MOST))
    return tunes + [
        (chance.uniform(0.0, LENGTH_S),
         CLICKS[int(chance.uniform(0, len(CLICKS)))].replace("WHO", robots[int(chance.uniform(0, len(robots)))]))
        for _ in range(count)
    ]  # fmt: skip


def difference(seed: int, mission: str, folder: Path) -> tuple[int, int, str]:
    """How many clicks a run took, bytes of its log, and what came out otherwise, '' for nothing."""
    run = Run(mission, seed, changes={"time_limit_s": LENGTH_S}, speed=None)
    logs = folder / "clicked.jsonl", folder / "again.jsonl"
    loaded = run.load()
    events = clicked(run, drawn(seed, sorted(loaded.content.team), sliders(loaded)), logs[0])
    simulate(mission, seed, events=events, log=logs[1], time_limit_s=LENGTH_S)
    first, second = (log.read_bytes() for log in logs)
    wrong = "" if first == second else f"the logs differ with {events}"
    found = replay(logs[0], mind_of_part).difference
    return len(events), len(first), wrong or (f"with {events}: {found}" if found else "")


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.accept.live.replays", description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="how many runs (default 100)")
    parser.add_argument("--seed", type=int, default=1, help="of the first run (default 1)")
    options = parser.parse_args(words)
    missions, clicks, size, faults = mission_names(), 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.count):
            mission = missions[seed % len(missions)]
            count, length, wrong = difference(seed, mission, Path(folder))
            clicks, size, faults = clicks + count, size + length, faults + bool(wrong)
            if wrong:
                sys.stdout.write(f"{mission}, seed {seed}: {wrong}\n")
    sys.stdout.write(f"{options.count} runs, {clicks} clicks, {size} bytes of logs: {faults} differ\n")
    return 1 if faults else 0


def of_clicks(desk: Desk) -> Found:
    ran = desk.run(sys.executable, "-m", "tests.accept.live.replays", "--count", str(desk.fewer(100, 11)))
    return Found(ran.out.strip()[-400:] or ran.err[-400:], "none differs", ran.code == 0)


CHECKS = (
    Check("3.2", "runs that are clicked at replay exactly", "python -m tests.accept.live.replays", of_clicks),
)

if __name__ == "__main__":
    sys.exit(main())
