"""The driver of an Arduino with Firmata keeps the board contract, whichever sketch is on it."""

from __future__ import annotations

import pytest

from tests.boards.bench import FirmataBench, fast_world
from tests.boards.contract import SerialBoardContract


class TestFirmata(SerialBoardContract):
    @pytest.fixture
    def bench(self):
        return FirmataBench(fast_world())
