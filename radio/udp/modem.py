"""UDP multicast on a named interface, for robots that share a Wi-Fi network: one datagram, one frame, as it is.

The network delimits and checks. A datagram also comes back to its sender, as several robots may share a computer;
such echoes are dropped.
"""

from collections import deque

from pydantic import BaseModel, ConfigDict, Field

from radio.airtime import serial_airtime
from radio.modem_buffers import SilentModem

HEAD = 28  # bytes of IPv4 and UDP before the frame
ECHOES = 4  # own frames remembered: an echo is back before the next frame is sent


class Udp(SilentModem):
    """Driver: its `receive` is given whole datagrams."""

    emulator = "radio.udp.emulator:UdpEmulator"
    schemes: tuple[str, ...] = ("udp",)  # its port is udp://GROUP:PORT?interface=NAME
    head = HEAD

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
        super().__init__(int(settings.air_rate))
        self._air_rate = settings.air_rate
        self._own: deque[bytes] = deque(maxlen=ECHOES)

    def receive(self, now: float, data: bytes) -> None:
        """See `SerialDevice.receive`; `data` is a datagram."""
        if data not in self._own:
            self._put(now, data)

    def airtime(self, size: int) -> float:
        return serial_airtime(size + self.head, self._air_rate)

    def _encode(self, frame: bytes) -> bytes:
        self._own.append(frame)
        return frame
