"""Who answers on a port: every board's own handshake, at its own line settings, until one is answered.

Nothing is commanded, so no wheel turns; and each try ends with that board's halt.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from robotd.bringup.rig import Rig
from robotd.plugins import Plugins
from robotd.wire import Opener, open_wire, parse_address

TRY_S = 4.0  # an Arduino whose port is opened starts for 2 s; then the slowest handshake takes less than two more
SHOWN = 24  # bytes of what came that nobody could read
FIRST = ("create2",)
"""Tried before all others: its commands have neither frame nor checksum, so that bytes meant for others could be
commands to it (F9 at 57600 baud is read at 115200 as 86, spot cleaning). Its own try leaves it switched off."""


@dataclass(frozen=True, slots=True)
class Try:
    """One board's handshake: whether it was answered, what came (`sample`: hexadecimal), and what was lacking."""

    board: str
    baud: int
    answered: bool
    seconds: float
    bytes_in: int
    sample: str
    why: str

    def __str__(self) -> str:
        if self.answered:
            return f"{self.board} at {self.baud} baud: answers"
        came = f"{self.bytes_in} bytes that it cannot read: {self.sample}" if self.bytes_in else "nothing came"
        return f"{self.board} at {self.baud} baud: {came}{f' ({self.why})' if self.why else ''}"


@dataclass(frozen=True, slots=True)
class Identification:
    """Who answers on `port` ('' for nobody), what was tried for it, and what the one that answers can do now."""

    port: str
    board: str
    tried: tuple[Try, ...]
    resources: tuple[str, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    when_computer_dies: str = ""

    def as_json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {**asdict(self), "board": self.board or None}


def kinds(plugins: Plugins, wanted: str = "auto") -> list[str]:
    """The boards that are tried, in order; UnknownPlugin, and ValueError for one that has no port."""
    if wanted != "auto":
        check_kind(wanted, plugins.get("robotd.boards", wanted))
        return [wanted]
    names = []
    for name in plugins.names("robotd.boards"):
        plugin = plugins.get("robotd.boards", name)
        if getattr(plugin, "needs_port", False) and not getattr(plugin, "add_on", False):
            names.append(name)
    return sorted(names, key=lambda name: (name not in FIRST, name))


def check_kind(name: str, plugin: Any) -> None:
    """ValueError for what is no board behind a port."""
    if not getattr(plugin, "needs_port", False):
        raise ValueError(f"board {name!r} has no port")
    if getattr(plugin, "add_on", False):
        raise ValueError(f"{name!r} is an add-on, no board: it has no wheels to try")


async def identify(
    port: str,
    devices: Mapping[str, Callable[[], Any]],
    *,
    opener: Opener = open_wire,
    tell: Callable[[Try], None] = lambda _: None,
) -> Identification:
    """Try `devices` (what makes each board, by name) in order; BoardError where the port cannot be opened."""
    tried: list[Try] = []
    for name, make in devices.items():
        device = make()
        rig = Rig(port, device, opener)
        async with rig:
            start = rig.now
            answered = await rig.answers(TRY_S)
            now = rig.now
            able = device.capabilities(now)
            if answered:
                able = await rig.settle()
            missing = dict(able.missing)
            why = "" if answered else missing.get("mobile", "")
            baud = parse_address(port).baud or device.line.baud
            sample = bytes(rig.tap.came[:SHOWN]).hex(" ")
            tried.append(Try(name, baud, answered, round(now - start, 2), rig.tap.bytes_in, sample, why))
        tell(tried[-1])
        if answered:
            dies = str(getattr(device, "when_computer_dies", ""))
            return Identification(port, name, tuple(tried), able.resources, missing, dies)
    return Identification(port, "", tuple(tried))
