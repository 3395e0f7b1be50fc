"""The driver of the Create 2's Open Interface keeps the board contract."""

from __future__ import annotations

import pytest

from tests.boards.bench import Create2Bench, fast_world
from tests.boards.contract import SerialBoardContract


class TestCreate2(SerialBoardContract):
    @pytest.fixture
    def bench(self):
        return Create2Bench(fast_world())
