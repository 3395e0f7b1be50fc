"""One robot as its process holds it: a mind on a board and a radio, with its faults, orders and log."""

import contextlib
import logging
from collections.abc import Callable
from dataclasses import replace

from boards.contract import Board
from radio.link import Radio
from robotd.files.plugins import describe_error
from robotd.model.beliefs import LEAST_SILENCE_S, silence_s
from robotd.model.choice import Choice, Decision
from robotd.model.command import ActionResult, Command
from robotd.model.inputs import Inputs, Order
from robotd.model.senses import Capabilities, Senses
from robotd.record.log import RunLog
from robotd.robot.faults import BoardWatch, Faults, stopping_faults
from robotd.robot.mind import STILL, Mind
from robotd.robot.permission import held_still
from robotd.robot.persistence import Persistence
from robotd.robot.run_orders import GREETED_S, RunOrders
from robotd.robot.snapshot import Snapshot
from robotd.storage.document import Save
from robotd.storage.store import Store
from robotd.timing.ticker import TickStatistics
from robotd.transport.port import PortStatus

log = logging.getLogger(__name__)
STATISTICS_EVERY = 20  # ticks: percentiles are read by people, once a second is often enough
FIRST_S = GREETED_S + LEAST_SILENCE_S  # modems answer, and then a team that starts together sends
RADIO_FAULTS = ("airtime-limited", "duplicate-id", "epochs-spent", "mission-mismatch", "state-lost")


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
        self.orders: list[Order] = []  # that no tick has come to think of yet
        self.watchers: list[Callable[[Snapshot], None]] = []
        self._served = 0  # of `orders`, how many `_serve` has done
        self._board_watch = BoardWatch(board, faults)
        self._persistence = Persistence(store, radio, mind)
        self._run_orders = RunOrders()
        self._known: set[tuple[str, str]] = set()  # what ticks raised, and where, since the last acknowledgement

    def begin(self, now: float, save_now: Save | None = None) -> None:
        """Start mind and radio; what the radio must keep is saved (by `save_now`) before it can send.

        Run and memory of the last life are recalled; what cannot be used is set aside with a warning.
        """
        self.started_at = now
        self.mind.begin(now)
        self._persistence.recall()
        self.warnings = (*self.warnings, *self._persistence.warnings)
        self.radio.begin(now)
        self._remember(now, 0, save_now)
        self.log.register(self.name, self.mind)

    def submit(self, order: Order) -> None:
        """A person asks something; the next tick takes it, or the first that knows which run the team is in."""
        if not self._run_orders.hold(order):
            self.orders.append(order)

    @property
    def run_asked(self) -> str:
        """The newest run order that waits until the team's run is known, '' if none."""
        return self._run_orders.waiting

    def step(self, now: float, n: int) -> None:
        """One tick. Whatever it raises stops the motors in this tick and is a latched fault, not an end."""
        if n % STATISTICS_EVERY == 0:
            self.link = self.radio.statistics
        try:
            self._tick(now, n)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - any fault of a tick must stop the motors, now
            self._raised(error, now, n)
            with contextlib.suppress(
                Exception, SystemExit
            ):  # if the radio did not raise, stop, epoch and facts are sent
                self.radio.transmit(now, (), self.mind.beliefs)
        self._remember(now, n)

    def _tick(self, now: float, n: int) -> None:
        """Control period `n` at `now` (loop clock, s). Raises whatever the robot's parts raise."""
        mind, board, radio = self.mind, self.board, self.radio
        self._serve(now)
        senses, capabilities = board.senses(now), board.capabilities(now)
        self._board_watch.look(now, senses, capabilities)
        heard, sent = (radio.receive(now), radio.take_sent(now)) if mind.decides(n) else ((), ())
        if mind.decides(n) or self.orders:
            self._notice(now)  # a team stop received or ordered just now acts in this tick
        self.log.begin_tick(now)
        orders, self.orders, self._served = tuple(self.orders), [], 0
        i = Inputs(now, n, senses, capabilities, orders, self.faults.open())
        decision = mind.decide(i, heard, sent)
        driven = board.command(now, decision.wanted)
        radio.transmit(now, mind.choice.statements if mind.acting else (), decision.beliefs)
        self.log.tick(self.name, i, heard, sent, decision, driven)
        self._publish(i, decision, mind.choice, driven)

    def _raised(self, error: BaseException, now: float, n: int) -> None:
        """Stop the motors, latch the fault, log it the first time, and let people see it.

        An order to drive counts only when it is given: none is kept for the tick after an acknowledgement.
        """
        self.board.command(now, STILL)
        self._served -= sum(order.kind == "drive" for order in self.orders[: self._served])
        self.orders = [order for order in self.orders if order.kind != "drive"]
        self.log.restart(now)
        what = describe_error(error)
        if not any(fault.name == "tick-raised" for fault in self.faults.open()):
            self._known.clear()
        kind = (type(error).__name__, what.rpartition(" (")[2])
        if kind not in self._known:  # each kind at each place once, until acknowledged
            self._known.add(kind)
            log.exception("the tick raised; the motors are stopped until acknowledged")
            self.log.note("raised", robot=self.name, n=n, now=now, what=what)
        self.faults.open_fault("tick-raised", what, now)
        last, faults = self.snapshot, self.faults.open()
        i = last.inputs if last is not None else Inputs(now, n, Senses(), Capabilities())
        decision = Decision(None, ActionResult(), STILL, self.mind.beliefs, held_still(stopping_faults(faults)))
        i = replace(i, now=now, n=n, orders=(), faults=faults)
        self._publish(i, decision, replace(self.mind.choice, run=(), held=None), STILL)

    def _serve(self, now: float) -> None:
        """Do what people ask of the radio and the faults, once, whatever else this tick comes to."""
        if self.run_asked:
            alive = self.radio.statistics.alive
            self.orders += self._run_orders.release(self.mind.beliefs, now - self.started_at, alive=alive)
        while self._served < len(self.orders):
            order = self.orders[self._served]
            self._served += 1
            if order.kind == "stop-team":
                self.radio.stop_team(now, self.mind.beliefs)
            elif order.kind == "acknowledge":
                self.radio.acknowledge_stop(now)
                self.faults.acknowledge(now)
            elif order.kind == "radio-forget":
                self.radio.forget(order.args)

    def _notice(self, now: float) -> None:
        """Open and clear the faults that the radio knows of."""
        stopped = self.radio.stopped_by
        if stopped is not None:
            self.faults.open_fault("stopped", f"stopped by {self.mind.beliefs.table.name(stopped[0])}", now)
        found = self.radio.faults
        for name in RADIO_FAULTS if found or self.faults.open() else ():
            self.faults.note(name, "; ".join(detail for other, detail in found if other == name), now)
        self.faults.note("radio-silent", self._silence(now), now)
        self.faults.note("facts-refused", self.mind.refused, now)

    def _silence(self, now: float) -> str:
        """That no teammate is received, in words; '' while one is, or where there is none."""
        beliefs = self.mind.beliefs
        limit_s = silence_s(beliefs.beat_s(now))
        last = max((one.last_received for one in beliefs.teammates.values()), default=self.started_at)
        if not beliefs.teammates:
            limit_s = max(limit_s, FIRST_S)
        if len(beliefs.table.team) < 2 or now - last <= limit_s:
            return ""
        return f"no frame of a teammate received for {limit_s:g} s"

    def _publish(self, i: Inputs, decision: Decision, choice: Choice, driven: Command) -> None:
        """The tick is finished: let people see it."""
        snapshot = self.snapshot = Snapshot(
            self.name, self.started_at, i, decision, choice, driven,
            self.link, self.ticks, self.ports, self.warnings, self.run_asked,
        )  # fmt: skip
        for watch in self.watchers:
            watch(snapshot)

    def _remember(self, now: float, n: int, save: Save | None = None) -> None:
        """Save what changed; a coordinator's memory that raises stops the motors, as all that raises in a tick."""
        try:
            self._persistence.keep(now, save)
        except OSError as error:
            self.faults.open_fault("state-not-saved", error.strerror or str(error), now)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - see `step`
            self._raised(error, now, n)
