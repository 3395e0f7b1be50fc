"""Looks after what is not the tick, once a second: disks, ports, clock, and what the guardian is told."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Mapping, Sequence

from robotd.guardian.client import GuardianLink
from robotd.model.decision import State
from robotd.robot.faults import Faults
from robotd.robot.robot import Robot
from robotd.storage.background import FLUSH_S, BackgroundStore, LogFolder
from robotd.timing import clock
from robotd.transport.port import Port, PortStatus

log = logging.getLogger(__name__)

STEP_S = 2.0  # the wall clock slews by less than a millisecond a second; more than this is a step
BOARD_FAULTS = {"lost": "port-lost", "silent": "board-silent"}
RADIO_FAULTS = {"lost": "radio-lost", "silent": "radio-lost"}
SENSOR_FAULTS = {"lost": "add-on-lost", "silent": "add-on-lost"}


class HealthMonitor:
    """Turns what it sees into faults, and faults that have passed back."""

    def __init__(
        self,
        robot: Robot,
        faults: Faults,
        store: BackgroundStore,
        log_folder: LogFolder | None,
        ports: Sequence[Port],
        link: GuardianLink | None,
    ) -> None:
        self._robot = robot
        self._faults = faults
        self._store = store
        self._log_folder = log_folder
        self._ports = ports
        self._told: State | None = None
        self._advised = ""  # about the radio's modem
        for port in ports:
            port.on_change = functools.partial(self._port_changed, _faults_of(port))
        self._link = link

    async def run(self) -> None:
        """Look once a second, for ever."""
        loop = asyncio.get_running_loop()
        offset = clock.wall().timestamp() - loop.time()
        while True:
            await asyncio.sleep(FLUSH_S)
            now = loop.time()
            self._see_disks(now)
            self._robot.ports = tuple((port.name, port.status) for port in self._ports)
            self._see_modem()
            offset = self._see_clock(now, offset)
            self.tell()

    def tell(self) -> None:
        """The state to people and guardian, and what was acknowledged; once more when the daemon ends."""
        self._tell_state()
        self._tell_guardian()

    def _see_disks(self, now: float) -> None:
        self._while("state-not-saved", self._store.trouble, now)
        if self._log_folder is None:
            return
        self._log_folder.flush()
        self._while("log-stopped", self._log_folder.trouble, now)
        if self._log_folder.lost:
            self._log_folder.lost = False
            self._robot.log.begin_part()

    def _port_changed(self, faults: Mapping[str, str], status: PortStatus) -> None:
        """In the moment of the change, as an outage may be over before anybody looks again."""
        now = asyncio.get_running_loop().time()
        for word, fault in faults.items():
            if word == status.word:
                self._faults.open_fault(fault, status.detail, now)
            elif status.word == "ready":
                self._faults.clear(fault)

    def _see_clock(self, now: float, offset: float) -> float:
        seen = clock.wall().timestamp() - now
        if abs(seen - offset) > STEP_S:
            self._faults.open_fault("clock-stepped", f"by {seen - offset:+.1f} s", now)
        return seen

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

    def _tell_state(self) -> None:
        """Each new state in the log for people, in the words of status and HTTP."""
        snapshot = self._robot.snapshot
        if snapshot is not None and snapshot.thought.state != self._told:
            self._told = state = snapshot.thought.state
            log.info(
                "%s (%s)%s", state.word, state.reason, f"; next: {state.next_step}" if state.next_step else ""
            )

    def _tell_guardian(self) -> None:
        link, snapshot = self._link, self._robot.snapshot
        if link is None:
            return
        if link.last_stop and not any(fault.name == "guardian-stop" for fault in self._faults.open()):
            link.acknowledged()
        if snapshot is not None:
            state = snapshot.thought.state
            link.status(f"{state.word}: {state.reason}")

    def _while(self, fault: str, trouble: str, now: float) -> None:
        if trouble:
            self._faults.open_fault(fault, trouble, now)
        else:
            self._faults.clear(fault)


def _faults_of(port: Port) -> dict[str, str]:
    """The fault for each word of its status; an add-on that moves something holds the robot, a sensor does not."""
    if port.name == "radio":
        return RADIO_FAULTS
    if port.name == "board":
        return BOARD_FAULTS
    return {
        word: f"{fault}:{port.name}"
        for word, fault in (BOARD_FAULTS if port.device.halt else SENSOR_FAULTS).items()
    }
