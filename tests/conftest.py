"""What holds for all tests."""

import gc
import logging
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile(
    "robotd", deadline=None, max_examples=50
)  # a busy machine makes an example slow, not wrong
settings.register_profile("thorough", deadline=None, max_examples=1000)  # pytest --hypothesis-profile thorough
settings.load_profile("robotd")


def pytest_collection_finish() -> None:
    """Freeze all that was collected: each simulated run would look through it for garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def own_logging() -> Iterator[None]:
    """A command that is run in this process sends the log to its own standard error: nobody's after the test."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
