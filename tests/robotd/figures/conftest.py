"""A simulated run of three robots that the tests of figures share."""

from pathlib import Path

import pytest

from robotd.figures.read import read_series
from robotd.figures.series import RunSeries
from tests.robotd.sim import small

EVENTS = ("10 remove blue", "20 return blue", "25 kill gold", "35 reboot gold")


@pytest.fixture(scope="session")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, small.Ran]:
    """The log, in parts, and how the run ended."""
    log = tmp_path_factory.mktemp("log") / "run.jsonl"
    team = ("green", "blue", "gold")
    return log, small.run(*EVENTS, for_s=50.0, robots=team, log=log, part_bytes=100_000)


@pytest.fixture(scope="session")
def log(ran: tuple[Path, small.Ran]) -> Path:
    return ran[0]


@pytest.fixture
def run(log: Path) -> RunSeries:
    return read_series(log)
