"""What a finished tick leaves behind for people to look at: immutable, so that looking costs the tick nothing."""

from radio.statistics import RadioStatistics
from robotd.model.choice import Choice, Decision
from robotd.model.command import Command
from robotd.model.inputs import Inputs
from robotd.model.value import value
from robotd.timing.ticker import TickStatistics
from robotd.transport.port import PortStatus


@value
class Snapshot:
    """One robot after one tick; `choice` is that of the last decision."""

    robot: str
    started_at: float
    inputs: Inputs
    decision: Decision
    choice: Choice
    driven: Command
    radio: RadioStatistics
    ticks: TickStatistics
    ports: tuple[tuple[str, PortStatus], ...] = ()  # by name: board, radio
    warnings: tuple[str, ...] = ()
    run_asked: str = ""  # the run order that waits until teammates have been received
