"""The command line of `robotd base-station`, checked as a robot file's [radio] is."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from radio.link import BASE_STATION
from radio.regulations import SubBand
from robotd.config.airtime import band_of, check_band
from robotd.config.cross import check_key, check_network, check_part, place_of
from robotd.config.load import ConfigError, Mission, Problem, Source, find_mission, load_mission
from robotd.config.robot import RadioPart
from robotd.config.schema import Path_
from robotd.files.plugins import Plugins
from robotd.files.toml import value_of
from robotd.model.value import value
from robotd.transport.address import Address, parse_address

FORM = "--radio MODEM@PORT[,KEY=VALUE...], as reyax@/dev/ttyUSB0,region=eu868,band_hz=869525000"
OWN_KEYS = ("region", "frequency_mhz")  # of [radio] itself; all others are the modem's own settings
AT: Path_ = ("radio",)


@value
class StationRadio:
    """One radio of a base station: MODEM@PORT, its table, its plug-in and the plug-in's settings."""

    name: str
    part: RadioPart
    plugin: Any
    settings: Any

    @property
    def band(self) -> SubBand | None:
        """The sub-band that limits it; None without regulations."""
        return band_of(self.part, self.plugin, self.settings)

    def modem(self) -> Any:
        """A driver of the modem, with these settings."""
        return self.plugin(self.settings)


@value
class StationConfig:
    """All settings of a base station."""

    mission: Mission
    key_file: Path
    radios: tuple[StationRadio, ...]


def read_station(mission_name: str, radios: Sequence[str], key_file: Path) -> StationConfig:
    """The settings of a command line; ConfigError with every fault of it."""
    mission = load_mission(find_mission(mission_name))
    problems: list[Problem] = []
    if not radios:
        problems.append(Problem("--radio", 0, "", f"a base station needs a radio: {FORM}"))
    read = [read_radio(text, mission.plugins, problems) for text in radios]
    source = Source("", "", {}, overrides={AT: f"--key-file {key_file}"})
    check_key(key_file, BASE_STATION, mission.content.numbers(), source)
    problems += source.problems
    usable = tuple(radio for radio in read if radio is not None)
    problems += _shared_ports(usable)
    if problems:
        raise ConfigError(problems)
    return StationConfig(mission, key_file, usable)


def _shared_ports(radios: Sequence[StationRadio]) -> Iterator[Problem]:
    """A fault for each port that several radios have, however it is written."""
    owners: dict[Address, StationRadio] = {}
    for radio in radios:
        other = owners.setdefault(place_of(radio.part.port), radio)
        if other is not radio:
            message = f"{radio.part.port} is the port of {other.name} already: each radio has its own"
            yield Problem(f"--radio {radio.name}", 0, "radio.port", message)


def read_radio(text: str, plugins: Plugins, problems: list[Problem]) -> StationRadio | None:
    """One radio of `--radio`; None, with its faults added to the problems, where it cannot be used."""
    option = f"--radio {text}"
    try:
        data = table_of(text)
    except ValueError as error:
        problems.append(Problem(option, 0, "", str(error)))
        return None
    source = Source("", "", {"radio": data}, overrides={AT: option})
    part = source.validate(RadioPart, data, AT)
    plugin = check_part(part, source, plugins, AT) if part is not None else None
    if part is not None and part.name == "none":
        source.fault((*AT, "name"), "a base station needs a modem")
    elif part is not None:
        check_band(part, plugins, source)
        if plugin is not None and not source.problems:
            check_network(part.port, parse_address(part.port), source, AT)
    problems += source.problems
    if source.problems or part is None or plugin is None:
        return None
    return StationRadio(f"{part.name}@{part.port}", part, plugin, plugin.Settings(**part.parameters))


def table_of(text: str) -> dict[str, Any]:
    """MODEM@PORT[,KEY=VALUE...] as the table [radio]; ValueError. A value that is not TOML is a string."""
    first, *changes = re.split(r",(?!tcp/|udp/)", text)  # more endpoints of Zenoh are part of the port
    name, at, port = first.partition("@")
    if not name or not at or not port:
        raise ValueError(f"expected {FORM}")
    parameters: dict[str, Any] = {}
    table: dict[str, Any] = {"name": name, "port": port, "parameters": parameters}
    for change in changes:
        key, equals, value = change.partition("=")
        if not key or not equals:
            raise ValueError(f"{change!r} is not KEY=VALUE; expected {FORM}")
        (table if key in OWN_KEYS else parameters)[key] = value_of(value)
    if isinstance(table.get("frequency_mhz"), int):
        table["frequency_mhz"] = float(table["frequency_mhz"])
    return table
