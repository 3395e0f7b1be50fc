"""Serial modems that pass bytes as they are: HC-12, SiK and RFD900, EBYTE E32 and E22 in transparent mode.

They have no addresses, no acknowledgement and no check that the host sees; frames bring their own (`framing`).
A frame goes down the line in one write, as EBYTE's manual asks: a pause of two milliseconds splits it.
"""

from pydantic import BaseModel, ConfigDict, Field

from radio.airtime import serial_airtime
from radio.framing import OVERHEAD, CobsParser, wrap
from radio.modem_buffers import SilentModem


class Transparent(SilentModem):
    """Driver of one such modem."""

    emulator = "radio.transparent.emulator:TransparentEmulator"

    class Settings(BaseModel):
        """The modem's own table in the robot file."""

        model_config = ConfigDict(extra="forbid", frozen=True)
        baud: int = Field(default=9600, ge=1200, le=921600, description="of the serial line, bit/s")
        air_rate: float = Field(
            default=15_000.0, ge=300, le=1e7, description="on the air, bit/s: an HC-12 has 15000 at 9600 baud"
        )

    def __init__(self, settings: Settings) -> None:
        self._parser = CobsParser()
        super().__init__(settings.baud, self._parser)
        self._air_rate = settings.air_rate

    def connect(self, now: float) -> None:
        """See `SerialDevice.connect`. There is no handshake."""
        super().connect(now)
        self._parser.reset()

    def receive(self, now: float, data: bytes) -> None:
        """See `SerialDevice.receive`."""
        for frame in self._parser.feed(data):
            self._put(now, frame)

    def airtime(self, size: int) -> float:
        return serial_airtime(size + OVERHEAD, self._air_rate)

    def _encode(self, frame: bytes) -> bytes:
        return wrap(frame)
