"""Serial modems that pass bytes as they are: HC-12, SiK and RFD900, EBYTE E32 and E22 in transparent mode.

They have no addresses, no acknowledgement and no check that the host sees; frames bring their own (`framing`).
A frame goes down the line in one write, as EBYTE's manual asks: a pause of two milliseconds splits it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from radio.airtime import serial_airtime
from radio.framing import OVERHEAD, CobsParser, wrap
from radio.modem_buffers import ModemBuffers
from robotd.model.serial import LineSettings


class Transparent(ModemBuffers):
    """Driver of one such modem: a `SerialDevice` for the port and a `Modem` for the radio."""

    needs_port = True
    emulator = "radio.transparent.emulator:TransparentEmulator"

    class Settings(BaseModel):
        """The modem's own table in the robot file."""

        model_config = ConfigDict(extra="forbid", frozen=True)
        baud: int = Field(default=9600, ge=1200, le=921600, description="of the serial line, bit/s")
        air_rate: float = Field(
            default=15_000.0, ge=300, le=1e7, description="on the air, bit/s: an HC-12 has 15000 at 9600 baud"
        )

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        # An idle modem says nothing, so that no silence of it means that it is dead.
        self.line = LineSettings(baud=settings.baud, silence_s=math.inf)
        self.ready = False  # nothing ever answers: an open line is all that can be known
        self.halt = b""
        self._air_rate = settings.air_rate
        self._unwrapper = CobsParser()

    @property
    def wake_at(self) -> float | None:
        """See `SerialDevice.wake_at`."""
        return self._due_at()

    def connect(self, now: float) -> None:
        """See `SerialDevice.connect`. There is no handshake."""
        self._unwrapper.reset()
        self._void()
        self.ready = True

    def receive(self, now: float, data: bytes) -> None:
        """See `SerialDevice.receive`."""
        for frame in self._unwrapper.feed(data):
            self._put(now, frame)

    def transmit(self, now: float) -> list[bytes]:
        """See `SerialDevice.transmit`. A frame that is half a second late is void."""
        frame = self._take_due(now)
        if frame is None:
            return []
        self._gone(now, frame)
        return [wrap(frame)]

    def alive(self, now: float) -> bool:
        """See `Modem.alive`: the line was opened, and takes frames when they are due."""
        return self.ready and not self._is_stuck(now)

    def counts(self) -> Mapping[str, int]:
        """See `Modem.counts`."""
        return self._unwrapper.counts

    def airtime(self, size: int) -> float:
        """See `Modem.airtime`."""
        return serial_airtime(size + OVERHEAD, self._air_rate)
