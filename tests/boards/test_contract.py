"""The driver of every board keeps the board contract."""

from __future__ import annotations

import pytest

from tests.boards.bench import (
    Create2Bench,
    FirmataBench,
    KobukiBench,
    PioneerBench,
    SerialBench,
    fast_world,
    world,
)
from tests.boards.contract import SerialBoardContract

BENCHES = {"create2": Create2Bench, "firmata": FirmataBench, "kobuki": KobukiBench, "pioneer": PioneerBench}


class TestContract(SerialBoardContract):
    @pytest.fixture(params=["r2", *BENCHES])
    def bench(self, request):
        if request.param == "r2":
            return SerialBench(world())
        return BENCHES[request.param](fast_world())
