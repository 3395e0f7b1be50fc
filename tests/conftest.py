"""What holds for all tests."""

import logging
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("robotd", deadline=None)  # a busy machine makes an example slow, not wrong
settings.load_profile("robotd")


@pytest.fixture(autouse=True)
def own_logging() -> Iterator[None]:
    """A command that is run in this process sends the log to its own standard error: nobody's after the test."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
