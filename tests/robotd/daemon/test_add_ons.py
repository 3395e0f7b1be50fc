"""A daemon whose robot carries add-ons: each on its own port, halted or not, and one that goes away."""

import asyncio
import contextlib
import json
import os
from pathlib import Path

import pytest

from boards.body import Body
from boards.create2.driver import Create2
from boards.maestro.driver import Maestro, MaestroSettings
from robotd.config.load import load_robot
from robotd.daemon.daemon import Daemon
from robotd.guardian import halt
from robotd.sim.ptys import PtyEnd
from robotd.transport.port import Port
from tests.patience import WAIT_S
from tests.robotd.transport.serial_helper import until

ROBOT = """name = "green"
mission = "cleanup"
state_folder = "state"
board = {{ name = "create2", port = "{base}" }}
radio = {{ name = "none" }}
http = {{ enabled = false }}
log = {{ folder = "none" }}

[[add_ons]]
name = "maestro"
port = "{servos}"
parameters = {{ channel = 3 }}

[[add_ons]]
name = "positioning"
port = "{beacons}"
"""
HALT = Maestro(MaestroSettings(channel=3)).halt


@pytest.fixture
def ends():
    """The device ends of three ports."""
    made = {name: PtyEnd(4096) for name in ("base", "servos", "beacons")}
    yield made
    for end in made.values():
        end.close()


@pytest.fixture
def robot_file(ends, tmp_path: Path) -> Path:
    path = tmp_path / "green.toml"
    path.write_text(ROBOT.format(**{name: end.path for name, end in ends.items()}))
    return path


def heard(end: PtyEnd) -> bytes:
    return b"".join(part for part in end.transmit(0.0) if isinstance(part, bytes))


async def test_each_add_on_has_a_port_of_its_own_and_one_that_goes_away_holds_nothing_still(
    robot_file, ends, tmp_path, monkeypatch
):
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    config, mission = load_robot(robot_file)
    daemon = Daemon(config, mission, tmp_path, None)
    ports: dict[str, Port] = {port.name: port for port in daemon._ports}
    assert set(ports) == {"board", "maestro", "positioning"}
    body = daemon._robot.board
    assert isinstance(body, Body)
    assert isinstance(body.base, Create2)
    task = asyncio.ensure_future(daemon.run())
    await until(lambda: ports["maestro"].bytes_out > len(HALT))
    assert heard(ends["servos"]).startswith(HALT)
    assert heard(ends["beacons"]) == b""
    fix = json.dumps({"x": 1.0, "y": 2.0, "heading": 0.5}).encode() + b"\n"

    def is_placed() -> bool:
        """Whether there is a position in this tick; it is sent again, as one may be too old by the next tick."""
        with contextlib.suppress(BlockingIOError):
            os.write(ends["beacons"].fileno(), fix)
        snapshot = daemon._robot.snapshot
        return snapshot is not None and snapshot.inputs.senses.pose is not None

    await until(is_placed)
    assert heard(ends["beacons"]) == b""
    assert "positioning" in daemon._robot.snapshot.inputs.capabilities.resources
    await until(lambda: daemon._robot.snapshot.inputs.senses.pose is None)
    assert "no position" in dict(daemon._robot.snapshot.inputs.capabilities.missing)["positioning"]
    daemon._stop.set()
    assert await asyncio.wait_for(task, WAIT_S) == 0
    assert heard(ends["servos"]).endswith(HALT)


def test_halting_a_robot_file_halts_the_add_ons_that_move_something(robot_file, ends):
    targets = halt.parts_of(robot_file).targets
    assert [one.halt for one in targets] == [Create2.halt, HALT]
    outcomes = halt.halt_all(targets)
    assert set(outcomes.values()) == {""}
    assert heard(ends["servos"]) == HALT
    assert heard(ends["beacons"]) == b""
