"""How much of a line is read at once: a sender without a pause costs its own line and no tick."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

log = logging.getLogger(__name__)

BURST_BYTES = 4096  # the slowest parser takes a few milliseconds; at 921600 baud 461 come in PAUSE_S
BURST_MESSAGES = 16  # a frame is authenticated in some 30 us; fifty robots at a beat of 0.05 s send 5 in PAUSE_S
PAUSE_S = 0.005  # the rest waits in the kernel, which slows a TCP sender, and drops what is too much of others
REPORT_PAUSES = 20  # in a row, before it is logged
QUIET_S = 600.0  # between two such lines of the log: the sender decides how often there is cause


class ReadBudget:
    """Counts what is read; at the end of a burst calls `pause`, and `resume` after `PAUSE_S`."""

    def __init__(self, burst: int, pause: Callable[[], object], resume: Callable[[], object]) -> None:
        self._burst, self._pause, self._resume = burst, pause, resume
        self._loop = asyncio.get_running_loop()
        self._used, self._since = 0, -PAUSE_S
        self._pauses, self._reported = 0, -QUIET_S
        self._resuming: asyncio.TimerHandle | None = None

    def use(self, amount: int) -> None:
        """So much was read now."""
        now = self._loop.time()
        if now - self._since >= 2 * PAUSE_S:
            self._used, self._since, self._pauses = 0, now, 0
        self._used += amount
        if self._used >= self._burst and self._resuming is None:
            self._pauses += 1
            if self._pauses >= REPORT_PAUSES and now - self._reported >= QUIET_S:
                self._reported = now
                log.warning("a line receives more than is read, %d in %g s: the rest waits", self._used, PAUSE_S)
            self._pause()
            self._resuming = self._loop.call_later(PAUSE_S, self._go_on)

    def close(self) -> None:
        """The line is closed: nothing is resumed any more."""
        if self._resuming is not None:
            self._resuming.cancel()

    def _go_on(self) -> None:
        self._resuming = None
        self._used, self._since = 0, self._loop.time()
        self._resume()


class PacedProtocol(asyncio.BufferedProtocol):
    """Hands on to `protocol` what comes, within a budget of bytes; for transports with and without buffers."""

    def __init__(self, protocol: asyncio.Protocol) -> None:
        self._protocol = protocol
        self._buffer = memoryview(bytearray(BURST_BYTES))

    def connection_made(self, transport: Any) -> None:
        """asyncio: it is open."""
        self._budget = ReadBudget(BURST_BYTES, transport.pause_reading, transport.resume_reading)
        self._protocol.connection_made(transport)

    def get_buffer(self, sizehint: int) -> memoryview:
        """asyncio: where the next bytes go."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """asyncio: bytes came."""
        self.data_received(bytes(self._buffer[:nbytes]))

    def data_received(self, data: bytes) -> None:
        """asyncio: the same of a transport without buffers."""
        self._protocol.data_received(data)
        self._budget.use(len(data))

    def pause_writing(self) -> None:
        """asyncio: too much waits."""
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        """asyncio: what waited has been written."""
        self._protocol.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """asyncio: it is closed."""
        self._budget.close()
        self._protocol.connection_lost(exc)
