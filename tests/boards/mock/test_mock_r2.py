"""The mock R-2 keeps the board contract, and comes alone in a world of its own as a plug-in."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from boards.mock.r2 import MockBoard
from robotd.model.command import Command
from tests.boards.bench import DirectBench
from tests.boards.contract import BoardContract


class TestMockR2(BoardContract):
    @pytest.fixture
    def bench(self):
        return DirectBench()


def test_as_a_plug_in_it_drives_in_its_own_world_from_whenever_it_is_first_asked():
    table = {"seed": 3, "body": {"lacks": ["side-range"]}, "world": {"width_m": 5.0}}
    board = MockBoard(MockBoard.Settings(**table))
    start = 98765.4
    assert "side-range" not in board.capabilities(start).resources
    for n in range(20):
        board.command(start + n / 20, Command(0.2, 0.2))
    assert board.senses(start + 1.0).wheels.left > 0.15
    assert not MockBoard.needs_port


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"body": {"lacks": ["antenna"]}}, "has no part 'antenna'"),
        ({"world": {"widht_m": 5.0}}, "Extra inputs"),
        ({"seed": -1}, "greater than"),
    ],
)
def test_its_table_is_refused_with_the_reason(table, words):
    with pytest.raises(ValidationError, match=words):
        MockBoard.Settings(**table)
