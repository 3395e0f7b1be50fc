"""The commands that drive a board, as the child of a guardian: their request, their output, the board itself."""

import asyncio
import json
import logging
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from robotd.config.explain import build_model
from robotd.files.refusal import USAGE
from robotd.guardian.client import GuardianLink
from robotd.guardian.foreground import serve

R = TypeVar("R")


def make_board(plugin: Any, values: Mapping[str, Any]) -> Any:
    """A board with the settings of --set; ValueError with every key at fault."""
    return plugin(build_model(plugin.Settings, values, "--set "))


def refuse(error: object, code: int = USAGE) -> int:
    """Report why a board cannot be tried; the exit status."""
    sys.stderr.write(f"robotd: {error}\n")
    return code


def write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def run_child(kind: Callable[..., R], work: Callable[[R, GuardianLink | None], Awaitable[int]]) -> int:
    """`python -m MODULE REQUEST`: the fields of a `kind` of request as JSON; the exit status of its `work`."""
    request = kind(**json.loads(sys.argv[1]))
    logging.getLogger("robotd").addHandler(logging.NullHandler())  # the command itself reports in other words
    return asyncio.run(serve(lambda link: work(request, link)))
