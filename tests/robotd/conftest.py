"""What holds for all tests of this room: a process that a busy machine holds up is no client that is idle."""

import sys
from collections.abc import Iterator

import pytest

from robotd.control import client
from tests.robotd.transport.serial_helper import WAIT_S

LIMITS = {
    "robotd.control.server": ("IDLE_S",),
    "robotd.status.listener": ("IDLE_S", "LIFE_S"),
    "robotd.status.streams": ("UNREAD_S",),
}


@pytest.fixture(autouse=True, scope="session")
def patience() -> Iterator[None]:
    """Servers and who asks them wait longer, in the modules that any of the chosen tests has imported."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client.ask, "__defaults__", (WAIT_S,))
        for module in LIMITS.keys() & sys.modules.keys():
            for name in LIMITS[module]:
                patch.setattr(sys.modules[module], name, 10 * WAIT_S)
        yield
