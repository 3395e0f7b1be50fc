"""The driver of the Pioneer's packets keeps the board contract."""

from __future__ import annotations

import pytest

from tests.boards.bench import PioneerBench, fast_world
from tests.boards.contract import SerialBoardContract


class TestPioneer(SerialBoardContract):
    @pytest.fixture
    def bench(self):
        return PioneerBench(fast_world())
