"""Addresses of ports: a serial device, a TCP endpoint, a UDP multicast group, or Zenoh's endpoints."""

import ipaddress
import re
import urllib.parse

from robotd.model.value import value

FORMS = {
    "serial": "/dev/NAME or serial:///dev/NAME?BAUD",
    "tcp": "tcp://HOST:PORT",
    "udp": "udp://GROUP:PORT?interface=NAME, say udp://239.255.77.1:8422?interface=wlan0",
    "zenoh": "zenoh://tcp/HOST:PORT,..., say zenoh://tcp/10.0.0.1:7447",
}
"""What an address of each scheme looks like."""

_HOST = r"[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+(?:%[A-Za-z0-9_.-]+)?\]"
_ENDPOINT = re.compile(rf"(?:tcp|udp)/({_HOST}):([1-9][0-9]{{0,4}})")
MOST_BAUD = 2**31 - 1  # a C int, as pyserial hands it to the kernel
LINES = ("serial", "tcp")  # schemes of lines of bytes; the others carry whole datagrams


@value
class Address:
    """A device file (`path`), a TCP endpoint (`host`, `port`), a UDP multicast group (`host`, `port`) on a network
    `interface`, or Zenoh's `endpoints` and the one to `listen` on; `baud` overrides the device's own."""

    path: str = ""
    host: str = ""
    port: int = 0
    baud: int | None = None
    interface: str = ""
    endpoints: tuple[str, ...] = ()
    listen: str = ""

    @property
    def scheme(self) -> str:
        """A key of `FORMS`."""
        if self.path:
            return "serial"
        if self.endpoints:
            return "zenoh"
        return "udp" if self.interface else "tcp"

    def __str__(self) -> str:
        if self.endpoints:
            return f"zenoh://{','.join(self.endpoints)}" + (f"?listen={self.listen}" if self.listen else "")
        if self.interface:
            return f"udp://{self.host}:{self.port}?interface={self.interface}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.path or f"tcp://{host}:{self.port}"


def parse_address(text: str) -> Address:
    """An address of one of `FORMS`; ValueError that names what was expected."""
    refusal = ValueError(f"{text!r} is no port: expected {'; '.join(FORMS.values())}")
    if "\0" in text:
        raise refusal
    if text.startswith("/"):
        return Address(path=text)
    if text.startswith("zenoh://"):
        endpoints, listen = split_endpoints(text.removeprefix("zenoh://"))
        return Address(endpoints=endpoints, listen=listen)
    parts = urllib.parse.urlsplit(text)
    if parts.scheme == "serial" and not parts.netloc and parts.path.startswith("/"):
        return Address(path=parts.path, baud=_baud(parts.query))
    if parts.scheme == "tcp" and not parts.path and parts.hostname:
        port = parts.port  # ValueError outside 0 to 65535
        if port:
            return Address(host=parts.hostname, port=port)
    if parts.scheme == "udp" and not parts.path and parts.hostname and parts.port:
        return _multicast(parts.hostname, parts.port, parts.query)
    raise refusal


def scheme_of(text: str) -> str:
    """What an address begins like, a key of `FORMS`, whatever is wrong behind that; '' where it is none."""
    scheme = "serial" if text.startswith("/") else text.partition("://")[0]
    return scheme if scheme in FORMS else ""


def line_address(text: str) -> Address:
    """The address of a line of bytes, as boards need one; ValueError for any other."""
    if scheme_of(text) not in ("", *LINES):
        raise ValueError(f"{text}: no board is reached over a multicast group or Zenoh")
    return parse_address(text)


def _multicast(group: str, port: int, query: str) -> Address:
    interface = query.removeprefix("interface=")
    if interface == query or not re.fullmatch(r"[^\s/&=]{1,15}", interface):  # as Linux has names of interfaces
        raise ValueError(f"{query!r} names no network interface: expected udp://GROUP:PORT?interface=wlan0, say")
    try:
        multicast = ipaddress.IPv4Address(group).is_multicast
    except ValueError:
        multicast = False
    if not multicast:
        raise ValueError(f"{group!r} is no multicast group: expected an address in 224.0.0.0/4, say 239.255.77.1")
    return Address(host=group, port=port, interface=interface)


def _baud(query: str) -> int | None:
    if not query:
        return None
    digits = query.removeprefix("baud=")
    if not re.fullmatch(r"[1-9][0-9]{0,9}", digits) or int(digits) > MOST_BAUD:
        raise ValueError(f"{query!r} is no baud rate: expected a whole number up to {MOST_BAUD}, as in ?57600")
    return int(digits)


def split_endpoints(text: str) -> tuple[tuple[str, ...], str]:
    """Of `ENDPOINT,...[?listen=ENDPOINT]` those to connect to, and the one to listen on, '' for none.

    ValueError that names what was expected.
    """
    named, question, query = text.partition("?")
    endpoints, listen = tuple(named.split(",")), query.removeprefix("listen=")
    if question and listen == query:
        raise ValueError(f"{query!r} names no endpoint to listen on: expected ?listen=tcp/0.0.0.0:7447, say")
    for endpoint in (*endpoints, listen) if question else endpoints:
        host_of(endpoint)
    return endpoints, listen


def host_of(endpoint: str) -> str:
    """The host of an endpoint; ValueError that names what was expected."""
    found = _ENDPOINT.fullmatch(endpoint)
    if found is None or int(found[2]) > 0xFFFF:
        raise ValueError(f"{endpoint!r} is no endpoint: expected tcp/HOST:PORT or udp/HOST:PORT")
    return found[1].strip("[]")
