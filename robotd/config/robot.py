"""The robot file: what one robot is and where its things are."""

from __future__ import annotations

import ipaddress
import re
from typing import Annotated, Literal

from pydantic import AfterValidator, AliasChoices, Field

from radio.regulations import Region
from robotd.config.mission import Name, Strict, Table

_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"  # at most 63 letters between two dots (RFC 1123)
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


class BoardPart(Strict):
    """The board."""

    name: Name = Field(description="the board plug-in")
    port: str = Field(
        default="", description="serial:///dev/serial/by-id/..., /dev/..., tcp://host:port; none for the mock"
    )
    parameters: Table = Field(default={}, description="the board's own settings")


class AddOnPart(BoardPart):
    """A part that any base may carry, behind a port of its own."""

    name: Name = Field(description="the add-on's plug-in")
    port: str = Field(
        default="",
        description="as of a board; or udp://GROUP:PORT?interface=NAME where the add-on takes datagrams",
    )
    parameters: Table = Field(default={}, description="the add-on's own settings")


class RadioPart(Strict):
    """The radio modem."""

    name: Name = Field(description="the radio plug-in, or none")
    port: str = Field(
        default="",
        description="as of a board; udp://GROUP:PORT?interface=NAME for udp; zenoh://tcp/HOST:PORT,... for zenoh; "
        "none where the radio needs no port",
    )
    key_file: str = Field(
        default="team.key", description="the team's keys, 64 hexadecimal digits a line; mode 0600"
    )
    region: Region = Field(default="none", description="regulations that limit the airtime; none keeps no limit")
    frequency_mhz: float = Field(
        default=0.0, ge=0, le=6000, description="the carrier, MHz; 0: as the modem's own settings say"
    )
    parameters: Table = Field(default={}, description="the modem's own settings")


class HttpPart(Strict):
    """The status endpoint."""

    host: Annotated[str, AfterValidator(_host)] = Field(
        default="127.0.0.1",
        description="address to listen on; loopback unless you know why not",
    )
    port: int = Field(default=8421, ge=0, le=65535, description="TCP port; 0 takes any free one")
    enabled: bool = Field(default=True, description="whether to listen at all")
    allowed_hosts: tuple[str, ...] = Field(default=(), description="further Host headers that are answered")


class LogPart(Strict):
    """The run log."""

    folder: str = Field(
        default="", description="where run logs go; default: the system's log folder; 'none' keeps none"
    )
    max_mb: float = Field(default=500.0, gt=1, description="the oldest logs go when all together exceed this, MB")


class RobotFile(Strict):
    """One robot."""

    name: Name = Field(description="this robot's name in the mission's [team]")
    mission: str = Field(description="the mission file, relative to this one, or the name of an installed mission")
    plugins: tuple[str, ...] = Field(
        default=(), description="Python files, relative to this one, that bring plug-ins"
    )
    start: Literal["command", "button", "at-boot"] = Field(
        default="command", description="what permits motion: robotd start, the board's button, or nothing more"
    )
    base_station_timeout_s: float = Field(
        default=0.0,
        ge=0,
        validation_alias=AliasChoices("base_station_timeout_s", "leash_s"),
        description="stop after so long without the base station, s; 0 never",
    )
    board: BoardPart
    add_ons: tuple[AddOnPart, ...] = Field(default=(), description="grippers, positioning and the like")
    radio: RadioPart
    http: HttpPart = HttpPart()
    log: LogPart = LogPart()
    state_folder: str = Field(
        default="",
        description="what outlives a restart; default: a folder of the robot's name in the system's state folder",
    )
