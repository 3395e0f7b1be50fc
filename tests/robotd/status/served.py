"""A robot's HTTP server with a snapshot and a clock that a test sets."""

import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp

from robotd.config.robot import HttpPart
from robotd.robot.snapshot import Snapshot
from robotd.status.http import HttpServer
from robotd.status.model import Error, EventPart, EventsPart, Health, Part, ReplyPart, Status
from robotd.status.openapi import openapi
from tests.robotd.robot.snapshots import NOW, snapshot

MODELS: dict[str, type[Part]] = {
    model.__name__: model for model in (Status, Health, EventsPart, EventPart, ReplyPart, Error)
}
HERE = HttpPart(port=0)


class Stage:
    """A server whose snapshot and clock a test sets, and a client."""

    def __init__(self, config: HttpPart = HERE) -> None:
        self.snapshot: Snapshot | None = snapshot()
        self.now = NOW + 0.03
        self.server = HttpServer(config, lambda: self.snapshot, mission="tidy", now=lambda: self.now)

    @property
    def address(self) -> tuple[str, int]:
        assert self.server.address is not None
        return self.server.address

    async def ask(self, path: str, method: str = "GET", **headers: str) -> tuple[int, Any, Any]:
        """Status, headers and the parsed body, held against what /openapi.json promises of it."""
        host, port = self.address
        url = f"http://{host}:{port}{path}"
        async with aiohttp.ClientSession() as session, session.request(method, url, headers=headers) as response:
            body = await response.read()
            if body:
                promised(path, method, response.status, body)
            return response.status, response.headers, json.loads(body) if body else None


def promised(path: str, method: str, status: int, body: bytes) -> None:
    """Hold an answer against the schema that /openapi.json names for it."""
    path = path.partition("?")[0]
    operation = openapi()["paths"].get(path, {}).get(method.lower().replace("head", "get"))
    if operation is None:
        Error.model_validate_json(body)
        return
    response = operation["responses"][str(status)]
    name = response["content"]["application/json"]["schema"].get("$ref", "").rpartition("/")[2]
    if name:
        MODELS[name].model_validate_json(body)


@contextlib.asynccontextmanager
async def serving() -> AsyncIterator[Stage]:
    made = Stage()
    assert await made.server.start()
    yield made
    await made.server.stop()
