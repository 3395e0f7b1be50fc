"""Zenoh over named routers or peers, for teams that outgrow one radio cell: one message, one frame, as it is.

The network delimits, checks and routes; `robotd.transport.zenoh` connects to it. No own frame comes back.
"""

from pydantic import Field

from radio.udp.modem import Udp

HEAD = 65  # bytes before the frame: 20 of IPv4, 32 of TCP with time stamps, 13 of Zenoh 1.10 (as measured)


class Zenoh(Udp):
    """Driver: its `receive` is given whole messages."""

    schemes = ("zenoh",)  # its port is zenoh://ENDPOINT,...
    emulator = "radio.udp.emulator:ZenohEmulator"
    head = HEAD

    class Settings(Udp.Settings):
        """The modem's own table in the robot file."""

        air_rate: float = Field(
            default=1e6, ge=10_000, le=1e10, description="of the slowest link on the way that all share, bit/s"
        )
