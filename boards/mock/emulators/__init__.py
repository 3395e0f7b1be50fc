"""Devices in software, sans-I/O: each speaks a real board's bytes over a simulated body, with a menu of faults.

An emulator has `receive`, `transmit` and `wake_at` as a driver has, `line` with the faults of what it sends
(`boards.mock.faulty_line`), `deaf` to take nothing in, `reboot(now)`, and `body`, the mock R-2 that it moves.
"""

from boards.create2.emulator import Create2Emulator
from boards.firmata.emulator import FirmataEmulator
from boards.kobuki.emulator import KobukiEmulator
from boards.maestro.emulator import MaestroEmulator
from boards.pioneer.emulator import PioneerEmulator
from boards.positioning.emulator import PositioningEmulator
from boards.r2.emulator import R2Emulator

__all__ = [
    "Create2Emulator",
    "FirmataEmulator",
    "KobukiEmulator",
    "MaestroEmulator",
    "PioneerEmulator",
    "PositioningEmulator",
    "R2Emulator",
]
