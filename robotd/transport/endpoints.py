"""Zenoh's endpoints, as they stand in an address: `tcp/HOST:PORT`, `udp/HOST:PORT`."""

from __future__ import annotations

import re

_HOST = r"[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+(?:%[A-Za-z0-9_.-]+)?\]"
_ENDPOINT = re.compile(rf"(?:tcp|udp)/({_HOST}):([1-9][0-9]{{0,4}})")


def split_endpoints(text: str) -> tuple[tuple[str, ...], str]:
    """Of `ENDPOINT,...[?listen=ENDPOINT]` those to connect to, and the one to listen on, '' for none.

    ValueError that says what was expected.
    """
    named, question, query = text.partition("?")
    endpoints, listen = tuple(named.split(",")), query.removeprefix("listen=")
    if question and listen == query:
        raise ValueError(f"{query!r} names no endpoint to listen on: expected ?listen=tcp/0.0.0.0:7447, say")
    for endpoint in (*endpoints, listen) if question else endpoints:
        host_of(endpoint)
    return endpoints, listen


def host_of(endpoint: str) -> str:
    """The host of an endpoint; ValueError that says what was expected."""
    found = _ENDPOINT.fullmatch(endpoint)
    if found is None or int(found[2]) > 0xFFFF:
        raise ValueError(f"{endpoint!r} is no endpoint: expected tcp/HOST:PORT or udp/HOST:PORT")
    return found[1].strip("[]")
