"""Looks after what is not the tick, once a second: disks, ports, clock, and reports to people and guardian."""

import asyncio
import functools
import logging
from collections.abc import Mapping, Sequence

from robotd.guardian.client import GuardianLink
from robotd.model.choice import State
from robotd.robot.robot import Robot
from robotd.storage.background import FLUSH_S, BackgroundStore, LogFolder
from robotd.timing import clock
from robotd.transport.port import Port, PortStatus

log = logging.getLogger(__name__)

STEP_S = 2.0  # the wall clock slews by less than a millisecond a second; more than this is a step
BOARD_FAULTS = {"lost": "port-lost", "silent": "board-silent"}
RADIO_FAULTS = dict.fromkeys(("lost", "silent"), "radio-lost")
SENSOR_FAULTS = dict.fromkeys(("lost", "silent"), "add-on-lost")


class HealthMonitor:
    """Turns what it sees into faults, and faults that have passed back."""

    def __init__(
        self,
        robot: Robot,
        store: BackgroundStore,
        log_folder: LogFolder | None,
        ports: Sequence[Port],
        link: GuardianLink | None,
    ) -> None:
        self._robot, self._faults = robot, robot.faults
        self._store, self._log_folder, self._ports, self._link = store, log_folder, ports, link
        self._reported: State | None = None
        self._advised = ""  # about the radio's modem
        for port in ports:
            port.on_change = functools.partial(self._port_changed, _faults_of(port))

    async def run(self) -> None:
        """Look once a second, for ever."""
        loop = asyncio.get_running_loop()
        ahead = _wall_ahead(loop)
        while True:
            await asyncio.sleep(FLUSH_S)
            now = loop.time()
            self._see_disks(now)
            self._robot.ports = tuple((port.name, port.status) for port in self._ports)
            self._see_modem()
            before, ahead = ahead, _wall_ahead(loop)
            if abs(ahead - before) > STEP_S:
                self._faults.open_fault("clock-stepped", f"by {ahead - before:+.1f} s", now)
            self.report()

    def _see_disks(self, now: float) -> None:
        self._faults.note("state-not-saved", self._store.trouble, now)
        if self._log_folder is None:
            return
        self._log_folder.flush()
        self._faults.note("log-stopped", self._log_folder.trouble, now)
        if self._log_folder.lost:
            self._log_folder.lost = False
            self._robot.log.begin_part()

    def _port_changed(self, faults: Mapping[str, str], status: PortStatus) -> None:
        """In the moment of the change, as an outage may be over at the next look."""
        now = asyncio.get_running_loop().time()
        for word, fault in faults.items():
            if word == status.word:
                self._faults.open_fault(fault, status.detail, now)
            elif status.word == "ready":
                self._faults.clear(fault)

    def _see_modem(self) -> None:
        """What people should change about the modem: among the warnings while it is so, and in the log once."""
        advice, before = self._robot.radio.advice, self._advised
        if advice == before:
            return
        self._advised = advice
        others = tuple(words for words in self._robot.warnings if words != before)
        self._robot.warnings = (*others, advice) if advice else others
        if advice:
            log.warning("radio: %s", advice)

    def report(self) -> None:
        """The state to people and guardian, and what was acknowledged; once more when the daemon ends."""
        link, snapshot = self._link, self._robot.snapshot
        state = snapshot.decision.state if snapshot is not None else None
        if state is not None and state != self._reported:  # in the words of status and HTTP
            self._reported = state
            ask = f"; next: {state.next_step} --robot {self._robot.name}" if state.next_step else ""
            log.info("%s (%s)%s", state.word, state.reason, ask)
        if link is not None and link.last_stop and not self._faults.is_open("guardian-stop"):
            link.acknowledged()
        if link is not None and state is not None:
            link.status(f"{state.word}: {state.reason}")


def _wall_ahead(loop: asyncio.AbstractEventLoop) -> float:
    """The wall clock less the loop's, s; both are read again where this process was held up between the two."""
    while True:
        now = loop.time()
        ahead = clock.wall().timestamp() - now
        if loop.time() - now < STEP_S / 10:
            return ahead


def _faults_of(port: Port) -> dict[str, str]:
    """The fault for each word of its status; an add-on that moves something holds the robot, a sensor does not."""
    if port.name == "radio":
        return RADIO_FAULTS
    if port.name == "board":
        return BOARD_FAULTS
    faults = BOARD_FAULTS if port.device.halt else SENSOR_FAULTS
    return {word: f"{fault}:{port.name}" for word, fault in faults.items()}
