"""The driver of the R-2's serial protocol keeps the board contract."""

from __future__ import annotations

import pytest

from tests.boards.bench import SerialBench
from tests.boards.contract import SerialBoardContract


class TestR2(SerialBoardContract):
    @pytest.fixture
    def bench(self):
        return SerialBench()
