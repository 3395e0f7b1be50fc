"""What paper 004 (Kaminka and Frenkel 2005) printed of its experiments."""

from typing import NamedTuple


class Times(NamedTuple):
    """A row of table 1, s: means of four runs."""

    sync_s: float
    allocation_s: float
    interaction_s: float
    task_s: float


RICH_POOR, POOR_POOR, RICH_RICH = "rich/poor", "poor/poor", "rich/rich"
"""Synchronisation, then allocation: by messages (rich) or with as few as possible (poor)."""
TABLE_1 = {
    RICH_POOR: Times(2.883, 0.4245, 3.3075, 56.5905),
    POOR_POOR: Times(0.0, 0.54875, 0.54875, 54.683),
    RICH_RICH: Times(2.57275, 0.949, 3.52175, 45.887),
}
GAIN_S = TABLE_1[RICH_POOR].task_s - TABLE_1[RICH_RICH].task_s
"""By so much the task was shorter where allocation, too, was by messages."""


class Graph(NamedTuple):
    """A row of table 2: successful trials and failures; mean times, s."""

    trials: int
    failures: int
    interaction_s: float
    task_s: float


TABLE_2 = (
    Graph(7, 0, 1.831, 52.730), Graph(5, 1, 1.709, 122.801), Graph(5, 1, 1.284, 54.005),
    Graph(5, 0, 2.257, 179.464), Graph(5, 1, 0.688, 174.563), Graph(6, 1, 0.0, 70.251),
    Graph(7, 0, 0.836, 109.240), Graph(5, 1, 2.900, 120.392), Graph(7, 1, 0.572, 105.516),
)  # fmt: skip
"""Of nine graphs that the paper does not print. Their failures came of an allocation without messages."""
