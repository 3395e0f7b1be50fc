"""docs/stop.md says of each board what stops its wheels when the computer dies, and says what the board says."""

import re
from pathlib import Path

import pytest

from robotd.files.plugins import Plugins

PAGE = (Path(__file__).parents[2] / "docs" / "stop.md").read_text(encoding="utf-8")
SECTION = PAGE[PAGE.index("## When the whole computer dies") : PAGE.index("## What is not guaranteed")]
ROWS = dict(re.findall(r"^\| `([\w-]+)` \| (.*)$", SECTION, re.MULTILINE))
BOARDS = {name: Plugins().get("robotd.boards", name) for name in Plugins().names("robotd.boards")}
REAL = {name: board for name, board in BOARDS.items() if board.needs_port and board.halt != b""}  # what moves


def test_every_board_with_a_port_has_its_row_and_no_other() -> None:
    assert set(ROWS) == set(REAL)


@pytest.mark.parametrize("name", REAL)
def test_a_row_states_nothing_where_the_board_does(name: str) -> None:
    assert ROWS[name].startswith("**nothing") == REAL[name].when_computer_dies.startswith("nothing")
