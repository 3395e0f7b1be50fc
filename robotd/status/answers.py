"""How an answer over HTTP is made."""

import base64
import hashlib
import html
import json
from collections.abc import Mapping
from typing import Any

from robotd.status import web
from robotd.status.model import Error

HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Server": "robotd"}
HTML = "text/html"
PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>robotd</title>
<style>{style}</style></head>
<body><h1>{error}</h1><p>{hint}</p></body></html>
"""
STYLE = """:root { color-scheme: light dark; } body { font: 16px/1.5 system-ui, sans-serif;
max-width: 40rem; margin: 2rem auto; padding: 0 1rem; } h1 { font-size: 1.2rem; }"""
_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'"


def encode(document: Mapping[str, Any]) -> bytes:
    """A document as it travels; ValueError for a number that is not finite."""
    return json.dumps(document, allow_nan=False, separators=(",", ":")).encode()


def respond(status: int, body: bytes, headers: Mapping[str, str] = HEADERS) -> web.Response:
    return web.Response(status=status, body=body, content_type="application/json", headers=headers)


class Refused(web.Response):
    """An answer as `robotd.status.model.Error` describes it."""

    def __init__(self, status: int, error: str, hint: str, headers: Mapping[str, str]) -> None:
        body = encode(Error.of(error=error, status=status, hint=hint).model_dump())
        super().__init__(status=status, body=body, content_type="application/json", headers=headers)
        self.error, self.hint = error, hint


def refuse(status: int, error: str, hint: str, headers: Mapping[str, str] | None = None) -> Refused:
    return Refused(status, error, hint, {**HEADERS, **(headers or {})})


def in_form(request: web.BaseRequest, response: web.StreamResponse) -> web.StreamResponse:
    """The answer itself; of a refusal, where a browser has opened its address, a page with the same words."""
    if isinstance(response, Refused) and HTML in request.headers.get("Accept", ""):
        words = {"error": html.escape(_sentence(response.error)), "hint": html.escape(_sentence(response.hint))}
        response.text, response.content_type = PAGE.format(style=STYLE, **words), HTML
        response.headers["Content-Security-Policy"] = POLICY
    return response


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}." if words else ""
