"""What tests of ports share."""

import pytest

from tests.robotd.transport.serial_helper import Pty


@pytest.fixture
def pty(tmp_path):
    with Pty(tmp_path) as made:
        yield made
