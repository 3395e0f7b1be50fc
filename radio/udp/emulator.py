"""Networks on the simulated channel, for drivers that exchange real datagrams or messages with them."""

from radio.framing import SHORTEST
from radio.mock.channel import Channel
from radio.mock.emulator import ModemEmulator


class UdpEmulator(ModemEmulator):
    """The network as robot `number` sees it; each call of `receive` is one datagram of its."""

    latency_s = 0.005  # the kernel, the driver and a busy access point
    airtime_s = 0.0006  # of 68 bytes at 1 Mbit/s, the slowest rate of Wi-Fi, at which multicast goes
    echoes = True  # multicast comes back to its sender

    def __init__(self, channel: Channel, number: int, now: float, *, latency_s: float | None = None) -> None:
        super().__init__(channel, number, now, self.latency_s if latency_s is None else latency_s)

    def receive(self, now: float, data: bytes) -> None:
        """A datagram from the host."""
        self._answers += [(now, data)] if self.echoes else []
        if len(data) >= SHORTEST:
            self._send(now, data, self.airtime_s)


class ZenohEmulator(UdpEmulator):
    """A routed network; each call of `receive` is one message."""

    latency_s = 0.02  # two Wi-Fi hops and a router between
    airtime_s = 0.00084  # of 105 bytes at 1 Mbit/s, a weak Wi-Fi link
    echoes = False  # it brings back none
