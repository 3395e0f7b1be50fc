"""`robotd live` and `robotd class`: what cannot be served is refused before any page."""

import asyncio
import errno
import socket
import threading
import webbrowser

import pytest

from robotd.__main__ import main
from robotd.commands import live
from robotd.commands.classroom import own_address
from robotd.config.robot import MOST_PORT, HttpPart, http_part_of, refused_address
from robotd.status.guards import is_answered
from tests.patience import WAIT_S
from tests.robotd.transport.serial_helper import until


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("127.0.0.1", "127.0.0.1", 8420),
        ("desk.local:80", "desk.local", 80),
        ("[::1]", "::1", 8420),
        ("[::1]:5", "::1", 5),
        ("::1", "::1", 8420),
    ],
)
def test_an_address_to_bind_to_has_a_port_or_not(text: str, host: str, port: int) -> None:
    config = http_part_of(text, ["me"], "--bind", 8420)
    assert (config.host, config.port, config.allowed_hosts) == (host, port, ("me",))


@pytest.mark.parametrize("command", ["live", "class"])
@pytest.mark.parametrize("line", ["--bind x:99999", "--bind x:y", "--seed -1", "--speed 0", "none"])
def test_what_cannot_be_served_is_refused_before_any_page(command: str, line: str) -> None:
    assert main([command, *line.split()]) == 2


@pytest.mark.parametrize("seats", ["0", "65"])
def test_a_class_has_from_one_team_to_as_many_as_a_computer_runs(seats: str) -> None:
    assert main(["class", "--seats", seats]) == 2


def test_the_address_that_a_class_prints_is_one_that_the_server_answers_to() -> None:
    assert is_answered(f"{own_address()}:8420", HttpPart(host="0.0.0.0", port=8420))


@pytest.mark.parametrize("command", ["live", "class"])
@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--bind", "300.1.1.1"), ("--bind", "192.0.2.1"), ("--allow-host", "a/b"), ("--allow-host", "http://desk"),
        ("--allow-host", "*.local"), ("--allow-host", ""), ("--allow-host", "desk:99999999"),
    ],
)  # fmt: skip
def test_an_address_that_is_none_is_refused_with_its_option_in_one_line(
    command: str, option: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "patrol", option, value]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{option} {value}" in line
    assert "pydantic" not in line


@pytest.mark.parametrize(("port", "other"), [(8420, 8421), (MOST_PORT, MOST_PORT - 1)])
def test_beside_a_port_in_use_one_that_there_is_is_proposed(port: int, other: int) -> None:
    words = refused_address(OSError(errno.EADDRINUSE, "in use"), "--bind", "::1", port)
    assert words.endswith(f"choose a free port: --bind [::1]:{other}")


@pytest.mark.parametrize(("command", "option"), [("live", "--bind"), ("class", "--bind"), ("live", "--foxglove")])
def test_a_port_in_use_is_refused_with_another_to_choose(
    command: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if option == "--foxglove":
        pytest.importorskip("foxglove")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main([command, "patrol", option, f"127.0.0.1:{port}"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{option} 127.0.0.1:{port + 1}" in line


class Served:
    """A server that serves nothing."""

    link = "http://127.0.0.1:1/?token=x"

    async def __aenter__(self) -> None: ...

    async def __aexit__(self, *exc: object) -> None: ...


async def test_a_browser_that_is_looked_at_in_this_terminal_keeps_no_page_from_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened, closed, ended = threading.Event(), threading.Event(), asyncio.Event()
    monkeypatch.setattr(webbrowser, "open", lambda _: opened.set() or closed.wait(WAIT_S))
    monkeypatch.setattr(live, "end_on_signal", lambda: ended)
    serving = asyncio.ensure_future(live._serve(Served(), HttpPart(), None, show=True))  # type: ignore[arg-type]
    await until(opened.is_set)
    ended.set()
    await asyncio.wait_for(serving, WAIT_S)
    assert not closed.is_set()
    closed.set()
