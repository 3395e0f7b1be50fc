"""Whether a team can legally hold its beat on the modem of a robot file, and which beat it can hold."""

import math
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

from radio.contract import plugin_of
from radio.duty_cycle import DutyCycleLimiter
from radio.framing import LONGEST
from radio.regulations import SubBand, band_at
from radio.slots import GUARD_S
from robotd.config.robot import RadioPart, RobotFile
from robotd.config.source import Source
from robotd.files.plugins import Plugins
from robotd.model.beliefs import CLOCKS
from robotd.model.value import value

STEP = 10  # beats are proposed in tenths of a second, rounded up


@value
class Channel:
    """What a modem and the regulations permit a team.

    `longest_s`: airtime of the longest frame. `period_s`: the least legal time between two such frames of one
    robot. `room_s`: the least beat in which those of all robots fit.
    """

    longest_s: float
    band: SubBand | None
    period_s: float
    room_s: float

    @property
    def least_beat_s(self) -> float:
        """The shortest beat that holds, in tenths of a second; inf where none does."""
        least = max(self.period_s / (1.0 + CLOCKS), self.room_s)
        return math.ceil(round(least * STEP, 6)) / STEP if least < math.inf else math.inf


def frequency_of(radio: RadioPart, plugin: Any, settings: BaseModel) -> float:
    """The carrier, MHz, of the modem's settings (`RadioPlugin.carrier_setting`) or of the robot file; 0: unknown.

    ValueError where the two differ.
    """
    key = plugin_of(plugin).carrier_setting
    own = settings.model_dump().get(key, 0) / 1e6
    if own and radio.frequency_mhz and abs(own - radio.frequency_mhz) > 1e-6:
        raise ValueError(f"{radio.frequency_mhz:g} MHz, but the modem's {key} is {own:g} MHz; leave one out")
    return float(own or radio.frequency_mhz)


def band_of(radio: RadioPart, plugin: Any, settings: BaseModel) -> SubBand | None:
    """The sub-band that limits a modem, None without regulations; ValueError where it may not send."""
    if radio.region == "none":
        return None
    frequency = frequency_of(radio, plugin, settings)
    if not frequency:
        raise ValueError(f"the limits of region {radio.region} depend on the frequency; set frequency_mhz")
    return band_at(radio.region, frequency)


def channel_of(radio: RadioPart, plugin: Any, settings: Any, robots: int, beat_s: float) -> Channel:
    """The channel of `robots` that all have this modem; ValueError as `band_of`."""
    longest_s, band = float(plugin_of(plugin).airtime(plugin(settings), LONGEST)), band_of(radio, plugin, settings)
    if band is not None and longest_s <= 0.0:
        raise ValueError(f"{radio.region} limits the airtime, and modem {radio.name} states none: airtime(size)")
    period_s = DutyCycleLimiter(band, longest_s, beat_s).period_s
    return Channel(longest_s, band, period_s, robots * (longest_s + GUARD_S))


def check_band(radio: RadioPart, plugins: Plugins, source: Source) -> None:
    """Note what forbids the modem to send at all: no frequency, one outside every band, too long a frame."""
    found = _modem(radio, plugins)
    if found is None or radio.region == "none":
        return
    plugin, settings = found
    at = ("radio", "frequency_mhz" if radio.frequency_mhz else "region")
    try:
        channel = channel_of(radio, plugin, settings, 1, 1.0)
    except ValueError as error:
        source.fault(at, str(error))
        return
    if channel.period_s == math.inf and channel.band is not None:
        source.fault(at, f"{_frame(channel)}; {channel.band.words}; choose another frequency or a faster setting")


def check_airtime(robot: RobotFile, beat_s: float, robots: int, plugins: Plugins, source: Source) -> None:
    """Note why a team of `robots` cannot hold its beat on this modem, with what would let it."""
    found = _modem(robot.radio, plugins)
    if found is None:
        return
    try:
        channel = channel_of(robot.radio, *found, robots, beat_s)
    except ValueError:
        return  # reported already
    if beat_s >= channel.least_beat_s or channel.period_s == math.inf:
        return
    if channel.room_s > beat_s:
        why = f"{robots} robots need {channel.room_s:.2f} s for one each, with {GUARD_S:g} s between"
    else:
        assert channel.band is not None
        why = f"{channel.band.words} permits one every {channel.period_s:.2f} s"
    remedy = f"beat_s = {channel.least_beat_s:g} or more in the mission's [radio]"
    message = f"the team cannot hold its beat of {beat_s:g} s: {_frame(channel)}; {why}; set {remedy}"
    source.fault(("radio", "name"), message, remedy)


def airtime_notes(robot: RobotFile, beat_s: float, robots: int, plugins: Plugins) -> Iterator[str]:
    """Notes on the airtime of a team that can hold its beat."""
    found = _modem(robot.radio, plugins)
    if found is None or not plugin_of(found[0]).needs_port:
        return
    channel = channel_of(robot.radio, *found, robots, beat_s)
    share = 100 * robots * channel.longest_s / beat_s
    yield f"airtime: {_frame(channel)}; {robots} robots fill up to {share:.2g} % of the channel"
    if channel.band is None:
        yield 'no limit on airtime is kept (region = "none" in [radio]): set the region whose regulations apply'
    elif channel.band.duty is not None:
        own = 100 * channel.longest_s / beat_s
        yield f"{channel.band.words}; a frame in every beat is up to {own:.2g} %"


def _modem(radio: RadioPart, plugins: Plugins) -> tuple[Any, BaseModel] | None:
    """The plug-in and its settings; None where there is none, or is faulty (reported elsewhere)."""
    if radio.name == "none" or radio.name not in plugins.names("robotd.radios"):
        return None
    plugin = plugins.get("robotd.radios", radio.name)
    try:
        return plugin, plugin.Settings(**radio.parameters)
    except ValidationError:
        return None


def _frame(channel: Channel) -> str:
    return f"a frame of {LONGEST} bytes takes {1000 * channel.longest_s:.1f} ms on the air"
