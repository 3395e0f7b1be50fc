"""UDP multicast on a named interface, for robots that share a Wi-Fi network: one datagram, one frame, as it is.

The network delimits and checks. A datagram also comes back to who sent it, as several robots may share a computer;
such echoes are dropped.
"""

from __future__ import annotations

import math
from collections import deque

from pydantic import BaseModel, ConfigDict, Field

from radio.airtime import serial_airtime
from radio.modem_buffers import ModemBuffers
from robotd.model.serial import LineSettings

HEAD = 28  # bytes of IPv4 and UDP before the frame
ECHOES = 4  # own frames remembered: an echo is back before the next frame is sent


class Udp(ModemBuffers):
    """Driver: a `SerialDevice` whose `receive` is given whole datagrams, and a `Modem` for the radio."""

    needs_port = True
    emulator = "radio.udp.emulator:UdpEmulator"
    schemes: tuple[str, ...] = ("udp",)  # its port is udp://GROUP:PORT?interface=NAME

    class Settings(BaseModel):
        """The modem's own table in the robot file."""

        model_config = ConfigDict(extra="forbid", frozen=True)
        air_rate: float = Field(
            default=1e6,
            ge=10_000,
            le=1e10,
            description="on the air, bit/s: Wi-Fi sends multicast at its slowest rate",
        )

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        # A network without other robots says nothing, so that no silence of it means that it is dead.
        self.line = LineSettings(baud=int(settings.air_rate), silence_s=math.inf)
        self.ready = False
        self.halt = b""
        self._air_rate = settings.air_rate
        self._own: deque[bytes] = deque(maxlen=ECHOES)

    @property
    def wake_at(self) -> float | None:
        """See `SerialDevice.wake_at`."""
        return self._due_at()

    def connect(self, now: float) -> None:
        """See `SerialDevice.connect`. There is no handshake."""
        self._void()
        self.ready = True

    def receive(self, now: float, data: bytes) -> None:
        """See `SerialDevice.receive`; `data` is a datagram."""
        if data not in self._own:
            self._put(now, data)

    def transmit(self, now: float) -> list[bytes]:
        """See `SerialDevice.transmit`. A frame that is half a second late is void."""
        frame = self._take_due(now)
        if frame is None:
            return []
        self._own.append(frame)
        self._gone(now, frame)
        return [frame]

    def alive(self, now: float) -> bool:
        """See `Modem.alive`: the interface was there, and takes frames when they are due."""
        return self.ready and not self._is_stuck(now)

    def airtime(self, size: int) -> float:
        """See `Modem.airtime`."""
        return serial_airtime(size + HEAD, self._air_rate)
