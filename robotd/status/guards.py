"""Who may ask: any page in a browser on this computer can send requests to a server of it, under whatever name its
own server has made resolve to this address. The live page and the HTTP of a robot share what is here."""

import contextlib
import ipaddress
import re
import socket

from aiohttp import web

from robotd.advice.advice import is_loopback
from robotd.config.robot import HttpPart
from robotd.status.answers import refuse

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
