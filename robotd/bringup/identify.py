"""Which board answers on a port: each board's own handshake at its own line settings, until one is answered.

Nothing is commanded, so that no wheel turns; each try ends with the halt of that board.
"""

import contextlib
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from boards.contract import plugin_of
from robotd.bringup.bench import Bench
from robotd.files.plugins import Plugins
from robotd.model.senses import Capabilities
from robotd.transport.address import parse_address
from robotd.transport.port import Opener, open_wire

TRY_S = 4.0  # an Arduino starts for 2 s once its port is opened; the slowest handshake takes less than 2 s more
CONSOLE = re.compile(rb"login: ?|Password: ?|Login incorrect")
IS_CONSOLE = (
    "a login console of this computer: turn it off (raspi-config, Interface Options, Serial Port: no login shell)"
)
SHOWN = 24  # bytes of an unreadable answer


@dataclass(frozen=True, slots=True)
class Try:
    """One board's handshake: whether it was answered, received bytes (text or hexadecimal), why not.

    `baud` 0: it was not tried.
    """

    board: str
    baud: int = 0
    answered: bool = False
    seconds: float = 0.0
    bytes_in: int = 0
    sample: str = ""
    why: str = ""

    def __str__(self) -> str:
        if self.answered:
            return f"{self.board} at {self.baud} baud: answers"
        if not self.baud:
            return f"{self.board}: not tried: {self.why}"
        came = f"{self.bytes_in} unreadable bytes: {self.sample}" if self.bytes_in else "nothing received"
        return f"{self.board} at {self.baud} baud: {came}{f' ({self.why})' if self.why else ''}"


@dataclass(frozen=True, slots=True)
class Identification:
    """The board that answers on `port` ('': none), what was tried, and what that board can do now."""

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
    """The boards to try, in order; UnknownPlugin, ValueError for one that has no port."""
    if wanted != "auto":
        check_base(wanted, plugins.get("robotd.boards", wanted))
        return [wanted]
    found = {}
    for name in plugins.names("robotd.boards"):
        with contextlib.suppress(ModuleNotFoundError):  # the simulated one needs an extra
            found[name] = plugin_of(plugins.get("robotd.boards", name))
    names = [name for name, plugin in found.items() if plugin.needs_port and not plugin.add_on]
    return sorted(names, key=lambda name: (not found[name].identify_first, name))


def check_base(name: str, plugin: Any) -> None:
    """ValueError for a plug-in that is not a base on a port."""
    declared = plugin_of(plugin)
    if declared.add_on:
        raise ValueError(f"{name!r} is an add-on, without wheels: name the base that carries it")
    if not declared.needs_port:
        raise ValueError(f"board {name!r} has no port")


async def identify(
    port: str,
    devices: Mapping[str, Callable[[], Any]],
    *,
    opener: Opener = open_wire,
    report: Callable[[Try], None] = lambda _: None,
) -> Identification:
    """Try `devices` (what makes each board, by name) in order; BoardError where the port cannot be opened.

    A board that cannot be made without settings is not tried, and reported.
    """
    tried: list[Try] = []
    for name, make in devices.items():
        try:
            device = make()
        except ValueError as error:
            tried.append(Try(name, why=f"it needs settings: give --type {name} --set KEY=VALUE: {error}"))
            report(tried[-1])
            continue
        async with Bench(port, device, opener) as bench:
            one, able = await _greet(name, bench, parse_address(port).baud or device.line.baud)
        tried.append(one)
        report(one)
        if one.answered:
            dies = plugin_of(device).when_computer_dies
            return Identification(port, name, tuple(tried), able.resources, dict(able.missing), dies)
        if one.why == IS_CONSOLE:
            break  # it would take each further handshake for a login
    return Identification(port, "", tuple(tried))


async def _greet(name: str, bench: Bench, baud: int) -> tuple[Try, Capabilities]:
    """The handshake of one board on its bench, and what the board can do; BoardError where it does not open."""
    start, came = bench.now, bench.line.came
    answered = await bench.answers(TRY_S)
    seconds = round(bench.now - start, 2)
    able: Capabilities = await bench.settle() if answered else bench.board.capabilities(bench.now)
    why = "" if answered else IS_CONSOLE if CONSOLE.search(came) else dict(able.missing).get("mobile", "")
    return Try(name, baud, answered, seconds, bench.line.bytes_in, format_sample(bytes(came[:SHOWN])), why), able


def format_sample(data: bytes) -> str:
    """Received bytes: text in quotes if they are text, else hexadecimal."""
    readable = data and all(0x20 <= byte < 0x7F or byte in b"\r\n\t" for byte in data)
    return repr(data.decode("ascii")) if readable else data.hex(" ")
