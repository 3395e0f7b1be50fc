"""What is looked after once a second: disks, ports, the wall clock, and reports to the guardian."""

import asyncio
import datetime as dt
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from robotd.daemon.health_monitor import HealthMonitor
from robotd.model.choice import State
from robotd.robot.faults import Faults
from robotd.timing import clock
from robotd.timing.virtual_loop import run_virtual
from robotd.transport.port import PortStatus
from tests.robotd.daemon.home import Link
from tests.robotd.robot.snapshots import snapshot


@dataclass
class Disk:
    """A store, or a log's folder."""

    trouble: str = ""
    lost: bool = False
    flushed: int = 0

    def flush(self) -> None:
        self.flushed += 1


class Scene:
    """A watch over things that a test changes while virtual time passes."""

    def __init__(self) -> None:
        self.faults, self.store, self.folder, self.link = Faults(), Disk(), Disk(), Link()
        self.port: Any = SimpleNamespace(name="board", status=PortStatus("opening", "", 0.0), on_change=None)
        self.restarts = 0
        self.wall = 1e9
        self.robot: Any = SimpleNamespace(
            name="green", faults=self.faults, ports=(), snapshot=None, warnings=("an older one",),
            log=SimpleNamespace(begin_part=self._restart), radio=SimpleNamespace(advice=""),
        )  # fmt: skip

    def _restart(self) -> None:
        self.restarts += 1

    @property
    def names(self) -> list[str]:
        return [fault.name for fault in self.faults.open()]

    def watch(self, *, log: bool = True, link: bool = True) -> HealthMonitor:
        folder: Any = self.folder if log else None
        guardian: Any = self.link if link else None
        store: Any = self.store
        return HealthMonitor(self.robot, store, folder, [self.port], guardian)


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Scene:
    made = Scene()

    def wall() -> dt.datetime:
        return dt.datetime.fromtimestamp(made.wall + asyncio.get_running_loop().time(), dt.UTC)

    monkeypatch.setattr(clock, "wall", wall)
    return made


def played(scene: Scene, *acts: Any, **parts: bool) -> None:
    """Each act is called a second after the one before, half-way between two looks; then two looks more."""

    async def play() -> None:
        task = asyncio.ensure_future(scene.watch(**parts).run())
        await asyncio.sleep(0.5)
        for act in acts:
            act()
            await asyncio.sleep(1.0)
        await asyncio.sleep(1.0)
        task.cancel()

    run_virtual(play())


def test_a_disk_that_fails_is_a_fault_until_it_works(scene) -> None:
    seen: list[list[str]] = []

    def look(trouble: str) -> None:
        seen.append(scene.names)
        scene.store.trouble = trouble

    played(scene, lambda: look("Read-only file system"), lambda: look(""))
    assert (seen, scene.names, scene.link.sent) == ([[], ["state-not-saved"]], [], [])


def test_the_log_is_flushed_every_second_and_begins_a_part_after_lines_were_lost(scene) -> None:
    def lose() -> None:
        scene.folder.lost, scene.folder.trouble = True, "No space left on device"

    played(scene, lose)
    assert scene.folder.flushed == 2
    assert (scene.names, scene.restarts, scene.folder.lost) == (["log-stopped"], 1, False)


