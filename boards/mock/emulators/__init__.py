"""Devices in software, sans-I/O: each speaks a real board's bytes over a simulated body, with a menu of faults.

An emulator has `receive`, `transmit` and `wake_at` as a driver has, `line` with the faults of what it sends
(`boards.mock.faulty_line`), `deaf` to take nothing in, `reboot(now)`, and `body`, the mock R-2 that it moves.
"""

from boards.mock.emulator import R2Emulator
from boards.mock.emulators.create2 import Create2Emulator
from boards.mock.emulators.firmata import FirmataEmulator
from boards.mock.emulators.kobuki import KobukiEmulator
from boards.mock.emulators.maestro import MaestroEmulator
from boards.mock.emulators.pioneer import PioneerEmulator
from boards.mock.emulators.positioning import PositioningEmulator

__all__ = [
    "Create2Emulator",
    "FirmataEmulator",
    "KobukiEmulator",
    "MaestroEmulator",
    "PioneerEmulator",
    "PositioningEmulator",
    "R2Emulator",
]
