"""What holds for all tests."""

import contextlib
import gc
import importlib
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.compiled import COMPILED, stale
from tests.patience import LIMITS, LONG_S, WAIT_S

# A busy machine makes an example slow, not wrong, and the first one ever draws up tables of characters. The same
# examples in each run: what lands is not refused for what another change left to be found; `thorough` finds it.
robotd = settings(deadline=None, max_examples=50, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("robotd", robotd)
thorough = settings(robotd, derandomize=False, max_examples=1000)  # pytest --hypothesis-profile thorough
settings.register_profile("thorough", thorough)
settings.load_profile("robotd")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Each worker of a whole run imports a share of the modules first: a fresh checkout compiles none twice."""
    here = Path(__file__).parent
    if COMPILED and (outdated := stale(here.parent)):
        pytest.exit(f"compiled before their sources changed: {', '.join(outdated)}; make fast, or make slow", 2)
    worker = getattr(config, "workerinput", None)
    if worker is None or config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    number, count = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
    for file in sorted(here.rglob("test_*.py"))[number::count]:
        # What cannot be imported is reported when it is collected.
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(file.relative_to(here.parent).with_suffix("").parts))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests first: one that begins at the end keeps idle workers waiting."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_collection_finish() -> None:
    """Freeze all that was collected, and look for garbage rarely: reference counts free nearly all of it."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


@pytest.fixture(autouse=True, scope="session")
def patience() -> Iterator[None]:
    """Servers and who asks them wait longer, in the modules that any of the chosen tests has imported."""
    with pytest.MonkeyPatch.context() as patch:
        if (client := sys.modules.get("robotd.control.client")) is not None:
            patch.setattr(client.ask, "__defaults__", (WAIT_S,))
        for module in LIMITS.keys() & sys.modules.keys():
            for name in LIMITS[module]:
                patch.setattr(sys.modules[module], name, LONG_S)
        yield


@pytest.fixture(autouse=True)
def own_logging() -> Iterator[None]:
    """A command that is run in this process sends the log to its own standard error: nobody's after the test."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
