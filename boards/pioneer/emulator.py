"""An emulated Pioneer 3-DX with gripper and bumper rings, sans-I/O, over a simulated body."""

import math
from collections.abc import Sequence
from typing import Any

from boards.emulator import Emulator, Gathered, no_faster
from boards.mock import anatomy as r2
from boards.mock.driver import MockR2
from boards.mock.noise import eight_uniforms
from boards.pioneer import frames as wire
from boards.pioneer.driver import PioneerSettings
from robotd.model.senses import Senses

WATCHDOG_S = 2.0
DISTANCE_FACTOR = 1.0  # of the subclass that it names
TOP_SPEED = 1000  # mm/s
SONAR_SENSORS = ("left-side", "left-diagonal", "front-left", "front", "front", "front-right", "right-diagonal",
                 "right-side")  # fmt: skip
DEGREES = (90, 45, 15, 0, 0, -15, -45, -90)  # of these sensors of the body, which stand for the sonars
LEAST_MM, NOTHING_MM = 170, 5000  # what a sonar reads at something nearer, and at nothing
WAVERS = 0.01  # share by which the same distance reads otherwise at the next firing
HULL = {"radius_m": r2.RADIUS, "sonar_deg": DEGREES}  # of the driver's table: what the simulated body is like
RING = PioneerSettings().front_bump_deg, PioneerSettings().rear_bump_deg
AT_END = 0.01  # of a gripper's way


