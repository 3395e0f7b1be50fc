"""One robot as its process holds it: a mind on a board and a radio, with its faults, orders and log."""

from __future__ import annotations

import logging
from collections.abc import Callable

from boards.contract import Board
from radio.link import Radio
from radio.pacing import SILENT_BEATS
from robotd.faults import Faults
from robotd.mind import STILL, Mind
from robotd.model.command import EXPIRY_S
from robotd.model.inputs import Order
from robotd.model.plain import Json
from robotd.port import PortStatus
from robotd.record.log import RunLog
from robotd.snapshot import Snapshot
from robotd.store import Store
from robotd.tick import tick
from robotd.ticker import Ticker, TickStatistics

log = logging.getLogger(__name__)
STATISTICS_EVERY = 20  # ticks: percentiles are read by people, once a second is often enough
RADIO_MEMORY = "radio"


class Robot:
    """Everything of one robot that a tick touches."""

    def __init__(
        self, name: str, mind: Mind, board: Board, radio: Radio, faults: Faults, run_log: RunLog, store: Store
    ) -> None:
        self.name = name
        self.mind = mind
        self.board = board
        self.radio = radio
        self.faults = faults
        self.log = run_log
        self.store = store
        self.started_at = 0.0
        self.snapshot: Snapshot | None = None
        self.ticks = TickStatistics()
        self.link = radio.statistics
        self.ports: tuple[tuple[str, PortStatus], ...] = ()
        self.warnings: tuple[str, ...] = ()
        self.orders: list[Order] = []
        self.watchers: list[Callable[[Snapshot], None]] = []
        self._radio_saved = -1

    def begin(self, now: float, save_now: Callable[[str, Json], None] | None = None) -> None:
        """Start mind and radio; what the radio must remember is saved (by `save_now`) before it can send."""
        self.started_at = now
        self.mind.begin(now)
        self.radio.begin(now)
        self._remember(now, save_now or self.store.save)
        self.log.register(self.name, self.mind)

    def step(self, now: float, n: int) -> None:
        """One tick. Whatever it raises stops the motors in this tick and is a latched fault, not an end."""
        try:
            tick(self, now, n)
        except Exception as error:  # noqa: BLE001 - any fault of the thinking must stop the motors, now
            self.board.command(now, STILL)
            self._raised(f"{type(error).__name__}: {error}", now)
        self._remember(now, self.store.save)

    def _raised(self, detail: str, now: float) -> None:
        self.log.restart()
        if not any(fault.name == "tick-raised" and fault.detail == detail for fault in self.faults.open()):
            log.exception("the tick raised; the motors are stopped until acknowledged")
        self.faults.open_fault("tick-raised", detail, now)

    def submit(self, order: Order) -> None:
        """A person asks something; the next tick takes it."""
        self.orders.append(order)

    def take_orders(self, now: float) -> tuple[Order, ...]:
        """What people asked since the last tick; those that concern faults and the team stop are done here."""
        orders, self.orders = tuple(self.orders), []
        for order in orders:
            if order.kind == "stop-team":
                self.radio.stop_team(now, self.mind.beliefs)
            elif order.kind == "acknowledge":
                self.radio.acknowledge_stop(now)
                self.faults.acknowledge(now)
        return orders

    def notice(self, now: float) -> None:
        """Open and clear the faults that the radio knows of."""
        stopped = self.radio.stopped_by
        if stopped is not None:
            self.faults.open_fault("stopped", f"stopped by {self.mind.beliefs.table.name(stopped[0])}", now)
        for name, detail in self.radio.faults:
            self.faults.open_fault(name, detail, now)
        heard = max((mate.last_heard for mate in self.mind.beliefs.mates.values()), default=self.started_at)
        if now - heard > SILENT_BEATS * self.mind.beliefs.table.beat_s:
            self.faults.open_fault("radio-silent", f"no teammate heard for {SILENT_BEATS:g} beats", now)
        else:
            self.faults.clear("radio-silent")

    def publish(self, snapshot: Snapshot) -> None:
        """The tick is finished."""
        self.snapshot = snapshot
        for watch in self.watchers:
            watch(snapshot)

    def _remember(self, now: float, save: Callable[[str, Json], None]) -> None:
        if self.radio.memory_version == self._radio_saved:
            return
        self._radio_saved = self.radio.memory_version
        try:
            save(RADIO_MEMORY, self.radio.memory())
        except OSError as error:
            self.faults.open_fault("state-not-saved", f"{error.strerror}", now)


async def run_ticks(robot: Robot, ticker: Ticker, now: Callable[[], float], after: Callable[[], None]) -> None:
    """Tick for ever; `after` is told of each finished tick."""
    last = -1
    while True:
        n = await ticker.next()
        if last >= 0 and (n - last) * ticker.period_s > EXPIRY_S:
            robot.faults.open_fault("tick-stalled", f"{n - last - 1} ticks were skipped at a stretch", now())
        last = n
        robot.step(now(), n)
        if n % STATISTICS_EVERY == 0:
            robot.ticks, robot.link = ticker.statistics(), robot.radio.statistics
        after()
