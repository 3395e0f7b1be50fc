"""How an answer over HTTP is made."""

import json
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from robotd.status.model import Error

HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Server": "robotd"}


def encode(document: Mapping[str, Any]) -> bytes:
    """A document as it travels; ValueError for a number that is not finite."""
    return json.dumps(document, allow_nan=False, separators=(",", ":")).encode()


def respond(status: int, body: bytes, headers: Mapping[str, str] = HEADERS) -> web.Response:
    return web.Response(status=status, body=body, content_type="application/json", headers=headers)


def refuse(status: int, error: str, hint: str, headers: Mapping[str, str] | None = None) -> web.Response:
    """An answer as `robotd.status.model.Error` describes it."""
    body = encode(Error.of(error=error, status=status, hint=hint).model_dump())
    return respond(status, body, {**HEADERS, **(headers or {})})
