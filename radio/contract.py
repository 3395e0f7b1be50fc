"""What every modem promises."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields
from typing import Any, Protocol

from pydantic import BaseModel

from robotd.model.value import value

LATE_S = 0.5  # a frame that could not leave within this time of its instant is void: its state is stale by then


class Modem(Protocol):
    """Sends whole frames to all in reach, and gives those that came; loses any, repeats none, alters none.

    Pure in `now` (own clock, s). `received` and `left` give each frame once, in the order of their times. The
    defaults are those of a modem that reaches no other.
    """

    def send(self, now: float, frame: bytes, at: float) -> None:
        """Send `frame` at `at`, or as soon after as it can; the newest frame replaces one that has not left."""

    def received(self, now: float) -> Sequence[tuple[float, bytes]]:
        """Frames that came since the last call, each with when it had arrived."""
        return ()

    def left(self, now: float) -> Sequence[tuple[float, bytes]]:
        """Own frames that left since the last call, each with when it began to."""
        return ()

    def alive(self, now: float) -> bool:
        """Whether the modem can be used now, as far as it can detect."""
        return False

    def counts(self) -> Mapping[str, int]:
        """What its framing dropped, by reason, since it was made."""
        return {}

    def airtime(self, size: int) -> float:
        """How long a frame of `size` bytes occupies the channel, s."""
        return 0.0

    def rssi_dbm(self, frame: bytes) -> float | None:
        """RSSI of one of the frames of the last `received`, dBm; None where the modem does not report it."""
        return None

    def advice(self, robots: int, beat_s: float) -> str:
        """What a person should change about the modem of a team of `robots` that each send once in `beat_s`, in
        words; '' if nothing, as far as it is known by now."""
        return ""


@value
class RadioPlugin:
    """What an entry point of `robotd.radios` declares: a class, made from its own table, and its attributes.

    `plugin_of` reads them from the class; those that it does not have are as here.
    """

    make: Callable[[Any], Any]
    """Makes a `Modem` from an instance of `Settings`; nothing is opened yet."""
    Settings: type[BaseModel]
    """The model of its table in a robot file."""
    airtime: Callable[[Any, int], float] = lambda modem, size: 0.0
    """`Modem.airtime`. A modem that occupies no channel needs none; where regulations hold, it must have one."""
    needs_port: bool = False
    """It is a `robotd.model.serial.SerialDevice` too."""
    schemes: tuple[str, ...] = ("serial", "tcp")
    """How it can be reached: keys of `robotd.transport.address.FORMS`."""
    emulator: str = ""
    """Its emulator as "module:Class", imported when needed; made of a channel, a number in it and the time."""
    emulated: Mapping[str, Any] = field(default_factory=dict)
    """Its table in a simulation, where the defaults do not do."""
    carrier_setting: str = "band_hz"
    """The key of its table that holds the carrier, Hz, if it has one; else the robot file states the carrier."""


def plugin_of(plugin: Any) -> RadioPlugin:
    """What a plug-in's class declares."""
    declared = {one.name: getattr(plugin, one.name) for one in fields(RadioPlugin) if hasattr(plugin, one.name)}
    return RadioPlugin(make=plugin, **declared)
