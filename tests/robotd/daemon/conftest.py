"""The folder of a robot, and that of its socket."""

import math
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from robotd.daemon import daemon, health_monitor
from robotd.robot import robot, ticking
from tests.patience import LONG_S
from tests.robotd.daemon.home import write


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the socket is: short, as a socket's path holds 107 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="robotd-"))
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(folder))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def home(tmp_path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(health_monitor, "FLUSH_S", 0.05)
    monkeypatch.setattr(ticking, "EXPIRY_S", math.inf)  # a busy machine is no fault of the robot
    monkeypatch.setattr(robot, "silence_s", lambda beat_s: math.inf)  # nor are teammates that there are none of
    monkeypatch.setattr(daemon, "CLOSE_S", LONG_S)
    write(tmp_path)
    return tmp_path