@pytest.mark.parametrize(
    ("name", "word", "fault"),
    [("board", "lost", "port-lost"), ("board", "silent", "board-silent"), ("radio", "lost", "radio-lost"),
     ("radio", "silent", "radio-lost"), ("maestro", "lost", "port-lost:maestro"),
     ("maestro", "silent", "board-silent:maestro"), ("positioning", "lost", "add-on-lost:positioning"),
     ("positioning", "silent", "add-on-lost:positioning")],
)  # fmt: skip
def test_a_port_is_a_fault_in_the_moment_that_it_is_lost_or_silent(scene, name, word, fault) -> None:
    scene.port.name = name
    scene.port.device = SimpleNamespace(halt=b"" if name in ("radio", "positioning") else b"stop")
    seen: list[list[str]] = []

    def change(to: str) -> None:
        scene.port.status = PortStatus(to, "no such device", 1.0)
        scene.port.on_change(scene.port.status)
        seen.append(scene.names)

    played(scene, lambda: change("handshake"), lambda: change(word), lambda: change("ready"))
    latches = name in ("board", "maestro")  # motion is resumed by people, radio by itself
    assert seen == [[], [fault], [fault] if latches else []]
    assert scene.robot.ports == ((name, scene.port.status),)
    scene.faults.acknowledge(99.0)
    assert scene.names == []
    scene.faults.open_fault(fault, "again", 100.0)
    scene.faults.acknowledge(101.0)
    assert scene.names == [fault]  # what is still lost cannot be acknowledged


@pytest.mark.parametrize(("step", "faults"), [(1.9, []), (2.1, ["clock-stepped"]), (-3600.0, ["clock-stepped"])])
def test_a_wall_clock_that_steps_is_a_fault_and_one_that_is_slewed_is_not(scene, step, faults) -> None:
    played(scene, lambda: setattr(scene, "wall", scene.wall + step))
    assert scene.names == faults


def test_a_process_that_is_held_up_between_the_readings_of_two_clocks_takes_neither_for_stepped(
    scene, monkeypatch
) -> None:
    wall, holds = clock.wall, iter((0.0, 0.0, 5.0))

    def late() -> dt.datetime:
        asyncio.get_running_loop()._calendar.now += next(holds, 0.0)  # type: ignore[attr-defined]
        return wall()

    monkeypatch.setattr(clock, "wall", late)
    played(scene, lambda: None, lambda: None)
    assert (scene.names, next(holds, None)) == ([], None)


def test_the_guardian_receives_the_state_and_once_that_people_took_notice_of_its_last_stop(scene) -> None:
    scene.link.last_stop = "the daemon finished no tick for 0.25 s"
    scene.faults.open_fault("guardian-stop", scene.link.last_stop, 0.0)
    sent: list[list[str]] = []

    def acknowledge() -> None:
        sent.append(list(scene.link.sent))
        scene.faults.acknowledge(2.0)
        scene.robot.snapshot = snapshot()

    played(scene, lambda: None, acknowledge)
    assert sent == [[]]
    assert scene.link.sent == ["acknowledged", *["running: permitted to move"] * 2]


def test_without_a_log_or_a_guardian_neither_is_looked_after(scene) -> None:
    scene.folder.trouble = "not there"
    played(scene, log=False, link=False)
    assert (scene.names, scene.folder.flushed, scene.link.sent) == ([], 0, [])


def test_each_new_state_is_logged_once_with_its_reason_and_next_step(scene, caplog) -> None:
    def become(*state: Any) -> None:
        scene.robot.snapshot = SimpleNamespace(decision=SimpleNamespace(state=State(*state)))

    caplog.set_level("INFO", "robotd.daemon.health_monitor")
    waits = ("waiting for start", "it was not started", "robotd start", False)
    runs = ("running", "permitted to move", "", True)
    played(scene, lambda: become(*waits), lambda: become(*waits), lambda: become(*runs))
    assert [record.message for record in caplog.records] == [
        "waiting for start (it was not started); next: robotd start --robot green",
        "running (permitted to move)",
    ]


def test_e7_what_the_modem_advises_is_a_warning_while_it_holds_and_logged_once(scene, caplog) -> None:
    caplog.set_level("WARNING")
    seen: list[tuple[str, ...]] = []
    played(
        scene,
        lambda: setattr(scene.robot.radio, "advice", "load other firmware"),
        lambda: seen.append(scene.robot.warnings),
        lambda: seen.append(scene.robot.warnings),
        lambda: setattr(scene.robot.radio, "advice", ""),
    )
    assert seen == [("an older one", "load other firmware")] * 2
    assert scene.robot.warnings == ("an older one",)
    assert [record.getMessage() for record in caplog.records] == ["radio: load other firmware"]
