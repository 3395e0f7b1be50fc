"""The guardian's hold on the ports: descriptors that the daemon opened, and what stops the motors behind each."""

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass

from robotd.timing import clock
from robotd.transport.tty import SETTLE_S, discard, queued

DRAIN_S = 0.3  # what a halt of some tens of bytes takes at 1200 baud
CLOSE_S = 0.2  # how long closing may hold up the guardian: the kernel may wait 30 s for a stuck device


@dataclass(frozen=True, slots=True)
class Held:
    """One port: the guardian's own descriptor of the same opening, and the board's halt."""

    fd: int
    halt: bytes


class HeldPorts:
    """All ports by name. Nothing here blocks for longer than is documented, whatever the devices do."""

    def __init__(self) -> None:
        self._held: dict[str, Held] = {}

    def __len__(self) -> int:
        return len(self._held)

    def hold(self, name: str, fd: int, halt: bytes) -> None:
        """Take over a descriptor; an older one of that name is closed."""
        self.release(name)
        os.set_blocking(fd, False)
        self._held[name] = Held(fd, halt)

    def release(self, name: str) -> None:
        """Close the descriptor of `name`, if held, without waiting for what it still has to send."""
        held = self._held.pop(name, None)
        if held is not None:
            if queued(held.fd):
                discard(held.fd)
            closing = threading.Thread(target=os.close, args=(held.fd,), daemon=True)
            closing.start()
            closing.join(CLOSE_S)

    def halt(self) -> dict[str, bool]:
        """Throw away what waits in each port's output queue and write its halt; whether all of it went in."""
        return {name: _halt(held) for name, held in self._held.items()}

    def drain(self, sleep: Callable[[float], None]) -> None:
        """Give the halts time to leave: at most `DRAIN_S`, then what is stuck is dropped."""
        end = clock.monotonic() + DRAIN_S
        while clock.monotonic() < end and any(queued(held.fd) for held in self._held.values()):
            sleep(0.005)
        sleep(SETTLE_S if self._held else 0.0)
        for name in list(self._held):
            self.release(name)


def _halt(held: Held) -> bool:
    discard(held.fd)
    try:
        return os.write(held.fd, held.halt) == len(held.halt)
    except OSError:
        return False
