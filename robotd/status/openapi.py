"""What the HTTP endpoint promises, as OpenAPI 3.1, from the models that its answers are held against."""

from typing import Any, NamedTuple

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from robotd.status.model import (
    API_VERSION,
    DrivePart,
    Error,
    EventPart,
    EventsPart,
    Health,
    OrderPart,
    Part,
    ReplyPart,
    Status,
)

Answer = tuple[str, type[Part] | None]
REFUSED = {
    400: "this is not an HTTP request that can be read",
    403: "the Host header names no host that this robot answers to",
    404: "there is no such path",
    405: "this path takes another method",
    413: "no such request takes a body",
    500: "no answer could be made",
}
ACTS: dict[int, Answer] = {
    401: ("it bears no token that holds", Error),
    409: ("the robot cannot do that now", Error),
    429: ("too many requests", Error),
}
CURSOR = {"type": "string", "pattern": r"^([0-9a-f]+\.)?[0-9]{1,15}$"}
SINCE = {"name": "since", "in": "query", "required": False, "schema": CURSOR,
         "description": "N: go on after that event; or BOOT.N: all, of another start"}  # fmt: skip
TOKEN = "token"  # noqa: S105 - the name of a scheme


class Operation(NamedTuple):
    """What a path does: its name, words, answers by status, and of one that acts what it takes."""

    name: str
    summary: str
    answers: dict[int, Answer]
    takes: type[BaseModel] | None = None
    parameters: tuple[dict[str, Any], ...] = ()
    kind: str = "application/json"

    @property
    def allows(self) -> str:
        """Its methods, as of the header Allow."""
        return "GET, HEAD" if self.takes is None else "POST"


PATHS = {
    "/status": Operation(
        "status",
        "What the robot does and why, after its last finished tick.",
        {200: ("the status", Status), 503: ("no tick has finished yet", Error)},
    ),
    "/healthz": Operation(
        "health", "Whether the robot ticks.", {200: ("ticks finish", Health), 503: ("they do not", Health)}
    ),
    "/events": Operation(
        "events",
        "What has happened, each event with its cause. With Accept: text/event-stream the same as Server-Sent "
        "Events, which go on; Last-Event-ID takes the place of since.",
        {200: ("the events", EventsPart), 503: ("too many streams are open", Error)},
        parameters=(SINCE,),
    ),
    "/metrics": Operation(
        "metrics",
        "The status in the text format of Prometheus.",
        {
            200: ("the metrics", None),
            501: ("prometheus-client is not installed", Error),
            503: ("no tick yet", Error),
        },
        kind="text/plain",
    ),
    "/orders": Operation(
        "order",
        "An order; answered after the tick that took it.",
        {200: ("done", ReplyPart), **ACTS},
        OrderPart,
    ),
    "/drive": Operation(
        "drive", "Drive by hand, for half a second.", {200: ("it does", ReplyPart), **ACTS}, DrivePart
    ),
    "/openapi.json": Operation("openapi", "This document.", {200: ("OpenAPI 3.1", None)}),
}


def openapi() -> dict[str, Any]:
    """The whole document; costs some milliseconds."""
    models: list[type[Part]] = [Status, Health, EventsPart, EventPart, ReplyPart, Error]
    _, schemas = models_json_schema(
        [*((model, "serialization") for model in models), (OrderPart, "validation"), (DrivePart, "validation")],
        ref_template="#/components/schemas/{model}",
    )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "robotd",
            "version": str(API_VERSION),
            "description": "The status of one robot, and orders to it. Ages are as of the last finished tick.",
        },
        "paths": {path: _operations(one) for path, one in PATHS.items()},
        "components": {
            "schemas": schemas["$defs"],
            "securitySchemes": {TOKEN: {"type": "http", "scheme": "bearer"}},
        },
    }


def _operations(one: Operation) -> dict[str, Any]:
    refused: dict[int, Answer] = {code: (words, Error) for code, words in REFUSED.items() if code != 404}
    responses = {str(code): _response(*answer, one.kind) for code, answer in {**refused, **one.answers}.items()}
    shared = {"operationId": one.name, "summary": one.summary, "responses": responses}
    if one.takes is not None:
        content = {"application/json": {"schema": _reference(one.takes)}}
        return {
            "post": {**shared, "requestBody": {"required": True, "content": content}, "security": [{TOKEN: []}]}
        }
    parameters = list(one.parameters)
    bare = {code: {"description": response["description"]} for code, response in responses.items()}
    head = {"operationId": f"{one.name}Head", "summary": "The headers of GET.", "responses": bare}
    return {"get": {**shared, "parameters": parameters}, "head": {**head, "parameters": parameters}}


def _reference(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{model.__name__}"}


def _response(description: str, model: type[Part] | None, kind: str) -> dict[str, Any]:
    if model is None and kind != "application/json":
        return {"description": description, "content": {kind: {"schema": {"type": "string"}}}}
    schema = _reference(model) if model is not None else {"type": "object"}
    return {"description": description, "content": {"application/json": {"schema": schema}}}
