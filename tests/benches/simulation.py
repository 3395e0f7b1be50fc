"""How fast a team is simulated, and what its time goes into."""

from __future__ import annotations

import os
import signal
import tempfile
from collections import Counter
from pathlib import Path
from types import FrameType

from robotd.api import simulate
from tests.benches.measure import Figure

MISSION, SEED = "cleanup", 1
SIMULATED_S = 600.0  # finding, moving, reports and all
BOUND = 100.0
REPEAT = 5  # the fastest counts: neighbours on the same processor only ever slow a run down
SAMPLE_S = 0.002  # of processor time
ROOT = Path(__file__).parents[2]
PARTS = {  # the model is charged to whoever calls it
    "boards": "world", "behaviors": "behaviors", "motivation": "motivation", "radio": "radio",
    "robotd/record": "record", "robotd/model": "", "robotd": "rest",
}  # fmt: skip


class Sampler:
    """Counts, at even intervals of processor time, in which part of the program the innermost frame of ours is."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._names = {f"{ROOT / folder}/": part for folder, part in PARTS.items()}

    def __enter__(self) -> Sampler:
        self._before = signal.signal(signal.SIGPROF, self._sample)
        signal.setitimer(signal.ITIMER_PROF, SAMPLE_S, SAMPLE_S)
        return self

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, self._before)

    def _sample(self, number: int, frame: FrameType | None) -> None:
        while frame is not None:
            file = frame.f_code.co_filename
            part = next((part for folder, part in self._names.items() if file.startswith(folder)), "")
            if part:
                self.counts[part] += 1
                return
            frame = frame.f_back
        self.counts["rest"] += 1


def _speed(log: Path) -> float:
    """Simulated seconds a second of the one processor that a simulation uses, whatever else the machine does."""
    before = os.times()
    outcome = simulate(MISSION, SEED, duration_s=SIMULATED_S, log=log)
    after = os.times()
    return outcome.duration_s / (after.user + after.system - before.user - before.system)


def run() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "run.jsonl"
        simulate(MISSION, SEED, duration_s=5.0, log=log)  # imports, first plans
        speed = max(_speed(log) for _ in range(REPEAT))
        with Sampler() as sampler:
            simulate(MISSION, SEED, duration_s=SIMULATED_S, log=log)
    total = sum(sampler.counts.values())
    shares = ", ".join(f"{part} {count / total:.0%}" for part, count in sampler.counts.most_common())
    detail = f"simulated seconds a second, log written: {shares}"
    return [Figure(f"{MISSION}, three robots", speed, "s/s", f"at least {BOUND:.0f}", speed >= BOUND, detail)]
