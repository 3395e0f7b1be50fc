"""An emulated iRobot Create 2, sans-I/O, over a simulated body."""

import math
import struct

from boards.create2 import frames as wire
from boards.create2.driver import Create2Settings
from boards.create2.senses import BUMP_RAD, COUNT_M, MAX_SPEED, WHEEL_BASE, WRAP
from boards.emulator import HOLD_S, CountingEmulator
from boards.mock.driver import MockR2
from boards.mock.noise import eight_uniforms
from boards.proximity import level
from robotd.model.senses import Senses

BANNER = b"bl-start\r\nSTR730\r\nbootloader id: #x47186549 82ECCFFF\r\n2007-05-14-1715-L   \r\n"
SLEEP_S = 300.0  # in Passive without a command
STEP = 0.0285  # m/s: what its speed control resolves
LIGHTS = ("left-side", "left-diagonal", "front-left", "front-right", "right-diagonal", "right-side")
DEGREES = (90, 45, 15, -15, -45, -90)  # of these sensors of the body, which stand for the light bumpers
OPEN_LIGHT, LIGHT_NOISE = 33, 4  # what a light bumper reads with nothing before it, and how much that wavers
SIDEWARD = math.radians(100)  # the bumper reaches round the front half
CURVE = tuple(Create2Settings().light_curve)
STRAIGHT = (-0x8000, 0x7FFF)  # radii of Drive


