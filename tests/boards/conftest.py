"""Drivers that are ready: of the class `BENCH` of a test's module, or its `Talk`."""

import pytest

from tests.boards.bench import ready


@pytest.fixture
def bench(request):
    """An emulated robot that is ready."""
    return ready(request.module.BENCH)


@pytest.fixture
def talk(request):
    """A driver whose robot has answered at 0 s."""
    talk = request.module.Talk()
    talk.greet()
    return talk
