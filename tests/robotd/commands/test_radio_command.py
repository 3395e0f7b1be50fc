"""`robotd radio forget`: an order to a running robot, refused for names that it does not know."""

from __future__ import annotations

import pytest

from robotd.__main__ import main
from robotd.control import client

STATE = {"word": "running", "reason": "", "next_step": "", "may_move": True}
STATUS = {"teammates": [{"name": "blue"}, {"name": "gold"}]}


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch, tmp_path) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []

    def ask(path, request, timeout_s: float = 1.0):
        found.append(request)
        return {"ok": True, "robot": "green", "state": STATE, "status": STATUS}

    monkeypatch.setattr(client, "ask", ask)
    monkeypatch.setattr(client, "find_socket", lambda robot: tmp_path / "green.sock")
    return found


@pytest.mark.parametrize("name", ["blue", "base-station"])
def test_the_order_names_the_sender(requests, capsys, name: str) -> None:
    assert main(["radio", "forget", name]) == 0
    assert requests[-1] == {"do": "radio-forget", "args": [name]}
    assert f"a recording of {name}" in capsys.readouterr().out


def test_a_name_that_is_no_other_of_the_team_is_refused_with_the_nearest(requests, capsys) -> None:
    assert [main(["radio", "forget", "bleu"]), main(["radio", "forget", "green"])] == [2, 2]  # itself
    assert len(requests) == 2
    assert "'blue'? (there are: base-station, blue, gold)" in capsys.readouterr().err
