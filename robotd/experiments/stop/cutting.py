"""The device's end of a pty that, once, lets only the first bytes of what was written through."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from robotd.model.serial import SetLine
from robotd.sim.ptys import FRAME_BYTES, READ_BYTES, PtyEnd


class CuttingEnd(PtyEnd):
    """A `PtyEnd`. While it is to cut a command it hears whole writes, as each of them is one."""

    def __init__(self) -> None:
        super().__init__()
        self.offset = self.length = 0  # of the command that was cut, once it was
        self.heard = b""  # what has come since
        self._share: float | None = None
        self._then: Callable[[], None] = lambda: None

    def cut(self, share: float, then: Callable[[], None]) -> None:
        """Of the next command let so many bytes through as `share` (0 to below 1) says, and call `then`."""
        self._share, self._then, self.read_bytes = share, then, FRAME_BYTES

    def transmit(self, now: float) -> Sequence[bytes | SetLine]:
        said = super().transmit(now)
        whole = b"".join(part for part in said if isinstance(part, bytes))
        if self._share is None or not said:
            self.heard += whole if self.length else b""
            return said
        self.length, self.offset = len(whole), int(self._share * (len(whole) + 1))
        self._share, self.read_bytes = None, READ_BYTES
        self._then()
        return [whole[: self.offset]] if self.offset else []
