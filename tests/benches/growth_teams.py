"""How the processor time of a simulated second grows with the robots of a team, for each coordinator."""

from functools import partial

from tests.benches.fitting import measure, of_simulation
from tests.benches.measure import Figure

TEAMS = {"alliance": (3, 6, 12, 24, 31), "murdoch": (3, 6, 12, 24, 31), "cobos": (3, 6, 12, 24)}
TASKS = 4  # with more robots or tasks COBOS would need more than 64 facts


def run() -> list[Figure]:
    return [
        measure(f"simulation, {name}", sizes, partial(of_simulation, name, tasks=TASKS), "robots")
        for name, sizes in TEAMS.items()
    ]
