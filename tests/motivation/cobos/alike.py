"""Do robots with the same knowledge decide alike, whatever the order of their dictionaries?

`python -m tests.motivation.cobos.alike [SETS]` draws so many sets of knowledge (10,000), lets each of seven robots
decide with its dictionaries and sets in an order of its own, and prints a digest of the decisions: it must be the
same under every PYTHONHASHSEED. Exit status 1 where two robots differ.
"""

import hashlib
import sys
from collections.abc import Mapping, Sequence

from motivation.cobos import allocation
from motivation.cobos.allocation import Knowledge
from motivation.cobos.models import Record
from motivation.cobos.pages import Report
from motivation.cobos.settings import CobosSettings
from robotd.model.streams import Stream

ROBOTS, TASKS = range(1, 8), range(1, 5)
OWN = [CobosSettings(solver=solver) for solver in ("transport", "greedy", "priority")]


def drawn(stream: Stream) -> tuple[Mapping[int, Report], Sequence[Record], Mapping[int, int]]:
    """Reports by robot, records, and robots out of reach by task."""

    def below(count: int) -> int:
        return int(stream.uniform(0.0, count))

    reports = {
        robot: Report(
            below(5), below(5), not below(5), not below(3), (),
            tuple((0, 1, 153, 191, 230)[below(5)] for _ in TASKS),
        )
        for robot in ROBOTS
    }  # fmt: skip
    records = [Record(0, 1 + below(3), open=not below(2)) for _ in TASKS]
    return reports, records, {task: below(2) for task in TASKS}


def shuffled(stream: Stream, numbers: Sequence[int]) -> list[int]:
    """The same numbers in another order."""
    return sorted(numbers, key=lambda _: stream.uniform(0.0, 1.0))


def decide(knowledge: Knowledge, settings: CobosSettings) -> str:
    """What a robot that knows this decides, as text."""
    part = Knowledge(allocation.settled(knowledge), knowledge.records, knowledge.ready, knowledge.absent)
    found = allocation.allocate(part, allocation.considered(part), settings)
    return repr((sorted(found.tasks.items()), found.active, sorted(found.short), found.next))


def main(sets: int) -> int:
    """The command."""
    stream, digest, differ = Stream(7, "", "alike"), hashlib.blake2s(digest_size=8), 0
    for n in range(sets):
        reports, records, absent = drawn(stream)
        decisions = set()
        for _ in ROBOTS:
            order, tasks = shuffled(stream, ROBOTS), shuffled(stream, TASKS)
            mine = Knowledge(
                {robot: reports[robot] for robot in order}, records, frozenset(tasks),
                {task: absent[task] for task in tasks},
            )  # fmt: skip
            decisions.add(decide(mine, OWN[n % len(OWN)]))
        differ += len(decisions) > 1
        digest.update(min(decisions).encode())
    sys.stdout.write(f"{digest.hexdigest()} of {sets} sets; in {differ} robots differ\n")
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
