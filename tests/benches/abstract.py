"""How many abstract missions of `termination` a core does in a second."""

from robotd.experiments.base import run_seed
from robotd.experiments.termination import EXPERIMENT
from robotd.timing.clock import processor_s
from tests.benches.measure import Figure

BATCHES = 1_000, EXPERIMENT.runs
REPEAT = 3  # the fastest counts: neighbours on the same processor only ever slow a run down
BOUND = 1000.0  # of a batch as the experiment has it


def run() -> list[Figure]:
    figures = []
    for size in BATCHES:
        speed = max(_speed(size) for _ in range(REPEAT))
        bound, met = (f"at least {BOUND:.0f}", speed >= BOUND) if size == EXPERIMENT.runs else ("", None)
        figures.append(Figure(f"abstract missions, {size} together", speed, "1/s", bound, met, "of a core"))
    return figures


def _speed(size: int) -> float:
    seeds = [run_seed(EXPERIMENT.seed, number, "drawn") for number in range(1, size + 1)]
    start = processor_s()
    EXPERIMENT.run(EXPERIMENT.cells()[0], seeds, None)
    return size / (processor_s() - start)
