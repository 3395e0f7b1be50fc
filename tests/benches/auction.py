"""What an auction costs: all robots of MURDOCH in one process, beside one written by hand on SPADE.

Both count processor time alone, from the order to the acknowledgement. Of MURDOCH it is that of the coordinators,
less that of as many decisions without an auction. SPADE runs where it is installed (`pip install spade greenlet`),
with its own server; within one process it hands messages over without it, which is its fastest way.
"""

import importlib.util
import json
import resource
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from motivation.murdoch import Murdoch
from robotd.model.choice import Choice
from robotd.timing.clock import processor_s
from tests.benches.measure import Figure, at_most
from tests.motivation.murdoch.team import Bot, Team

BIDDERS, AUCTIONS = (5, 20), 9
BEAT_S, DECISION_S = 0.1, 0.2
BOUND = 0.5
SPADE = Path(__file__).parent / "spade_auction.py"


class Timed(Murdoch):
    """Counts the processor time of all decisions of all robots."""

    spent_s = 0.0

    def step(self, *args: Any, **more: Any) -> Choice:
        """See `Murdoch.step`."""
        start = processor_s()
        choice = super().step(*args, **more)
        Timed.spent_s += processor_s() - start
        return choice


def murdoch_s(bidders: int) -> tuple[float, float]:
    """Processor time of one auction among so many bidders, s, and that of as many decisions without one."""
    robots = {f"b{k}": Bot(fitness={"sweep": 0.5 + k / 100}, takes_s=0.1) for k in range(bidders)}
    tasks = {"sweep": {"resources": ("mobile", "camera")}}
    team = Team({"desk": Bot(("desk",)), **robots}, tasks, beat_s=BEAT_S, decision_s=DECISION_S, make=Timed)
    team.run(2.0)
    found = []
    for k in range(AUCTIONS):
        marks = [Timed.spent_s]
        for words in ((), ("sweep",)):
            if words:
                team.add("desk", *words)
            team.run(team.now + 3.0)
            marks.append(Timed.spent_s)
        assert team["desk"].jobs[f"desk.{k}"].state == "done"
        found.append((marks[2] - 2 * marks[1] + marks[0], marks[1] - marks[0]))
    return statistics.median(own for own, _ in found), statistics.median(idle for _, idle in found)


def spade(bidders: int) -> dict[str, float]:
    """The same on SPADE: seconds of processor time of an auction and of its start, and memory in MB."""
    argv = [sys.executable, "-P", str(SPADE), str(bidders), str(AUCTIONS)]  # beside it lies a module named http
    done = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=300)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def run() -> list[Figure]:
    """A figure for each number of bidders."""
    figures = []
    for bidders in BIDDERS:
        (own_s, idle_s), name = murdoch_s(bidders), f"an auction among {bidders} bidders"
        besides = f"besides {idle_s * 1e3:.1f} ms of decisions that are made anyway"
        if importlib.util.find_spec("spade") is None:
            figures.append(Figure(name, own_s * 1e3, "ms", detail=f"{besides}; SPADE is not installed"))
            continue
        other = spade(bidders)
        memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        detail = f"{own_s * 1e3:.1f} ms, {besides}, against {other['auction_s'] * 1e3:.1f} ms of SPADE"
        detail += f"; {memory_mb:.0f} against {other['memory_mb']:.0f} MB; start {other['start_s']:.1f} s"
        figures.append(at_most(name, own_s / other["auction_s"], BOUND, detail))
    return figures
