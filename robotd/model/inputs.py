"""All that one tick is given."""

from dataclasses import field

from robotd.model.plain import OMIT_DEFAULT
from robotd.model.senses import Capabilities, Senses
from robotd.model.tasks import Task
from robotd.model.value import value


@value
class Order:
    """Something that people ask.

    start, stop, acknowledge, stop-team, mission-start|stop|reset, radio-forget, task-add, drive; in a simulation
    tune, KEY=VALUE of each number that the coordinator has in place of the mission's. `at`: when a drive was
    given, s on the clock of the ticks; None of the others, which count whenever a tick takes them.
    """

    kind: str
    args: tuple[str, ...] = ()
    by: str = ""
    at: float | None = field(default=None, metadata=OMIT_DEFAULT)

    def age(self, now: float) -> float:
        """Seconds since it was given, 0 where it does not say."""
        return now - self.at if self.at is not None else 0.0


@value
class Fault:
    """An open fault: its row in the fault table, its detail in words, and since when (own clock, s)."""

    name: str
    detail: str
    since: float


@value
class Inputs:
    """`now` is the loop's clock, s; `n` the index of the control period.

    A coordinator finds in `orders` all that people asked since its last decision, and in `subtasks` the tasks that
    the behaviors asked for in the last tick.
    """

    now: float
    n: int
    senses: Senses
    capabilities: Capabilities
    orders: tuple[Order, ...] = ()
    faults: tuple[Fault, ...] = ()
    subtasks: tuple[Task, ...] = ()  # not recorded: they follow from the last tick
