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
