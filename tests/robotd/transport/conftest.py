"""What tests of ports share."""

import pytest

from robotd.transport import port
from tests.patience import WAIT_S
from tests.robotd.transport.serial_helper import Pty


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """A busy machine is no sick device."""
    monkeypatch.setattr(port, "OPEN_TIMEOUT_S", WAIT_S)


@pytest.fixture
def pty(tmp_path):
    with Pty(tmp_path) as made:
        yield made
