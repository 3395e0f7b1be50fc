"""The driver of the Kobuki's packets keeps the board contract."""

from __future__ import annotations

import pytest

from tests.boards.bench import KobukiBench, fast_world
from tests.boards.contract import SerialBoardContract


class TestKobuki(SerialBoardContract):
    @pytest.fixture
    def bench(self):
        return KobukiBench(fast_world())
