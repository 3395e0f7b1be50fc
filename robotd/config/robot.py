"""The robot file: what one robot is and where its things are."""

import errno
import ipaddress
import re
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from radio.regulations import Region
from robotd.config.mission import Name, Strict, Table

_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"  # at most 63 letters between two dots (RFC 1123)
MOST_PORT = 65535
_HOST_NAME = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*")


def _host(text: str) -> str:
    """`text`, which is an address or could be a host's name; ValueError."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        if _HOST_NAME.fullmatch(text) and not re.fullmatch(r"[0-9.]+", text):
            return text
        expected = "an IP address or a host name (letters, digits and hyphens between dots)"
        raise ValueError(f"expected {expected}, without port or brackets, found {text[:60]!r}") from None
    return text


def _host_header(text: str) -> str:
    """The address or name in `text`, a Host header with a port or without; ValueError."""
    found = re.fullmatch(r"(?:\[([0-9a-fA-F:.]+)\]|([^:\[\]]+))(?::[0-9]{1,5})?", text)
    return _host((found[1] or found[2].removesuffix(".")) if found else text)


class BoardPart(Strict):
    """The board."""

    name: Name = Field(description="the board plug-in")
    port: str = Field(default="", description="serial:///dev/..., /dev/... or tcp://HOST:PORT; none for the mock")
    parameters: Table = Field(default={}, description="settings of the board")


class AddOnPart(BoardPart):
    """A part that any base can carry, on its own port."""

    name: Name = Field(description="the add-on's plug-in")
    port: str = Field(default="", description="as of a board; or udp://GROUP:PORT?interface=NAME for datagrams")
    parameters: Table = Field(default={}, description="settings of the add-on")


class RadioPart(Strict):
    """The radio modem."""

    name: Name = Field(description="the radio plug-in, or none")
    port: str = Field(
        default="",
        description="as of a board; udp://GROUP:PORT?interface=NAME for udp; zenoh://tcp/HOST:PORT,... for zenoh",
    )
    key_file: str = Field(default="team.key", description="the team's keys, a file of mode 0600")
    region: Region = Field(default="none", description="regulations that limit the airtime")
    frequency_mhz: float = Field(
        default=0.0, ge=0, le=6000, description="carrier, MHz; 0: that of the modem's settings"
    )
    parameters: Table = Field(default={}, description="settings of the modem")


class HttpPart(Strict):
    """Status, page and orders over HTTP."""

    host: Annotated[str, AfterValidator(_host)] = Field(default="127.0.0.1", description="address to listen on")
    port: int = Field(default=8421, ge=0, le=MOST_PORT, description="TCP port; 0: any free port")
    enabled: bool = Field(default=True, description="whether HTTP is enabled")
    allowed_hosts: tuple[Annotated[str, AfterValidator(_host_header)], ...] = Field(
        default=(), description="further names or addresses by which browsers may reach this computer"
    )
    token_file: str = Field(
        default="",
        description="tokens of those who may act, as robotd keygen makes them; mode 0600. None: only the "
        "link of robotd page lets a browser act",
    )


class FoxglovePart(Strict):
    """What Foxglove and Lichtblick are shown; needs the extra foxglove."""

    enabled: bool = Field(default=False, description="whether they are served; they look on and change nothing")
    host: Annotated[str, AfterValidator(_host)] = Field(default="127.0.0.1", description="address to listen on")
    port: int = Field(default=8765, ge=0, le=MOST_PORT, description="TCP port; 0: any free port")


def http_part_of(text: str, hosts: Sequence[str], option: str, usual: int) -> HttpPart:
    """Where to serve, of an option that names it, and by which further `hosts`; ValueError."""
    host, port = address_of(text, option, usual)
    for name in hosts:
        try:
            _host_header(name)
        except ValueError as error:
            allow = "--allow-host" if option.startswith("--") else "allow_hosts"
            raise ValueError(f"{allow} {name[:60]}: {error}") from None
    return HttpPart(host=host, port=port, allowed_hosts=tuple(hosts))


def address_of(text: str, option: str, usual: int) -> tuple[str, int]:
    """Host and port of what an option names; ValueError."""
    found = re.fullmatch(
        r"(?:\[([0-9a-fA-F:.]+)\]|([^:\[\]]+)|([0-9a-fA-F:]*::[0-9a-fA-F:]*))(?::([0-9]{1,5}))?", text
    )
    port = int(found[4]) if found and found[4] else usual
    if not found or port > MOST_PORT:
        raise ValueError(
            f"{option} {text}: expected ADDRESS or ADDRESS:PORT, such as 127.0.0.1:{usual} or [::1]:{usual}"
        )
    try:
        return _host(found[1] or found[2] or found[3]), port
    except ValueError as error:
        raise ValueError(f"{option} {text}: {error}") from None


def refused_address(error: OSError, option: str, host: str, port: int) -> str:
    """Why nothing can listen at an address that an option names, and what to do."""
    place = f"[{host}]" if ":" in host else host
    why, other = {
        errno.EADDRINUSE: (
            "another program listens there; choose a free port",
            f"{place}:{port + 1 if port < MOST_PORT else port - 1}",
        ),
        errno.EACCES: ("it needs more rights; choose a port above 1023", f"{place}:{port % 1000 + 8000}"),
    }.get(error.errno or 0, (f"{error.strerror or error}; choose an own address", f"127.0.0.1:{port}"))
    return f"{option} {place}:{port}: {why}: {option} {other}"


class LogPart(Strict):
    """The run log."""

    folder: str = Field(default="", description="folder of run logs; default: the system's; 'none': no logs")
    max_mb: float = Field(default=500.0, gt=1, description="the oldest logs are deleted above this total size, MB")


class RobotFile(Strict):
    """One robot."""

    name: Name = Field(description="this robot's name in the mission's [team]")
    mission: str = Field(
        description="the mission file, relative to this file, or the name of an installed mission"
    )
    plugins: tuple[str, ...] = Field(default=(), description="Python files with plug-ins, relative to this file")
    start: Literal["command", "button", "at-boot"] = Field(
        default="command", description="what permits motion: robotd start, the board's button, or nothing else"
    )
    base_station_timeout_s: float = Field(
        default=0.0, ge=0, description="stop after this time without the base station, s; 0: never"
    )
    board: BoardPart
    add_ons: tuple[AddOnPart, ...] = Field(default=(), description="grippers, positioning and other parts")
    radio: RadioPart
    http: HttpPart = HttpPart()
    log: LogPart = LogPart()
    foxglove: FoxglovePart = FoxglovePart()
    state_folder: str = Field(
        default="", description="folder of persistent data; default: the robot's name in the system's state folder"
    )
