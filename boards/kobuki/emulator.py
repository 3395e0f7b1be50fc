"""An emulated Kobuki, sans-I/O, over a simulated body."""

import math
import struct
from collections import deque

from boards.emulator import CountingEmulator, Gathered
from boards.kobuki import frames as wire
from boards.kobuki.senses import BUMP_DEG, COUNT_M, FREE_MA, WHEEL_BASE
from boards.mock.driver import MockR2
from robotd.model.senses import Senses

BUMP_REACH = 100  # degrees: the bumper reaches round the front half
BATTERY = 164  # tenths of a volt


class KobukiEmulator(CountingEmulator):
    """The other end of `boards.kobuki.driver.Kobuki`.

    `cliffs` (bits), `charger` (the byte) and `dead_s` (from a command to what it does) are what the world does to
    it; `count_at` sets where its encoders begin. It takes packets as firmware may: the bytes that a packet
    announces belong to it, whatever they are. It keeps to its last command for ever.
    """

    wheel_base, count_m, wrap = WHEEL_BASE, COUNT_M, wire.STAMP
    period_s, boot_s = 1 / wire.RATE, 1.0
    free_ma, held_ma = FREE_MA, 2500  # of one motor: about as much as the robot can report

    def __init__(self, body: MockR2, seed: int = 0) -> None:
        super().__init__(body, seed)
        self.cliffs = self.charger = 0
        self.dead_s = 0.0
        self.wake_at = 0.0
        self._gathered = Gathered(wire.HEADER, around=4)
        self._next = 0
        self._started = 0.0
        self._orders: deque[tuple[float, float, float]] = deque()  # when, and the wheel speeds then

    def _forget(self, now: float) -> None:
        super()._forget(now)
        self._gathered.clear()
        self._orders.clear()
        self._started = now + self.boot_s

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
        senses = self.body.senses(now)
        left, right = self._read_counts(now)
        milliamperes, over = self._motors((wire.OVER_LEFT, wire.OVER_RIGHT))
        currents = bytes(abs(current) // 10 for current in milliamperes)
        drops = wire.RIGHT_DROP | wire.LEFT_DROP if self.chassis.lifted else 0
        stamp = round((now - self._started) * 1000) % wire.STAMP
        core = wire.Core(stamp, self._bumps(senses), drops, self.cliffs, left, right, battery=BATTERY,
                         charger=self.charger, over=over)  # fmt: skip
        return wire.packet(
            (wire.CORE, wire.build_core(core)), (wire.DOCK, bytes(3)), (wire.INERTIA, bytes(7)),
            (wire.CLIFF, bytes(6)), (wire.CURRENT, currents), (wire.GYRO, bytes([0, 6]) + bytes(12)),
            (wire.INPUTS, bytes(16)),
        )  # fmt: skip

    def _bumps(self, senses: Senses) -> int:
        pressed = [math.degrees(bump.bearing) for bump in senses.bumps if bump.pressed]
        near = [at for at in pressed if abs(at) < BUMP_REACH]
        return sum({min(BUMP_DEG, key=lambda one: abs(one[1] - at))[0] for at in near})
