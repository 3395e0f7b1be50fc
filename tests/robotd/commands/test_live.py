"""`robotd live`: what cannot be served is refused before any page."""

import pytest

from robotd.__main__ import main
from robotd.config.robot import bound


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
    config = bound(text, ["me"], "--bind", 8420)
    assert (config.host, config.port, config.allowed_hosts) == (host, port, ("me",))


@pytest.mark.parametrize(
    "words", [["--bind", "x:99999"], ["--bind", "x:y"], ["--seed", "-1"], ["--speed", "0"], ["none"]]
)
def test_what_cannot_be_served_is_refused_before_any_page(words: list[str]) -> None:
    assert main(["live", *words]) == 2
