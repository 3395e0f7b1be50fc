"""Algorithm 1, the allocation phase, as functions of what all robots of a network know alike.

Whole numbers only, and nothing depends on the order in which knowledge arrived: the same knowledge gives the same
allocation on every robot. Tasks are numbered in order of priority from 1; 0 is the idle task.
"""

import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from motivation.cobos.models import HOLDS, PERFORMED, STARTED, Record
from motivation.cobos.pages import Report
from motivation.cobos.settings import CobosSettings
from motivation.cobos.transport import assign

STAY = 1 << 30  # of staying: below a suitability, above what is drawn
SUITABILITY = 40  # bits below a suitability


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a network knows: by robot its report, by task its record, and which tasks may be begun at all.

    `ready`: introduced, not waiting for others, not archived. `absent`: by task the number of robots out of reach
    that were on it when last received. `archived`: those that need more robots than can do them. `fixed`: those
    whose number of robots is known.
    """

    members: Mapping[int, Report]
    records: Sequence[Record]
    ready: frozenset[int]
    absent: Mapping[int, int] = field(default_factory=dict)
    archived: frozenset[int] = frozenset()
    fixed: frozenset[int] = frozenset()

    @property
    def is_home(self) -> bool:
        """Whether this is N_0, the network that holds the user."""
        return any(one.home for one in self.members.values())

    def holders(self, task: int) -> list[int]:
        """The robots on a task, by number."""
        return sorted(robot for robot, one in self.members.items() if one.task == task)

    def record(self, task: int) -> Record:
        return self.records[task - 1]


@dataclass(frozen=True, slots=True)
class Allocation:
    """`tasks` by robot (0: none). `active`: the first n_atv tasks; `short` of these have too few robots;
    `next` is the (n_atv + 1)th, or 0."""

    tasks: Mapping[int, int]
    active: tuple[int, ...]
    short: frozenset[int]
    next: int


def settled(k: Knowledge) -> dict[int, Report]:
    """The robots that take part: in the home network all, elsewhere none that only passes by.

    One that is on its way to a task where no other robot is at work in this network, or idle, passes by.
    """
    if k.is_home:
        return dict(k.members)
    working = {one.task for one in k.members.values() if one.task and one.status >= STARTED}
    return {robot: one for robot, one in k.members.items() if one.recruits or one.task in working}


def archived(records: Sequence[Record], values: Sequence[Sequence[int]]) -> frozenset[int]:
    """The tasks that require more robots than can do them, by the suitabilities of all, in reach or not."""
    able = [sum(own[k] > 0 for own in values) for k in range(len(records))]
    return frozenset(
        task for task, (record, most) in enumerate(zip(records, able, strict=True), 1)
        if record.required > max(1, most) and not record.performed
    )  # fmt: skip


def considered(k: Knowledge) -> tuple[int, ...]:
    """T_j^-, in order of priority (lines 1 to 5); `k` is of settled robots.

    Tasks that robots of the network do or recruit for; in the home network also new tasks and lapsed ones, which
    are open until a robot has taken them.
    """
    done = {one.task for one in k.members.values()}
    return tuple(
        task for task in range(1, len(k.records) + 1)
        if task in k.ready and (task in done or (k.is_home and k.record(task).open))
    )  # fmt: skip


def lapse(k: Knowledge, task: int, settings: CobosSettings) -> tuple[Record, bool]:
    """Lines 8 to 18 for a task that has lapsed: its record from now on, and whether the robots on it back off."""
    record, on = k.record(task), [k.members[robot] for robot in k.holders(task)]
    if not on and settings.unseen == "keeps":
        return record.changed(open=True, performed=False), False
    recruits_count = settings.recruiters_started
    if any(one.status < STARTED or (one.recruits and not recruits_count) for one in on):
        return record.changed(performed=False), settings.late == "back-off"
    is_open = record.open or not on
    if task in k.fixed:
        return record.changed(tried=True, open=is_open, performed=False), True
    if settings.evidence == "holding":
        busy = sum(one.status == HOLDS for one in on)
        required = busy + 1 if busy else record.required
        return record.changed(required=required, tried=True, open=is_open, performed=False), True
    if record.tried:
        return record.changed(required=record.required + 1, open=is_open, performed=False), False
    return record.changed(tried=True, open=is_open, performed=False), True


def stuck(
    k: Knowledge, tasks: Sequence[int], able: Sequence[Collection[int]], settings: CobosSettings
) -> list[int]:
    """The considered tasks that every free robot here has backed off: nothing else would restore them.

    With `breaker` "home" not those of which a robot here recruits, or is about to: others may be found elsewhere.
    Where recruitment is off, also those for which too few are left. `able` by task: the robots that could do it
    before they backed off.
    """
    if settings.breaker == "never" or (settings.breaker == "home" and not k.is_home):
        return []
    found = []
    for task in tasks:
        busy = {robot for robot, one in k.members.items() if one.task != task and one.status >= PERFORMED}
        free = [robot for robot in k.members if robot in able[task - 1] and robot not in busy]
        willing = sum(k.members[robot].values[task - 1] > 0 for robot in free)
        given_up = not willing if settings.recruits else willing < min(len(free), demand(k, task, settings))
        recruited = settings.breaker == "home" and settings.recruits and k.holders(task)
        if free and given_up and not recruited and not k.record(task).performed:
            found.append(task)
    return found


def freed(record: Record, settings: CobosSettings, *, fixed: bool) -> Record:
    """The record of a task that all robots backed off: it needs one more; or, by evidence, all try once more.

    That restores their suitabilities only where it had been tried; where not, it counts as tried in between.
    `fixed`: the number of robots is known.
    """
    if settings.evidence == "holding" or fixed:
        return record.changed(tried=not record.tried)
    return record.changed(required=record.required + 1)


def demand(k: Knowledge, task: int, settings: CobosSettings) -> int:
    """How many robots of this network a task needs: phi, less those out of reach that are on it; one at least."""
    away = k.absent.get(task, 0) if settings.absent == "count" else 0
    return max(1, k.record(task).required - away)


def allocate(k: Knowledge, tasks: Sequence[int], settings: CobosSettings) -> Allocation:
    """Lines 19 to 25 for the considered tasks: the n_atv of highest priority that the robots here can fill, solved
    as a transportation problem or greedily.

    A robot that performs a task keeps it, unless only an exchange fills all tasks.
    """
    robots, active = sorted(k.members), list[int]()
    room = len(robots)
    for task in tasks:
        room -= demand(k, task, settings)
        if room < 0:
            break
        active.append(task)
    chosen, short = _solved(k, robots, active, settings, pins=settings.performers == "stay")
    if short and settings.performers == "stay":
        other, lacking = _solved(k, robots, active, settings, pins=False)
        if len(lacking) < len(short):
            chosen, short = other, lacking
    return Allocation(chosen, tuple(active), short, tasks[len(active)] if len(active) < len(tasks) else 0)


def _solved(
    k: Knowledge, robots: Sequence[int], active: Sequence[int], settings: CobosSettings, *, pins: bool
) -> tuple[dict[int, int], frozenset[int]]:
    """The task of each robot, and the tasks with too few."""
    counts = [demand(k, task, settings) for task in active]
    values = [[_value(k, robot, task, settings) for task in active] for robot in robots]
    for j, robot in enumerate(robots):
        one = k.members[robot]
        if pins and one.status >= PERFORMED and one.task in active and not is_spare(k, robot):
            values[j] = [v if task == one.task else None for v, task in zip(values[j], active, strict=True)]
    found = assign(values, counts, settings.solver)
    chosen = {robot: active[i] if i >= 0 else 0 for robot, i in zip(robots, found, strict=True)}
    filled = list(chosen.values())
    return chosen, frozenset(task for task, n in zip(active, counts, strict=True) if filled.count(task) < n)


def _value(k: Knowledge, robot: int, task: int, settings: CobosSettings) -> int | None:
    """The suitability with the tie-breakers below it: to stay, then a number drawn from robot and task."""
    one = k.members[robot]
    wire = one.values[task - 1]
    if wire == 0:
        return None
    stays = settings.stays and one.task == task and not is_spare(k, robot)
    return (wire << SUITABILITY) + stays * STAY + drawn(robot, task)


def is_spare(k: Knowledge, robot: int) -> bool:
    """Whether a performed task would stay performed without this robot: others perform it, and it does not."""
    one = k.members[robot]
    most = max(other.status for other in k.members.values() if other.task == one.task)
    return one.task > 0 and k.record(one.task).performed and one.status < most and most >= PERFORMED


def drawn(robot: int, task: int) -> int:
    """A number below 2^25, the same on all robots and in every process."""
    return zlib.crc32(f"{robot}/{task}".encode()) & 0x1FFFFFF