class Create2Emulator(CountingEmulator):
    """The other end of `boards.create2.driver.Create2`. `cliffs` (packets 9 to 12 that see none of the floor),
    `charger` and `clean` are what the world does to it; `count_at` sets where its encoders begin. Commands are
    swallowed until they are whole, as the robot does."""

    wheel_base, count_m, wrap = WHEEL_BASE, COUNT_M, WRAP
    period_s, boot_s = wire.STREAM_S, 5.0
    free_ma, held_ma = 150, 900

    def __init__(self, body: MockR2, seed: int = 0) -> None:
        super().__init__(body, seed)
        self.charger = self.asleep = False
        self.mode = wire.OFF_MODE
        self.cliffs: set[int] = set()
        self.mode_offset = 0
        self._begun = bytearray()
        self._layout: wire.Layout | None = None
        self._received_at = 0.0
        self._lights = [OPEN_LIGHT] * len(LIGHTS)
        self._songs: set[int] = set()
        self._frames = 0

    def _forget(self, now: float) -> None:
        super()._forget(now)
        self.mode, self.asleep, self._layout = wire.OFF_MODE, False, None
        self._begun.clear()
        self.line.send(now, BANNER)

    def clean(self, now: float) -> None:
        """Somebody presses Clean: it wakes, or leaves its mode."""
        self.asleep = False
        self._received_at = now
        if self.mode != wire.OFF_MODE:
            self._leave(now, wire.PASSIVE_MODE)

    def _take(self, now: float, data: bytes) -> None:
        for byte in data if not self.asleep else b"":
            if not self._begun and byte < wire.START and byte != wire.RESET:
                continue  # no command
            self._begun.append(byte)
            if wire.missing(self._begun) <= 0:
                whole, self._begun = bytes(self._begun), bytearray()
                self._obey(now, whole)
        self._guard(now)

    def _obey(self, now: float, whole: bytes) -> None:
        command, data = whole[0], whole[1:]
        self._received_at = now
        if command == wire.RESET:
            self.reboot(now)
        elif command == wire.START:
            self._leave(now, wire.PASSIVE_MODE)
        elif self.mode == wire.OFF_MODE:
            return
        elif command in (wire.CONTROL, wire.SAFE, wire.FULL):
            self.mode = wire.FULL_MODE if command == wire.FULL else wire.SAFE_MODE
        elif command == wire.STOP_OI:
            self._leave(now, wire.OFF_MODE)
            self._layout = None
        elif command in (133, 134, 135, 136, 143):  # power, the cleaning modes, seek dock
            self._leave(now, wire.PASSIVE_MODE)
        elif command in (wire.DRIVE, wire.DRIVE_DIRECT, wire.DRIVE_PWM):
            if self.mode >= wire.SAFE_MODE:
                self._drive(now, command, data)
        else:
            self._answer(now, command, data)

    def _answer(self, now: float, command: int, data: bytes) -> None:
        if command == wire.STREAM:
            packets = [packet for packet in data[1:] if packet in wire.PACKETS]
            self._layout = wire.Layout(packets) if packets else None
            self._start_reports(now)
        elif command == wire.PAUSE and data == b"\0":
            self._layout = None
        elif command in (wire.SENSORS, wire.QUERY):
            asked = data if command == wire.SENSORS else data[1:]
            values = self._values(now)
            known = [(values[packet], wire.PACKETS[packet]) for packet in asked if packet in wire.PACKETS]
            self.line.send(now, b"".join(struct.pack(f">{code}", value) for value, code in known))
        elif command == wire.SONG:
            self._songs.add(data[0])
        elif command == wire.PLAY and data[0] in self._songs:
            self.body.world.play(self.body.name, now, data[0])

    def _drive(self, now: float, command: int, data: bytes) -> None:
        one, two = (int.from_bytes(part, "big", signed=True) for part in (data[:2], data[2:]))
        if command == wire.DRIVE:
            left, right = _wheels(one, two)
        else:
            share = MAX_SPEED / 255 if command == wire.DRIVE_PWM else 0.001
            left, right = two * share, one * share  # the right one comes first
        left, right = (min(max(speed, -MAX_SPEED), MAX_SPEED) for speed in (left, right))
        if abs(left) < 2 * STEP:
            left = math.copysign(round(abs(left) / STEP) * STEP, left)
        if abs(right) < 2 * STEP:
            right = 0.0  # of two slow wheels one makes a step, the other none
        self.chassis.drive(now, left, right)

    def _leave(self, now: float, mode: int) -> None:
        self.mode = mode
        self.chassis.drive(now, 0.0, 0.0)

    def _guard(self, now: float) -> None:
        """Safe mode ends by itself, and only packet 35 reports it."""
        left, right = self.chassis.commanded
        unsafe = self.chassis.lifted or self.charger or (bool(self.cliffs) and left + right > 0)
        if self.mode == wire.SAFE_MODE and unsafe:
            self._leave(now, wire.PASSIVE_MODE)
        if self.mode == wire.PASSIVE_MODE and now >= self._received_at + SLEEP_S and not self.charger:
            self.asleep = True
            self._layout = None

    def _work(self, now: float) -> None:
        self.chassis.hold(now)
        self._guard(now)
        if self._layout is not None and self._is_due(now):
            values = self._values(now)
            self.line.send(now, self._layout.build([values[packet] for packet in self._layout.packets]))

    def _next_at(self, now: float) -> float | None:
        if self._layout is not None:
            return super()._next_at(now)
        return now + HOLD_S if any(self.chassis.commanded) else None

    # What it senses

    def _values(self, now: float) -> dict[int, int]:
        self._frames += 1
        senses = self.body.senses(now)
        values = dict.fromkeys(wire.PACKETS, 0)
        values.update(dict(zip((wire.LEFT_COUNT, wire.RIGHT_COUNT), self._read_counts(now), strict=True)))
        values.update(dict(zip(wire.LIGHTS, self._read_lights(senses), strict=True)))
        currents, values[wire.OVERCURRENT] = self._motors((wire.OVER_LEFT, wire.OVER_RIGHT))
        values[wire.LEFT_CURRENT], values[wire.RIGHT_CURRENT] = currents
        values.update({packet: int(packet in self.cliffs) for packet in wire.CLIFFS})
        values[wire.BUMPS] = self._bumps(senses)
        values[wire.MODE] = self.mode + self.mode_offset
        values[wire.CHARGING] = 2 if self.charger else 0
        values[wire.VOLTAGE], values[wire.CHARGE], values[wire.CAPACITY] = 15800, 2300, 2696  # a good battery
        return values

    def _bumps(self, senses: Senses) -> int:
        pressed = [bump.bearing for bump in senses.bumps if bump.pressed and abs(bump.bearing) < SIDEWARD]
        left = any(bearing > -BUMP_RAD / 2 for bearing in pressed)
        right = any(bearing < BUMP_RAD / 2 for bearing in pressed)
        drops = wire.DROPS if self.chassis.lifted else 0
        return left * wire.BUMP_LEFT | right * wire.BUMP_RIGHT | drops

    def _read_lights(self, senses: Senses) -> list[int]:
        seen = {round(math.degrees(one.bearing)): one.distance for one in senses.ranges}
        wavers = eight_uniforms(self.body.world.seed, self.body.name, "light bumpers", self._frames)
        for k, name in enumerate(LIGHTS):
            how = self.chassis.how(name)
            if how == "frozen":
                continue
            distance = seen.get(DEGREES[k])
            reads = level(distance, CURVE, OPEN_LIGHT) * (1 + 0.03 * wavers[k]) + LIGHT_NOISE * wavers[k]
            self._lights[k] = 0 if how == "dead" else round(reads)
        return self._lights


def _wheels(speed: int, radius: int) -> tuple[float, float]:
    """Drive's speed (mm/s) and radius (mm, left positive) as wheel speeds, m/s."""
    middle = speed / 1000
    if radius in STRAIGHT:
        return middle, middle
    if abs(radius) <= 1:
        return -middle * radius, middle * radius
    half = middle * WHEEL_BASE / 2 / (radius / 1000)
    return middle - half, middle + half
