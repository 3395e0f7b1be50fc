"""The mock R-2 keeps the board contract."""

from __future__ import annotations

import pytest

from tests.boards.bench import DirectBench
from tests.boards.contract import BoardContract


class TestMockR2(BoardContract):
    @pytest.fixture
    def bench(self):
        return DirectBench()
