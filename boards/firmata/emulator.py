"""An emulated Arduino Uno with StandardFirmata, wired into a simulated body; sans-I/O."""

import math
from collections.abc import Mapping
from typing import Any

from boards.emulator import HOLD_S, Emulator
from boards.firmata import frames as wire
from boards.firmata.pins import FirmataSettings, MotorPins
from boards.mock import anatomy as r2
from boards.mock.driver import MockR2
from boards.mock.noise import eight_uniforms
from boards.proximity import level

SAMPLING_MS = 19  # as it is switched on
NAME = "StandardFirmata.ino"
SYSEX_BYTES = 64  # that it keeps of one
PINS, FIRST_ANALOGUE = 20, 14
PWM_PINS = (3, 5, 6, 9, 10, 11)
NO_LIGHT, NOISE = 20, 3  # what an infrared sensor reads with nothing before it, and how much that wavers

WIRING: Mapping[str, Any] = {
    "max_speed_m_s": r2.MAX_SPEED, "wheel_base_m": r2.WHEEL_BASE, "radius_m": r2.RADIUS,
    "left": {"pwm": 5, "direction": 4},
    "right": {"pwm": 6, "direction": 7, "opposite": 8, "reversed": True},
    "infrared": [{"channel": k, "bearing_deg": degrees} for k, degrees in enumerate((90, 45, 0, -45, -90))],
    "bumpers": [
        {"pin": 2, "bearing_deg": 40}, {"pin": 11, "bearing_deg": 0}, {"pin": 12, "bearing_deg": -40},
        {"pin": 13, "bearing_deg": 180, "to_ground": False},
    ],
    "gripper": {"pin": 9, "open_deg": 120, "shut_deg": 30, "beam_pin": 3},
}  # fmt: skip
"""The table of a robot file for the robot that is emulated."""
RANGES = ("left-side", "left-diagonal", "front", "right-diagonal", "right-side")  # of the body, for the channels
AT_ITS = {40: (15, 100), 0: (-15, 15), -40: (-100, -15), 180: (100, 260)}  # degrees that press a switch


def abilities(pin: int) -> dict[int, int]:
    """The modes that a pin of an Uno has, and their bits; 0 and 1 are the line's."""
    if pin < 2:
        return {}
    modes = {wire.INPUT: 1, wire.PULLUP: 1, wire.OUTPUT: 1, wire.SERVO: 14}
    if pin in PWM_PINS:
        modes[wire.PWM] = 8
    if pin >= FIRST_ANALOGUE:
        modes[wire.ANALOGUE_INPUT] = 10
    return modes


