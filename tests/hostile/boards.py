"""`make fuzz WHAT=boards`: damaged input for the driver of every board; none raises, none makes it drive too fast.

Each driver gets what its own emulator says, damaged; those whose frames have a checksum get it a second time with
the checksum right again, so that the damage reaches what is behind it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from boards.create2 import frames as create2_frames
from boards.kobuki import frames as kobuki_frames
from boards.pioneer import frames as pioneer_frames
from boards.r2 import frames as r2_frames
from robotd.files.plugins import Plugins
from robotd.model.cobs import decode, encode
from robotd.model.command import Command
from robotd.sim.emulated import emulations
from tests.hostile.decoders import Decoder
from tests.robotd.bringup.desk import emulated

STEP_S = 0.02  # between two inputs: about as boards send frames
GENUINE = 8  # inputs between two looks at what the emulator has to say: it must not seem mute
PATIENCE = 100  # steps for a handshake: a Pioneer's takes twenty, with its back-off after one that failed
RECORDED_S, MOST = 4.0, 60  # of an emulator's words, with its answers to the handshake; frames kept
LAYOUT = create2_frames.Layout(create2_frames.SENSED)

Seal = tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]
"""What is within a frame; a frame with that within, whole and with the right checksum."""


def _create2(data: bytes) -> bytes:
    whole = LAYOUT.head + data[: LAYOUT.size - 3].ljust(LAYOUT.size - 3, b"\0")
    return whole + bytes([-sum(whole) % 256])


def _r2(data: bytes) -> bytes:
    return b"\0" + encode(data + r2_frames.crc16(data).to_bytes(2, "big")) + b"\0"


def _kobuki(data: bytes) -> bytes:
    rest = bytes([len(data) % 256]) + data
    return kobuki_frames.HEADER + rest + bytes([kobuki_frames.checksum(rest)])


def _pioneer(data: bytes) -> bytes:
    return pioneer_frames.packet((data or b"\0")[0], data[1:])


SEALS: dict[str, Seal] = {
    "create2": (lambda frame: frame[2:-1], _create2),
    "kobuki": (lambda frame: frame[3:-1], _kobuki),
    "pioneer": (lambda frame: frame[3:-2], _pioneer),
    "r2": (lambda frame: decode(frame.strip(b"\0"))[:-2], _r2),
}


def decoders() -> Iterable[Decoder]:
    """The driver of every board behind a line, with damaged frames as they are, and sealed where they can be."""
    for name in emulations().boards:
        yield from decoders_of(name)


def decoders_of(name: str) -> Iterator[Decoder]:
    """Those of one board."""
    said = _recorded(name)
    yield _driver(name, name, said, lambda data: data)
    if name in SEALS:
        within, seal = SEALS[name]
        yield _driver(f"{name}, sealed", name, tuple(dict.fromkeys(map(within, said))), seal)


class _Wired:
    """A driver and its own emulator; `pass_on` lets both say what is due, a step later than before."""

    def __init__(self, name: str) -> None:
        plugin = Plugins().get("robotd.boards", name)
        self.driver: Any = plugin(plugin.Settings())
        self.robot = emulated(name)
        self.now = 0.0
        self.driver.connect(self.now)

    def pass_on(self) -> list[bytes]:
        """One step; what the emulator said."""
        self.now += STEP_S
        for part in self.driver.transmit(self.now):
            if isinstance(part, bytes):
                self.robot.receive(self.now, part)
        said = [part for part in self.robot.transmit(self.now) if isinstance(part, bytes)]
        for part in said:
            self.driver.receive(self.now, part)
        return said


def _recorded(name: str) -> tuple[bytes, ...]:
    """Frames of an emulated board that is greeted and driven: the first of each length, then as many as fit."""
    wired, said = _Wired(name), []
    while wired.now < RECORDED_S:
        wired.driver.command(wired.now, Command(0.1, 0.05))
        said += wired.pass_on()
    first = {len(frame): frame for frame in reversed(said)}
    return tuple(dict.fromkeys([*first.values(), *said]))[:MOST]


def _driver(title: str, name: str, seeds: tuple[bytes, ...], seal: Callable[[bytes], bytes]) -> Decoder:
    """A driver that its emulator answers, ticked and commanded, damaged words between: *believed* is what would
    drive it faster than it can."""
    wired, seen = _Wired(name), Counter[str]()
    driver = wired.driver

    def feed(at: float, data: bytes) -> bool:
        seen["inputs"] += 1
        if not data:
            driver.connect(wired.now)
        patience = PATIENCE if not driver.ready else int(seen["inputs"] % GENUINE == 0)
        while patience:
            wired.pass_on()
            patience = patience - 1 if not driver.ready else 0
        seen["ready"] += driver.ready
        wired.now += STEP_S
        driver.receive(wired.now, seal(data))
        driver.transmit(wired.now)
        able, percept = driver.capabilities(wired.now), driver.senses(wired.now)
        seen["readings"] += driver.ready and percept.ages.wheels == 0.0
        driven = driver.command(wired.now, Command(9.0, -9.0))
        return bool(max(abs(driven.left), abs(driven.right)) > able.max_speed + 0.01)

    return Decoder(f"board {title}", seeds, feed, seen, "believed what would drive it faster than it can")
