"""Acting on a robot over HTTP: the orders of the control socket, with a token, and every use is logged."""

import asyncio
import logging
from collections.abc import Callable

from pydantic import ValidationError

from robotd.control.orders import Orders
from robotd.files.text import printable
from robotd.model.command import EXPIRY_S
from robotd.status import web
from robotd.status.answers import encode, refuse, respond
from robotd.status.guards import Allowance, Bearers, Links, own_origin, read_json
from robotd.status.model import DrivePart, OrderPart, Part, ReplyPart, RunStatus, StateStatus

log = logging.getLogger(__name__)
MAX_BODY = 4096  # bytes of an order
MAX_LOGGED = 200  # characters in the log of an order, and of why it was refused
NO_TOKEN = "acting needs a token, also on this computer"  # noqa: S105 - words
HINT = "send Authorization: Bearer TOKEN (token_file of [http]), or open the link that robotd page prints"
EXAMPLES = 'send {"do": "start"} to /orders, {"speed": 0.3, "turn": 0} to /drive'
Complain = Callable[[str, str], None]


class Acting:
    """Answers POST /orders and /drive. `complain` is given what others try; see `Listener.complain`."""

    def __init__(self, orders: Orders, bearers: Bearers, links: Links, complain: Complain) -> None:
        self._orders, self._bearers, self._links, self._complain = orders, bearers, links, complain
        self._driving: dict[str, asyncio.TimerHandle] = {}  # by whom, until it is over
        self._allowed = {"stop": Allowance(5.0, 10), "order": Allowance(5.0, 10), "drive": Allowance(20.0, 20)}
        self._guesses = Allowance(1.0, 10)  # a stop has its own, so that it always gets through

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        now = asyncio.get_running_loop().time()
        if "Origin" in request.headers and not own_origin(request):
            return refuse(403, "the request is of another page", "use the page of this robot")
        who = self._who(request)
        if who is None:
            self._complain("tokens", f"HTTP: {request.path} without a token that holds, from {request.remote}")
            if not self._guesses.take(now):
                return refuse(429, "too many requests without a token that holds", "wait a second")
            return refuse(401, NO_TOKEN, HINT, {"WWW-Authenticate": "Bearer"})
        try:
            order = await _read(request)
        except ValueError as error:
            return refuse(400, str(error)[:500], EXAMPLES)
        if isinstance(order, DrivePart):
            what, args = "drive", [repr(order.speed), repr(order.turn)]
        else:
            what, args = order.do, order.args
        kind = {"drive": "drive", "stop": "stop", "stop-team": "stop"}.get(what, "order")
        if not self._allowed[kind].take(now):
            return refuse(429, "too many orders", "wait a second")
        by = f"{who} over HTTP"
        reply = await self._orders.answer({"do": what, "args": args}, by)
        source = f"{by} ({request.remote})"
        if reply["ok"] and what == "drive":
            self._note_drive(source)
        else:
            outcome = "done" if reply["ok"] else printable(reply["error"], MAX_LOGGED)
            log.info("%s by %s: %s", printable(" ".join([what, *args]), MAX_LOGGED), source, outcome)
        if not reply["ok"]:
            return refuse(409, str(reply["error"]), "")
        return respond(200, encode(_reply_of(reply)))

    def _who(self, request: web.BaseRequest) -> str | None:
        """Who acts: of a browser its Origin must be known to be ours too."""
        who = self._bearers.who(request)
        if who is None and own_origin(request) and self._links.admitted(request):
            return "the page"
        return who

    def _note_drive(self, source: str) -> None:
        """One line where a person takes the robot in hand, and one when it is let go."""
        if source in self._driving:
            self._driving[source].cancel()
        else:
            log.info("driven by hand by %s", source)
        self._driving[source] = asyncio.get_running_loop().call_later(EXPIRY_S, self._let_go, source)

    def _let_go(self, source: str) -> None:
        del self._driving[source]
        log.info("no longer driven by hand by %s", source)


async def _read(request: web.BaseRequest) -> OrderPart | DrivePart:
    """The order; ValueError for what is none."""
    body = await read_json(request, "order", MAX_BODY)
    model: type[OrderPart | DrivePart] = DrivePart if request.path == "/drive" else OrderPart
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        raise ValueError(": ".join([".".join(map(str, first["loc"])), first["msg"]]).lstrip(": ")) from None


def _reply_of(reply: dict[str, object]) -> dict[str, object]:
    state, run = reply["state"], reply["run"]
    assert isinstance(state, dict)
    assert isinstance(run, dict)
    own: dict[str, object] = {"state": StateStatus.of(**state), "run": RunStatus.of(number=run["number"],
                              running=run["running"]), "asked": run["asked"]}  # fmt: skip
    rest = {key: reply.get(key) for key in ("robot", "alone", "task", "reason")}
    made: Part = ReplyPart.of(**own, **rest)
    return made.model_dump()
