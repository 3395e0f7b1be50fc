"""How checking, deciding and simulating a mission grow with its tasks, for each coordinator."""

from functools import partial

from robotd.advice.check import Changes, check
from tests.benches.fitting import measure, of_simulation, repeated
from tests.benches.measure import Figure
from tests.benches.scaled import changes
from tests.benches.step import coordinator

TASKS = {"alliance": (4, 16, 64), "murdoch": (4, 16, 64), "cobos": (4, 8, 15)}
ROBOTS = 3  # with more robots COBOS would need more than 64 facts; it knows 15 tasks at most
TEAMMATES = 10


def run() -> list[Figure]:
    figures = [measure("ALLIANCE decision", TASKS["alliance"], of_decision, "tasks")]
    for name, sizes in TASKS.items():
        figures.append(measure(f"check, {name}", sizes, partial(of_check, name), "tasks"))
        simulated = partial(of_simulation, name, ROBOTS)
        figures.append(measure(f"simulation, {name}", sizes, simulated, "tasks"))
    return figures


def of_check(name: str, tasks: int) -> float:
    """The processor time of `robotd check` without its start, s; RuntimeError for a mission that has faults."""
    changed = Changes({**changes(ROBOTS, tasks), "coordinator.name": name})
    if problems := check("service", changes=changed).problems:
        raise RuntimeError(f"a mission of {tasks} tasks has faults: {problems[0]}")
    return repeated(lambda: check("service", changes=changed))


def of_decision(tasks: int) -> float:
    """The processor time of one decision with as many behavior sets, s."""
    return repeated(coordinator(tasks, TEAMMATES))
