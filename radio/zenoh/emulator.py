"""A routed network on the simulated channel, for drivers that exchange real Zenoh messages with it."""

from __future__ import annotations

from radio.udp.emulator import UdpEmulator


class ZenohEmulator(UdpEmulator):
    """The network as robot `number` sees it; each call of `receive` is one message of its."""

    latency_s = 0.02  # two Wi-Fi hops and a router between
    airtime_s = 0.00084  # of 105 bytes at 1 Mbit/s, a weak Wi-Fi link
    echoes = False  # it brings back none
