"""Who may ask, and who may act; the live page and the HTTP of a robot share what is here.

Any page in a browser on this computer can send requests to a server of it, under whatever name its own server has
made resolve to this address. So the Host header must name this computer, and whoever acts needs a token, be it on
loopback: in the Authorization header (RFC 6750), or as the cookie that a one-time link gives to a browser, which
then must send the Origin of this server too.
"""

import asyncio
import contextlib
import hmac
import ipaddress
import math
import re
import secrets
import socket
from collections.abc import Mapping

from robotd.advice.exposure import is_loopback
from robotd.config.robot import HttpPart
from robotd.status import web
from robotd.status.answers import refuse

LINK_S = 120.0  # a link that a person asked for is opened at once
COOKIE_S = 12 * 3600.0  # a day's work
MOST = 16  # links and cookies that hold at a time: a further one replaces the oldest
LOOPBACK = ("localhost", "127.0.0.1", "::1")
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([^:/\[\]\s]+))(?::[0-9]*)?")


def refuse_host(request: web.BaseRequest, config: HttpPart, what: str, hint: str) -> web.Response | None:
    """The refusal of a request whose Host header names none of this computer's hosts; `what` refuses."""
    hosts = request.headers.getall("Host", ["none"])
    if len(hosts) > 1 or not is_answered(hosts[0], config):
        return refuse(403, f"{what} does not answer to the host {', '.join(hosts)[:100]!r}", hint)
    return None


def is_answered(host: str, config: HttpPart) -> bool:
    """Whether a Host header names this robot.

    Loopback and `allowed_hosts` do always. Where it listens beyond loopback, so do every literal address, which no
    foreign name server can point here, and this computer's own name, alone and with `.local` (multicast DNS).
    """
    name, here = parse_host(host), config.host.lower()
    if not name or name in LOOPBACK or name in map(parse_host, config.allowed_hosts):
        return bool(name)
    if is_loopback(here):
        return name == here
    own = socket.gethostname().lower()
    names = {own, own.partition(".")[0], here}
    return _is_address(name) or name in names | {f"{one}.local" for one in names}


def _is_address(text: str) -> bool:
    with contextlib.suppress(ValueError):
        return bool(ipaddress.ip_address(text))
    return False


def parse_host(host: str) -> str:
    """The name or address of a Host header (RFC 9110, section 7.2), without port, brackets and final dot, in lower
    case; '' where it is none. An address of IPv6 may lack its brackets."""
    host = host.strip().lower()
    found = _HOST.fullmatch(host)
    return host if _is_address(host) else (found[1] or found[2].rstrip(".")) if found else ""


def own_origin(request: web.BaseRequest) -> bool:
    """Whether a request comes from a page of this very server."""
    return request.headers.get("Origin", "") == f"http://{request.headers.get('Host', '')}"


class Links:
    """One-time links, and the cookies of the browsers that have opened one; `link_s`: how long a link can wait."""

    def __init__(self, cookie: str, link_s: float = LINK_S, cookie_s: float = COOKIE_S) -> None:
        self.cookie = cookie
        self._link_s, self._cookie_s = link_s, cookie_s
        self._tokens: dict[str, float] = {}  # until when each holds
        self._cookies: dict[str, float] = {}

    def token(self) -> str:
        """The secret of a new link."""
        return _added(self._tokens, self._link_s)

    def admit(self, request: web.BaseRequest, headers: Mapping[str, str]) -> web.Response | None:
        """The answer to a link whose token holds: the cookie, and the way to the page; else None."""
        token = _find(self._tokens, request.query.get("token", ""))
        if token is None:
            return None
        del self._tokens[token]
        return give_cookie(self.cookie, _added(self._cookies, self._cookie_s), headers)

    def admitted(self, request: web.BaseRequest) -> bool:
        """Whether the browser that asks has opened a link."""
        return _find(self._cookies, request.cookies.get(self.cookie, "")) is not None


def give_cookie(name: str, value: str, headers: Mapping[str, str]) -> web.Response:
    """The way to the page, with a cookie that no script reads and no other site sends."""
    response = web.Response(status=303, headers={**headers, "Location": "/"})
    response.set_cookie(name, value, httponly=True, samesite="Strict")
    return response


class Bearers:
    """The tokens of a file: keys of `robotd keygen` by whose they are, '' for anybody's."""

    def __init__(self, tokens: Mapping[str, tuple[bytes, ...]]) -> None:
        self._names = {key.hex(): name for name, keys in tokens.items() for key in keys}

    def who(self, request: web.BaseRequest) -> str | None:
        """Whose token the request bears; None where it bears none that holds."""
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        found = _find(self._names, token.strip().lower()) if kind.lower() == "bearer" else None
        return self._names[found] or "the token" if found is not None else None


class Allowance:
    """How often something may be done: `per_s` in the long run, `burst` at once."""

    def __init__(self, per_s: float, burst: float) -> None:
        self._per_s, self._burst = per_s, burst
        self._left, self._at = burst, -math.inf

    def take(self, now: float) -> bool:
        """Whether it may be done once more at `now` (s)."""
        self._left = min(self._burst, self._left + self._per_s * max(0.0, now - self._at))
        self._at = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


def _added(secret: dict[str, float], life_s: float) -> str:
    while len(secret) >= MOST:
        del secret[next(iter(secret))]
    made = secrets.token_urlsafe(32)
    secret[made] = asyncio.get_running_loop().time() + life_s
    return made


def _find(known: Mapping[str, object], given: str) -> str | None:
    """The one of `known` that is given, in a time that does not depend on how much of it is right."""
    offered = given.encode(errors="replace")  # what comes from outside may hold bytes that are no characters
    now, found = asyncio.get_running_loop().time(), None
    for one, until in known.items():
        holds = not isinstance(until, float) or now < until
        if hmac.compare_digest(one.encode(), offered) and holds:
            found = one
    return found


async def read_json(request: web.BaseRequest, what: str, most: int) -> bytes:
    """The body of a request, JSON of at most `most` bytes; ValueError. `what` it is to be, for people."""
    if request.content_type != "application/json":
        raise ValueError(f"a {request.content_type[:40]} is no {what}; expected application/json")
    body = b""
    while part := await request.content.read(most + 1 - len(body)):
        body += part
        if len(body) > most:
            raise ValueError(f"a body of a {what} has at most {most} bytes")
    return body
