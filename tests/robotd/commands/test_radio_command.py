"""`robotd radio forget`: an order to a running robot, refused for names that it does not know."""

from __future__ import annotations

import pytest

from robotd.__main__ import main
from robotd.control import client

STATE = {"word": "running", "reason": "", "next_step": "", "may_move": True}
STATUS = {"teammates": [{"name": "blue"}, {"name": "gold"}]}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path) -> list[dict[str, object]]:
    requests: list[dict[str, object]] = []

    def ask(path, request, timeout_s: float = 1.0):
        requests.append(request)
        return {"ok": True, "robot": "green", "state": STATE, "status": STATUS}

    monkeypatch.setattr(client, "ask", ask)
    monkeypatch.setattr(client, "find_socket", lambda robot: tmp_path / "green.sock")
    return requests


def run(*arguments: str) -> int:
    return main(["radio", *arguments])


@pytest.mark.parametrize("name", ["blue", "base-station"])
def test_the_order_names_the_sender_and_what_it_means_is_told(asked, capsys, name: str) -> None:
    assert run("forget", name) == 0
    assert asked[-1] == {"do": "radio-forget", "args": [name]}
    told = capsys.readouterr().out
    assert f"green accepts the next authentic frame of {name}" in told
    assert "a recording" in told


def test_a_name_that_is_no_other_of_the_team_is_refused_with_the_nearest(asked, capsys) -> None:
    assert run("forget", "bleu") == 2
    assert len(asked) == 1
    assert "did you mean 'blue'? (there are: base-station, blue, gold)" in capsys.readouterr().err
    assert run("forget", "green") == 2  # itself


def test_where_no_robot_runs_it_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path, capsys) -> None:
    monkeypatch.setattr(client, "socket_folders", lambda: (tmp_path,))
    assert run("forget", "blue") == 1
    assert "no robotd is running here" in capsys.readouterr().err
