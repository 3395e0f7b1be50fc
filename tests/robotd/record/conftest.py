"""A run log that the tests of logs and replays share."""

from pathlib import Path

import pytest

from robotd.model.plain import Json
from tests.robotd.sim.small import run


@pytest.fixture(scope="session")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated run of three robots, one of which is killed, in parts of 30 kB."""
    path = tmp_path_factory.mktemp("log") / "run.jsonl"
    run("8 kill blue", for_s=20.0, robots=("green", "blue", "gold"), log=path, part_bytes=30_000)
    return path


class Nothing:
    """A mind of which nothing is frozen."""

    def freeze(self) -> Json:
        return {}
