"""What a robot makes known, in `page` facts of seven bytes: a head, and three bytes for each task.

With four tasks these are two pages. A page changes only when something in it does; that a robot is there, it
shows by the statement of `presence`, which uses up no versions of facts.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from motivation.cobos.models import KEEPS, STARTED, Record, record_of
from robotd.model.facts import Fact

SIZE = 7  # bytes of a page
RECRUITS = 7  # in place of a status


@dataclass(frozen=True, slots=True)
class Report:
    """What a robot is on and what it knows: its task (0: idle), its status in it, whether it recruits for it.

    A robot that recruits has started. `home`: it is near the user. By task `records`, and
    `values`: suitabilities, 0 if it cannot or backed off.
    """

    task: int
    status: int
    recruits: bool
    home: bool
    records: tuple[Record, ...]
    values: tuple[int, ...]


def pages_of(tasks: int) -> int:
    """How many pages a robot needs for so many tasks."""
    return -(-(1 + 3 * tasks) // SIZE)


def name_of(robot: int, page: int) -> str:
    """The fact that is page `page` of a robot, both by number."""
    return f"page-{robot}-{page}"


def written(report: Report) -> list[tuple[float, ...]]:
    """The values of a robot's pages, in order."""
    state = RECRUITS if report.recruits else report.status
    head = report.task | state << 4 | report.home << 7
    flat = [head, *(byte for one in report.records for byte in one.bytes), *report.values]
    flat += [0] * (-len(flat) % SIZE)
    return [tuple(map(float, flat[k : k + SIZE])) for k in range(0, len(flat), SIZE)]


def read(facts: Mapping[str, Fact], robot: int, tasks: int) -> Report | None:
    """What is known of a robot; None until all its pages are there."""
    flat: list[float] = []
    for page in range(pages_of(tasks)):
        fact = facts.get(name_of(robot, page))
        if fact is None:
            return None
        flat += fact.value
    return decoded(flat, tasks)


def changed(facts: Mapping[str, Fact], robot: int, tasks: int) -> float:
    """When a robot whose pages are all there last changed one, own clock, s."""
    return max(facts[name_of(robot, page)].since for page in range(pages_of(tasks)))


def decoded(flat: Sequence[float], tasks: int) -> Report:
    """The report that whole numbers of 0 to 255 make; tasks that there are none of are idle."""
    return _decoded(tuple(flat), tasks)


@functools.lru_cache(256)
def _decoded(values: tuple[float, ...], tasks: int) -> Report:
    flat = [int(value) for value in values]
    head, last = flat[0], 1 + 2 * tasks
    records = tuple(record_of(flat[k], flat[k + 1]) for k in range(1, last, 2))
    task = head & 15 if head & 15 <= tasks else 0
    state, home = head >> 4 & 7, bool(head >> 7)
    recruits, status = state == RECRUITS, min(state, KEEPS) if state != RECRUITS else STARTED
    return Report(task, status, recruits, home, records, tuple(flat[last : last + tasks]))