class FirmataEmulator(Emulator):
    """The other end of `boards.firmata.driver.Firmata`. `dead_man_s`: the wheels stop so long after the last
    drive, as with the sketch in packaging/firmata; None: never, as with StandardFirmata. A sysex that is cut
    swallows what follows, commands too, as there. `quiet`: it sends nothing at its start, as with native USB."""

    boot_s = 1.6  # of the boot loader

    def __init__(self, body: MockR2, seed: int = 0) -> None:
        super().__init__(body, seed)
        self.wiring = FirmataSettings(**WIRING)
        self.quiet = False
        self.dead_man_s: float | None = None
        self.protocol = (2, 5)
        self._sent = 0
        self._reset()

    @classmethod
    def parameters(cls, top_speed: float) -> dict[str, Any]:
        return dict(WIRING)

    def _reset(self) -> None:
        """Every pin as it is switched on, and nothing reported."""
        analogue = range(FIRST_ANALOGUE, PINS)
        self.modes = {pin: wire.ANALOGUE_INPUT if pin in analogue else wire.OUTPUT for pin in range(PINS)}
        self.values = dict.fromkeys(range(PINS), 0)
        self._reported: set[int] = set()  # channels
        self._ports: dict[int, int | None] = {}  # reported ones, and what they reported last
        self.period_s = SAMPLING_MS / 1000
        self._next = 0
        self._begun = bytearray()
        self._drove = -math.inf

    def _forget(self, now: float) -> None:
        self._reset()
        self._turn(now)

    def _take(self, now: float, data: bytes) -> None:
        for byte in data:
            self._byte(now, byte)

    def _byte(self, now: float, byte: int) -> None:
        begun = self._begun
        if begun[:1] == bytes([wire.SYSEX]):
            if byte == wire.END_SYSEX:
                kind, content = begun[1:2], bytes(begun[2:])
                begun.clear()
                if kind:
                    self._answer(now, kind[0], content)
            elif len(begun) <= SYSEX_BYTES:
                begun.append(byte)
        elif byte >= 0x80:
            if byte == wire.RESET:
                self._forget(now)
            elif byte != wire.END_SYSEX:
                begun[:] = bytes([byte])
                self._whole(now)
        elif begun:
            begun.append(byte)
            self._whole(now)

    def _whole(self, now: float) -> None:
        """Do what was begun, once it is complete; version and reset take no data."""
        first = self._begun[0]
        command = first if first >= wire.SYSEX else first & 0xF0
        wants = {**wire.DATA_BYTES, wire.VERSION: 0}.get(command)
        if command == wire.SYSEX or wants is None or len(self._begun) <= wants:
            return
        data = bytes(self._begun[1:])
        self._begun.clear()
        if command == wire.VERSION:
            self._send(now, bytes([wire.VERSION, *self.protocol]))
        elif command == wire.PIN_MODE:
            self._set_mode(now, *data)
        elif command == wire.PIN_VALUE and self.modes.get(data[0]) == wire.OUTPUT:
            self.values[data[0]] = data[1] & 1
            self._turn(now)
        elif command == wire.ANALOGUE:
            self._write(now, first & 0x0F, wire.number(*data))
        elif command == wire.REPORT_ANALOGUE:
            (self._reported.add if data[0] else self._reported.discard)(first & 0x0F)
        elif command == wire.REPORT_DIGITAL:
            self._ports.pop(first & 0x0F, None)
            if data[0]:
                self._ports[first & 0x0F] = None

    def _set_mode(self, now: float, pin: int, mode: int) -> None:
        if mode in abilities(pin):
            self.modes[pin], self.values[pin] = mode, 0
            self._turn(now)

    def _write(self, now: float, pin: int, value: int) -> None:
        mode = self.modes.get(pin)
        if mode == wire.SERVO and pin == self._gripper_pin:
            self.values[pin] = value
            grip = self.wiring.gripper
            assert grip is not None
            self.chassis.grip(now, (value - grip.shut_deg) / (grip.open_deg - grip.shut_deg), 0.0)
        elif mode == wire.PWM:
            self.values[pin], self._drove = min(value, 255), now
            self._turn(now)

    @property
    def _gripper_pin(self) -> int:
        return self.wiring.gripper.pin if self.wiring.gripper is not None else -1

    def _turn(self, now: float) -> None:
        self.chassis.drive(now, self._speed(self.wiring.left), self._speed(self.wiring.right))

    def _speed(self, motor: MotorPins) -> float:
        least, duty = self.wiring.least_duty, self.values[motor.pwm]
        if self.modes[motor.pwm] != wire.PWM or duty <= least:
            return 0.0
        forward, back = self.values[motor.direction], 1 - self.values[motor.direction]
        if motor.opposite is not None:
            back = self.values[motor.opposite]
        way = (forward - back) * (-1 if motor.reversed else 1)
        return way * self.wiring.max_speed_m_s * (duty - least) / (255 - least)

    def _answer(self, now: float, kind: int, data: bytes) -> None:
        if kind == wire.FIRMWARE:
            self._introduce(now)
        elif kind == wire.CAPABILITY_QUERY:
            modes = (sorted(abilities(pin).items()) for pin in range(PINS))
            content = b"".join(bytes(part for item in own for part in item) + b"\x7f" for own in modes)
            self._send(now, wire.sysex(wire.CAPABILITIES, content))
        elif kind == wire.MAPPING_QUERY:
            channels = [pin - FIRST_ANALOGUE if pin >= FIRST_ANALOGUE else 0x7F for pin in range(PINS)]
            self._send(now, wire.sysex(wire.MAPPING, bytes(channels)))
        elif kind == wire.STATE_QUERY and data and data[0] < PINS:
            self._send(now, wire.state(data[0], self.modes[data[0]], self.values[data[0]]))
        elif kind == wire.EXTENDED_ANALOGUE and len(data) > 1:
            self._write(now, data[0], wire.joined(data[1:]))
        elif kind == wire.SAMPLING and len(data) == 2:
            self.period_s = max(wire.number(*data), 1) / 1000
            self._start_reports(now)

    def _introduce(self, now: float) -> None:
        self._send(now, wire.text(wire.FIRMWARE, bytes(self.protocol), NAME))

    def _send(self, now: float, message: bytes) -> None:
        self.line.send(now, message)

    def _work(self, now: float) -> None:
        if now < self._boots_until:
            return
        if self._boots_until > 0:
            self._boots_until = -math.inf
            if not self.quiet:
                self._send(now, bytes([wire.VERSION, *self.protocol]))
                self._introduce(now)
        if self.dead_man_s is not None and now >= self._drove + self.dead_man_s:
            self._still(now)
        self.chassis.hold(now)
        self._report(now)

    def _still(self, now: float) -> None:
        """The sketch's dead-man: both duties go to zero."""
        pins = self.wiring.left.pwm, self.wiring.right.pwm
        if any(self.values[pin] for pin in pins):
            self.values.update(dict.fromkeys(pins, 0))
            self._turn(now)

    def _report(self, now: float) -> None:
        for port, last in self._ports.items():
            bits = self._bits(now, port)
            if bits != last:
                self._ports[port] = bits
                self._send(now, wire.port(port, bits))
        if self._reported and self._is_due(now):
            readings = self._read(now)
            for channel in sorted(self._reported & readings.keys()):
                self._send(now, wire.analogue(channel, readings[channel]))

    def _next_at(self, now: float) -> float | None:
        if now < self._boots_until:
            return self._boots_until
        soon = now + HOLD_S / 10 if self._ports or any(self.chassis.commanded) else None
        sampling = super()._next_at(now) if self._reported else None
        return min((max(now, at) for at in (soon, sampling) if at is not None), default=None)

    def _bits(self, now: float, port: int) -> int:
        """The inputs of a port; a switch to ground is high until it is pressed, a beam low when it is broken."""
        pressed = [math.degrees(bump.bearing) % 360 for bump in self.body.senses(now).bumps if bump.pressed]
        levels: dict[int, bool] = {}
        for switch in self.wiring.bumpers:
            low, high = AT_ITS[round(switch.bearing_deg)]
            down = any(low <= at <= high or low <= at - 360 <= high for at in pressed)
            levels[switch.pin] = down != switch.to_ground
        grip = self.wiring.gripper
        if grip is not None and grip.beam_pin is not None:
            levels[grip.beam_pin] = self.chassis.beam != grip.beam_low
        own = (pin for pin in levels if pin // 8 == port and self.modes[pin] in (wire.INPUT, wire.PULLUP))
        return sum(levels[pin] << pin % 8 for pin in own)

    def _read(self, now: float) -> dict[int, int]:
        """What each channel reads; a dead sensor nothing, a frozen one as ever."""
        self._sent += 1
        seen = {one.bearing: one.distance for one in self.body.senses(now).ranges}
        wavers = eight_uniforms(self.body.world.seed, self.body.name, "sharp sensors", self._sent)
        for k, sensor in enumerate(self.wiring.infrared):
            how = self.chassis.how(RANGES[k])
            if how != "frozen":
                near = seen.get(math.radians(sensor.bearing_deg))
                reads = level(near, sensor.curve, NO_LIGHT) + NOISE * wavers[k]
                self.values[FIRST_ANALOGUE + k] = 0 if how == "dead" else round(reads)
        return {k: self.values[FIRST_ANALOGUE + k] for k in range(len(self.wiring.infrared))}
