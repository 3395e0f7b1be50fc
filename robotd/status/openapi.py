"""What the HTTP endpoint promises, as OpenAPI 3.1, from the models that its answers are held against."""

from typing import Any

from pydantic.json_schema import models_json_schema

from robotd.status.model import API_VERSION, Error, EventPart, EventsPart, Health, Part, Status

REFUSED = {
    400: "this is not an HTTP request that can be read",
    403: "the Host header names no host that this robot answers to",
    404: "there is no such path",
    405: "only GET and HEAD: nothing can be changed here",
    413: "no path takes a body",
    500: "the robot failed to answer",
}
SINCE = {"name": "since", "in": "query", "required": False, "schema": {"type": "string"},
         "description": "N: go on after that event; or BOOT.N: all, of another start"}  # fmt: skip
PATHS: dict[str, tuple[str, str, dict[int, tuple[str, type[Part] | None]]]] = {
    "/status": (
        "status",
        "What the robot does and why, after its last finished tick.",
        {200: ("the status", Status), 503: ("no tick has finished yet", Error)},
    ),
    "/healthz": (
        "health",
        "Whether the robot ticks.",
        {200: ("ticks finish", Health), 503: ("they do not", Health)},
    ),
    "/events": (
        "events",
        "What has happened, each event with its cause. With Accept: text/event-stream the same as Server-Sent "
        "Events, which go on; Last-Event-ID takes the place of since.",
        {200: ("the events", EventsPart)},
    ),
    "/openapi.json": ("openapi", "This document.", {200: ("OpenAPI 3.1", None)}),
}

PARAMETERS = {"/events": [SINCE]}


def openapi() -> dict[str, Any]:
    """The whole document; costs some milliseconds."""
    models: list[type[Part]] = [Status, Health, EventsPart, EventPart, Error]
    _, schemas = models_json_schema(
        [(model, "serialization") for model in models], ref_template="#/components/schemas/{model}"
    )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "robotd",
            "version": str(API_VERSION),
            "description": "The read-only status of one robot. Ages are as of the last finished tick.",
        },
        "paths": {path: _operations(path) for path in PATHS},
        "components": {"schemas": schemas["$defs"]},
    }


def _operations(path: str) -> dict[str, Any]:
    name, summary, answers = PATHS[path]
    refused: dict[int, tuple[str, type[Part] | None]] = {
        code: (words, Error) for code, words in REFUSED.items() if code != 404
    }
    responses = {str(code): _response(*answer) for code, answer in {**answers, **refused}.items()}
    bare = {code: {"description": response["description"]} for code, response in responses.items()}
    return {
        "get": {
            "operationId": name,
            "summary": summary,
            "parameters": PARAMETERS.get(path, []),
            "responses": responses,
        },
        "head": {"operationId": f"{name}Head", "summary": f"The headers of GET {path}.", "responses": bare},
    }


def _response(description: str, model: type[Part] | None) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{model.__name__}"} if model is not None else {"type": "object"}
    return {"description": description, "content": {"application/json": {"schema": schema}}}
