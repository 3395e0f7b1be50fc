"""What an auctioneer remembers of the tasks that it introduced."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from robotd.model.beliefs import Beliefs
from robotd.model.choice import Job
from robotd.model.table import TaskEntry
from robotd.model.tasks import Task

WAITING, ANNOUNCED, AWARDED, NODE = "waiting", "announced", "awarded", "open"
DONE, REFUSED, ENDED = "done", "refused", "ended"
OPEN = (WAITING, ANNOUNCED, AWARDED, NODE)
NEVER = -1.0


@dataclass(slots=True)
class Lot:
    """A task that this robot introduced. Times are on the own clock, s; NEVER: not yet.

    `job` numbers it for the team over all its auctions; an `own` one is the mission's task itself, by its name.
    `number` is that of its auction or contract. Of an announced one: `sent`, when the announcement first left,
    `times`, how often, and `bids`, score and answer by robot. Of an awarded one: `term`, which counts renewals,
    `until`, when it runs out, and `acked`, when `who` last acknowledged. `asked`: a behavior asks for it, as
    `rank`-th; it is `wanted` until that ends. `observed` is the progress that the behavior sees. `failed` counts
    awards without work by robot, `former` has the winners of its contracts that are over by number: one of them
    may still report it done. `mark`: what was known of its completion when it was introduced.
    """

    job: int
    task: Task
    template: str
    length_s: float
    contract_s: float
    reserve: float
    no_progress_s: float
    since: float
    not_before: float
    parent: str = ""
    own: bool = False
    state: str = WAITING
    why: str = "its turn comes"
    asked: bool = False
    wanted: bool = True
    rank: int = 0
    number: int = -1
    sent: float = NEVER
    said: float = NEVER
    times: int = 0
    bids: dict[int, tuple[float, int]] = field(default_factory=dict)
    who: int = 0
    term: int = 0
    until: float = 0.0
    acked: float = NEVER
    renews: bool = True
    progress: float = 0.0
    observed: float | None = None
    least: float | None = None
    failed: dict[int, int] = field(default_factory=dict)
    former: dict[int, int] = field(default_factory=dict)
    tries: int = 0
    mark: int = 0

    def turn(self, state: str, now: float, why: str) -> None:
        """Take a state."""
        self.state, self.since, self.why = state, now, why

    @property
    def is_open(self) -> bool:
        """Whether something is still to be done about it."""
        return self.state in OPEN

    @property
    def listed(self) -> Job:
        """As the status shows it."""
        return Job(self.task, self.state, self.who if self.state in (AWARDED, DONE) else 0, self.why)


@dataclass(slots=True)
class AuctioneerState:
    """All that it remembers; `lots` by job, in the order of their introduction.

    `excluded`: until when, by kind of task and robot; `stalled`: contract time without progress, s, likewise;
    `fired`: how often it introduced a task by itself.
    """

    began: float = 0.0
    jobs: int = 0
    numbers: int = 0
    lots: dict[int, Lot] = field(default_factory=dict)
    excluded: dict[str, dict[int, float]] = field(default_factory=dict)
    stalled: dict[str, dict[int, float]] = field(default_factory=dict)
    fired: dict[str, int] = field(default_factory=dict)
    last: float = 0.0
    version: int = 0

    def open(self) -> Iterator[Lot]:
        """The lots about which something is to be done."""
        return (lot for lot in tuple(self.lots.values()) if lot.is_open)

    def out_of(self, kind: str, now: float) -> Mapping[int, str]:
        """The robots excluded from tasks of a kind, and why."""
        until = self.excluded.get(kind, {})
        return {robot: "no progress" for robot, end in until.items() if now < end}

    def is_stalled(self, lot: Lot, lapse: float, least: float) -> bool:
        """Whether a winner's contracts have lasted for long enough while what is observed did not grow by `least`.

        The observation is the auctioneer's: an acknowledgement proves that a radio works, and no more (002, II).
        `lapse`: since the last decision, s.
        """
        if lot.observed is None or lot.acked == NEVER or not lot.renews:
            return False
        stalled = self.stalled.setdefault(lot.task.kind, {})
        lot.least = lot.observed if lot.least is None else min(lot.least, lot.observed)
        if lot.observed - lot.least >= least:
            lot.least = lot.observed
            stalled[lot.who] = 0.0
        else:
            stalled[lot.who] = stalled.get(lot.who, 0.0) + lapse
        if stalled[lot.who] < lot.no_progress_s:
            return False
        stalled[lot.who] = 0.0
        return True


def mark_of(beliefs: Beliefs, entry: TaskEntry) -> int:
    """What is known of a task's completion; another value later means that it was completed since."""
    fact = beliefs.facts.get(entry.completion)
    if fact is None:
        return 0
    if beliefs.table.fact(fact.name).versioned:
        return fact.version
    return 1 + (int(fact.value[0]) if fact.value else 0)
