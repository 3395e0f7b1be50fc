"""Who answers on a port: every board's own handshake, at its own line settings, until one is answered.

Nothing is commanded, so no wheel turns; and each try ends with that board's halt.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from boards.contract import plugin_of
from robotd.bringup.bench import Bench
from robotd.files.plugins import Plugins
from robotd.transport.address import parse_address
from robotd.transport.port import Opener, open_wire

TRY_S = 4.0  # an Arduino whose port is opened starts for 2 s; then the slowest handshake takes less than two more
CONSOLE = re.compile(rb"login: ?|Password: ?|Login incorrect")
IS_CONSOLE = (
    "a login console of this computer: turn it off (raspi-config, Interface Options, Serial Port: no login shell)"
)
SHOWN = 24  # bytes of what came that nobody could read


@dataclass(frozen=True, slots=True)
class Try:
    """One board's handshake: if it was answered, what came (`sample`: text or hexadecimal), what was lacking."""

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
        if not self.baud:
            return f"{self.board}: not tried: {self.why}"
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
        based(wanted, plugins.get("robotd.boards", wanted))
        return [wanted]
    found = {}
    for name in plugins.names("robotd.boards"):
        with contextlib.suppress(ModuleNotFoundError):  # the simulated one needs an extra
            found[name] = plugin_of(plugins.get("robotd.boards", name))
    names = [name for name, plugin in found.items() if plugin.needs_port and not plugin.add_on]
    return sorted(names, key=lambda name: (not found[name].identify_first, name))


def based(name: str, plugin: Any) -> str:
    """`name` of a plug-in that is a base behind a port; ValueError for another."""
    declared = plugin_of(plugin)
    if declared.add_on:
        raise ValueError(f"{name!r} is an add-on, without wheels: name the base that it is on")
    if not declared.needs_port:
        raise ValueError(f"board {name!r} has no port")
    return name


async def identify(
    port: str,
    devices: Mapping[str, Callable[[], Any]],
    *,
    opener: Opener = open_wire,
    tell: Callable[[Try], None] = lambda _: None,
) -> Identification:
    """Try `devices` (what makes each board, by name) in order; BoardError where the port cannot be opened.

    A board that cannot be made without settings is not tried, and told so.
    """
    tried: list[Try] = []
    for name, make in devices.items():
        try:
            device = make()
        except ValueError as error:
            why = f"it needs settings: say --type {name} --set KEY=VALUE: {error}"
            tried.append(Try(name, 0, answered=False, seconds=0.0, bytes_in=0, sample="", why=why))
            tell(tried[-1])
            continue
        bench = Bench(port, device, opener)
        async with bench:
            start = bench.now
            answered = await bench.answers(TRY_S)
            now = bench.now
            able = device.capabilities(now)
            if answered:
                able = await bench.settle()
            missing = dict(able.missing)
            why = "" if answered else missing.get("mobile", "")
            baud = parse_address(port).baud or device.line.baud
            console = not answered and CONSOLE.search(bench.line.came) is not None
            why = IS_CONSOLE if console else why
            sample = format_sample(bytes(bench.line.came[:SHOWN]))
            tried.append(Try(name, baud, answered, round(now - start, 2), bench.line.bytes_in, sample, why))
        tell(tried[-1])
        if console:
            break  # each further handshake would be typed into its login
        if answered:
            dies = plugin_of(device).when_computer_dies
            return Identification(port, name, tuple(tried), able.resources, missing, dies)
    return Identification(port, "", tuple(tried))


def format_sample(data: bytes) -> str:
    """Bytes that came: text in quotes if it is some, else hexadecimal."""
    readable = data and all(0x20 <= byte < 0x7F or byte in b"\r\n\t" for byte in data)
    return repr(data.decode("ascii")) if readable else data.hex(" ")