class PioneerEmulator(Emulator):
    """The other end of `boards.pioneer.driver.Pioneer`. `watchdog_s` 0: switched off. `connected` may be set: the
    connection of a host that died. It takes packets as firmware does: the bytes that a packet announces belong to
    it, whatever they are."""

    wheel_base = PioneerSettings().wheel_base_m
    period_s, boot_s = 0.1, 1.0

    def __init__(self, body: MockR2, seed: int = 0) -> None:
        super().__init__(body, seed)
        self.connected = False
        self.watchdog_s = WATCHDOG_S
        self.right_checksum = False  # of its configuration: the firmware of many a P3-DX gets it wrong
        self._gathered = Gathered(wire.HEADER, around=3)
        self._enabled = self._sonars = False
        self._sync = wire.SYNC0
        self._speed = self._turn = 0.0
        self._next = 0
        self._sent = 0  # packets
        self._received_at = 0.0
        self._x = self._y = self._heading = 0.0
        self._ways = (0.0, 0.0)
        self._last_course = (0, 0, 0, 0, 0)

    @classmethod
    def parameters(cls, top_speed: float) -> dict[str, Any]:
        return {**HULL, **no_faster(top_speed)}

    def _forget(self, now: float) -> None:
        self._gathered.clear()
        self._x = self._y = self._heading = 0.0
        self._close(now)

    def _close(self, now: float) -> None:
        """End the connection; the motors stop."""
        self.connected = self._enabled = self._sonars = False
        self._sync = wire.SYNC0
        self._stop(now)

    def _take(self, now: float, data: bytes) -> None:
        for whole in self._gathered.feed(data):
            body = whole[3:-2]
            if whole[2] >= wire.SHORTEST and wire.checksum(body) == int.from_bytes(whole[-2:], "big"):
                self._received_at = now
                self._obey(now, body[0], body[1:])

    def _obey(self, now: float, command: int, data: bytes) -> None:
        if not self.connected:
            self._synchronise(now, command)
            return
        value = wire.argument_of(data)
        number = value if isinstance(value, int) else 0
        if command == wire.CLOSE:
            self._close(now)
        elif command == wire.ENABLE:
            self._enabled = bool(number)
        elif command == wire.SONAR:
            self._sonars = bool(number)
        elif command in (wire.STOP, wire.E_STOP):
            self._stop(now)
        elif command == wire.VEL:
            self._speed = min(max(number, -TOP_SPEED), TOP_SPEED) / 1000
            self._drive(now)
        elif command == wire.RVEL:
            self._turn = math.radians(number)
            self._drive(now)
        elif command == wire.GRIPPER:
            self._grip(now, number)
        elif command == wire.CONFIG:
            self._configure(now)

    def _synchronise(self, now: float, command: int) -> None:
        """The greeting: SYNC0 and SYNC1 are echoed, SYNC2 is answered with names; OPEN ends it."""
        if command == self._sync <= wire.SYNC2:
            names = b"Emulated\0Pioneer\0p3dx-sh\0" if command == wire.SYNC2 else b""
            self.line.send(now, wire.packet(command, names))
            self._sync += 1
        elif command == wire.OPEN and self._sync > wire.SYNC2:
            self.connected = True
            self._start_reports(now)
        elif command == wire.SYNC0:
            self.line.send(now, wire.packet(wire.SYNC0))
            self._sync = wire.SYNC1
        else:
            self.line.send(now, wire.packet(wire.SYNC_ERROR))
            self._sync = wire.SYNC0

    def _stop(self, now: float) -> None:
        self._speed = self._turn = 0.0
        self._drive(now)

    def _drive(self, now: float) -> None:
        half = self._turn * PioneerSettings().wheel_base_m / 2
        enabled = self._enabled and self.chassis.how("motors") != "dead"
        left, right = (self._speed - half, self._speed + half) if enabled else (0.0, 0.0)
        self.chassis.drive(now, left, right)

    def _grip(self, now: float, order: int) -> None:
        gripper = self.chassis.gripper
        wanted = {
            wire.GRIP_OPEN: (1.0, None), wire.GRIP_CLOSE: (0.0, None), wire.GRIP_STOP: (gripper.opening, None),
            wire.LIFT_UP: (None, 1.0), wire.LIFT_DOWN: (None, 0.0), wire.LIFT_STOP: (None, gripper.lift),
            wire.GRIP_STORE: (0.0, 1.0), wire.GRIP_DEPLOY: (1.0, 0.0),
        }.get(order)  # fmt: skip
        if wanted is not None:
            self.chassis.grip(now, *wanted)

    def _configure(self, now: float) -> None:
        gripper = self.chassis.how("gripper") != "absent"
        content = wire.build_configuration(TOP_SPEED, gripper=gripper, watchdog=round(self.watchdog_s * 1000))
        whole = wire.packet(wire.CONFIGURATION, content)
        self.line.send(now, whole if self.right_checksum else whole[:-1] + bytes([whole[-1] ^ 1]))

    def _work(self, now: float) -> None:
        if self.watchdog_s and now >= self._received_at + self.watchdog_s and (self._speed or self._turn):
            self._stop(now)
        self.chassis.hold(now)
        if self.connected and self._is_due(now):
            self.line.send(now, wire.build_sip(self._sip(now)))

    def _next_at(self, now: float) -> float | None:
        return super()._next_at(now) if self.connected else None

    # What it senses

    def _sip(self, now: float) -> wire.Sip:
        self._sent += 1
        senses = self.body.senses(now)
        x, y, heading, left, right = self._course(now)
        on = self._enabled and self.chassis.how("motors") != "dead"
        flags = on * wire.MOTORS_ON | self._sonars * wire.SONARS_ON
        place = bool(left or right), x, y, heading, left, right
        return wire.Sip(*place, 125, self._stall(senses), flags, self._sonar(senses), self._gripper())

    def _course(self, now: float) -> tuple[int, int, int, int, int]:
        """x, y and heading in counts, wheel speeds in mm/s; as ever where its encoders are frozen."""
        ways, before = self.chassis.ways(now), self._ways
        self._ways = ways
        left, right = ways[0] - before[0], ways[1] - before[1]
        way, turn = (left + right) / 2, (right - left) / PioneerSettings().wheel_base_m
        self._x += way * math.cos(self._heading + turn / 2)
        self._y += way * math.sin(self._heading + turn / 2)
        self._heading += turn
        if self.chassis.how("wheels") in ("dead", "frozen"):
            return self._last_course
        heading = round(self._heading * wire.TURN / (2 * math.pi)) % wire.TURN
        x, y = (round(metres * 1000 / DISTANCE_FACTOR) % wire.COUNTER for metres in (self._x, self._y))
        speeds = [round(speed * 1000) for speed in self.chassis.speeds()]
        self._last_course = x, y, heading, speeds[0], speeds[1]
        return self._last_course

    def _stall(self, senses: Senses) -> int:
        stalls = 0x0101 if senses.stalled else 0
        pressed = [math.degrees(bump.bearing) for bump in senses.bumps if bump.pressed]
        front, rear = (sum(_near(at, pressed) << k for k, at in enumerate(ring)) for ring in RING)
        return stalls | front << 9 | rear << 1

    def _sonar(self, senses: Senses) -> tuple[tuple[int, int], ...]:
        """Every other sonar, each half twice running: all have fired after three packets. A dead one is mute,
        and all are while they are switched off."""
        if not self._sonars:
            return ()
        seen = {round(math.degrees(one.bearing)): one.distance for one in senses.ranges}
        wavers = eight_uniforms(self.body.world.seed, self.body.name, "sonars", self._sent)
        found = []
        for k in range((self._sent + 1) // 2 % 2, len(DEGREES), 2):
            if self.chassis.how(SONAR_SENSORS[k]) not in ("dead", "absent"):
                distance = seen.get(DEGREES[k])
                reads = NOTHING_MM if distance is None else distance * 1000 * (1 + WAVERS * wavers[k])
                found.append((k, max(round(reads), LEAST_MM)))
        return tuple(found)

    def _gripper(self) -> int:
        gripper = self.chassis.gripper
        beam = self.chassis.beam
        held = gripper.held is not None
        lift, paddles = gripper.lift != gripper.want_lift, gripper.opening != gripper.want_opening
        bits = {
            wire.NOT_OPEN: gripper.opening < 1 - AT_END, wire.NOT_AT_LIMIT: AT_END < gripper.lift < 1 - AT_END,
            wire.OUTER_BEAM: beam, wire.INNER_BEAM: beam, wire.LEFT_FREE: not held, wire.RIGHT_FREE: not held,
            wire.LIFT_MOVES: gripper.moving and lift, wire.PADDLES_MOVE: gripper.moving and not held and paddles,
        }  # fmt: skip
        return sum(bit for bit, on in bits.items() if on)


def _near(at: float, pressed: Sequence[float]) -> bool:
    """Whether one of these bearings is within 20 degrees of `at`, degrees."""
    return any(abs((at - one + 180) % 360 - 180) <= 20 for one in pressed)
