"""Which addresses other computers can reach; a daemon warns of its own."""

import ipaddress
from importlib.util import find_spec

from robotd.config.robot import FoxglovePart, HttpPart


def exposure(http: HttpPart) -> list[str]:
    """A warning of a status endpoint that other computers can reach."""
    if not http.enabled or is_loopback(http.host):
        return []
    acts = "; whoever has a token can act" if http.token_file else ""
    return [f"HTTP listens on {http.host}: whoever reaches that address can read this robot's status{acts}"]


def foxglove_exposure(part: FoxglovePart) -> list[str]:
    """Warnings of a Foxglove server that cannot be, or that other computers can reach."""
    if not part.enabled:
        return []
    if find_spec("foxglove") is None:
        return ["[foxglove] is enabled, and the package is not installed: pip install 'robotd[foxglove]'"]
    if is_loopback(part.host):
        return []
    return [f"Foxglove is served on {part.host}: whoever reaches that address can look on"]


def is_loopback(host: str) -> bool:
    """True where only this computer can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
