"""An emulated Kobuki, sans-I/O, over a simulated body."""

from __future__ import annotations

import math
import struct
from collections import deque
from typing import Any

from boards.emulator import Emulator, Encoders, no_faster
from boards.kobuki import frames as wire
from boards.kobuki.senses import BUMP_DEG, COUNT_M, FREE_MA, WHEEL_BASE
from boards.mock.gathered import Gathered
from boards.mock.r2 import MockR2
from robotd.model.senses import Senses

BOOT_S = 1.0
HELD_MA = 2500  # of one motor: about as much as the robot can tell
BUMP_REACH = 100  # degrees: the bumper reaches round the front half
BATTERY = 164  # tenths of a volt


class KobukiEmulator(Emulator):
    """The other end of `boards.kobuki.driver.Kobuki`.

    `cliffs` (bits), `charger` (the byte) and `dead_s` (from a command to what it does) are what the world does to
    it; `count_at` sets where its encoders begin. It takes packets as firmware may: the bytes that a packet
    announces belong to it, whatever they are. It goes on with its last command for ever.
    """

    wheel_base = WHEEL_BASE
    period_s = 1 / wire.RATE

    def __init__(self, body: MockR2, seed: int = 0) -> None:
        super().__init__(body, seed)
        self.cliffs = self.charger = 0
        self.dead_s = 0.0
        self.wake_at = 0.0
        self._gathered = Gathered(wire.HEADER, around=4)
        self._next = 0
        self._encoders = Encoders(self.chassis, COUNT_M, wire.STAMP)
        self._started = 0.0
        self._orders: deque[tuple[float, float, float]] = deque()  # when, and the wheel speeds then

    @classmethod
    def parameters(cls, top_speed: float) -> dict[str, Any]:
        """See `Emulator`."""
        return no_faster(top_speed)

    def count_at(self, now: float, left: int, right: int) -> None:
        """Set both encoders."""
        self._encoders.set(now, left, right)

    def reboot(self, now: float) -> None:
        """Be switched off and on: motors stop, counts and clock begin anew, and nothing is heard for a while."""
        self.boots += 1
        self._gathered.clear()
        self._orders.clear()
        self.chassis.drive(now, 0.0, 0.0)
        self.count_at(now, 0, 0)
        self._started = self._boots_until = now + BOOT_S
        self.wake_at = self._boots_until

    def _take(self, now: float, data: bytes) -> None:
        for whole in self._gathered.feed(data):
            for parts in wire.PacketParser(wire.ORDER_SIZES).feed(whole):
                for number, content in parts:
                    self._obey(now, number, content)
        self._roll(now)

    def _obey(self, now: float, number: int, data: bytes) -> None:
        if number == wire.BASE_CONTROL:
            speed, radius = struct.unpack("<hh", data)
            left, right = wire.wheels(speed, radius, WHEEL_BASE * 1000)
            self._orders.append((now + self.dead_s, left / 1000, right / 1000))
        elif number == wire.SEQUENCE:
            self.body.world.play(self.body.name, now, data[0])
        elif number == wire.REQUEST:
            versions = (wire.HARDWARE, bytes([4, 0, 1, 0])), (wire.FIRMWARE, bytes([0, 2, 1, 0]))
            self.line.send(now, wire.packet(*versions, (wire.UDID, bytes(12))))

    def _roll(self, now: float) -> None:
        """Do what was ordered, once its time has come."""
        while self._orders and self._orders[0][0] <= now:
            _, left, right = self._orders.popleft()
            self.chassis.drive(now, left, right)
        self.chassis.hold(now)

    def _work(self, now: float) -> None:
        if now >= self._boots_until:
            self._roll(now)
            if self._is_due(now):
                self.line.send(now, self._senses(now))

    def _next_at(self, now: float) -> float:
        return max(self._boots_until, super()._next_at(now) or 0.0)

    # What it senses

    def _senses(self, now: float) -> bytes:
        """A packet as firmware 1.2 sends them, 77 bytes of payload."""
        senses = self.body.senses(now)
        left, right = self._encoders.read(now)
        currents, over = self._motors()
        core = wire.Core(
            round((now - self._started) * 1000) % wire.STAMP, self._bumps(senses),
            wire.RIGHT_DROP | wire.LEFT_DROP if self.chassis.lifted else 0, self.cliffs, left, right, BATTERY,
            self.charger, over,
        )  # fmt: skip
        return wire.packet(
            (wire.CORE, wire.build_core(core)), (wire.DOCK, bytes(3)), (wire.INERTIA, bytes(7)),
            (wire.CLIFF, bytes(6)), (wire.CURRENT, currents), (wire.GYRO, bytes([0, 6]) + bytes(12)),
            (wire.INPUTS, bytes(16)),
        )  # fmt: skip

    def _bumps(self, senses: Senses) -> int:
        pressed = [math.degrees(bump.bearing) for bump in senses.bumps if bump.pressed]
        near = [at for at in pressed if abs(at) < BUMP_REACH]
        return sum({min(BUMP_DEG, key=lambda one: abs(one[1] - at))[0] for at in near})

    def _motors(self) -> tuple[bytes, int]:
        """The currents in 10 mA, and the bits of overcurrent."""
        currents, over = bytearray(), 0
        for commanded, speed, bit in zip(
            self.chassis.told, self.chassis.speeds(), (wire.OVER_LEFT, wire.OVER_RIGHT), strict=True
        ):
            held = bool(commanded) and abs(speed) < abs(commanded) / 3
            idle = not commanded or self.chassis.how("motors") == "dead"
            currents.append(0 if idle else (HELD_MA if held else FREE_MA) // 10)
            over |= bit * (held and not idle)
        return bytes(currents), over
