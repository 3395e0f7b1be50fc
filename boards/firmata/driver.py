"""An Arduino with a Firmata sketch: a home-made robot whose motors, sensors and gripper hang on its pins.

What stops the wheels when this computer dies: with StandardFirmata nothing, it keeps every pin as it is. With the
sketch in packaging/firmata the wheels stop 0.5 s after the last drive.
"""

import math
from collections import Counter
from collections.abc import Iterator

from boards.driver import Driver
from boards.firmata import frames as wire
from boards.firmata.pins import FirmataSettings, MotorPins, built, lacking, uses
from boards.firmata.senses import Inputs
from robotd.model.command import Command
from robotd.model.serial import LineSettings

TRIES = 3  # of a question before it is reported; a board may boot for two seconds
LOOK_S = 0.1  # between two looks at the motors' pins: they show that the board is alive and knows its pins
AGAIN_S = 1.0  # the gripper is sent again where it was sent, in case that was lost
ASKED = 8  # pins with each look that are not sure to be set up: a board buffers 64 bytes each way
LOST = 2  # answers in a row that report another mode: one may be damaged
REMIND_S = 0.5  # between two times that silent channels are asked to report
SAMPLING_MS = 50  # of analogue values: a Sharp sensor measures every 40 ms
FULL_DUTY = 255
OLDEST = (2, 5)  # protocol: older ones cannot set a single pin
GREET, EXPLORE, WORK = "greet", "explore", "work"  # steps of the connection


class Firmata(Driver):
    """The driver of one robot; its readings are stale after five answers. A drive that holds is repeated at 5 Hz:
    a sketch that stops by itself waits 0.5 s."""

    Settings = FirmataSettings
    emulator = "boards.firmata.emulator:FirmataEmulator"
    when_computer_dies = "nothing with StandardFirmata; the sketch in packaging/firmata stops after 0.5 s"
    halt = bytes([wire.END_SYSEX, wire.RESET])  # of a board without motors
    stale_s, repeat_s = 0.5, 0.2
    ask_s, seldom_s = 0.3, 0.6
    restarted = "the board has restarted"
    silent = "the board reports nothing: its motors are out of control until it does"

    def __init__(self, settings: FirmataSettings) -> None:
        super().__init__(LineSettings(settings.baud, silence_s=settings.silence_s), wire.MessageParser())
        self._settings = settings
        self._motors = settings.left, settings.right
        self._driving = {pin for pin, _, resource in uses(settings) if resource == "mobile"}
        self._inputs = Inputs(settings)
        self.built = frozenset(built(settings))
        self.stop = b"".join(wire.analogue(motor.pwm, 0) for motor in self._motors)
        self.halt = bytes([wire.END_SYSEX]) + self.stop + bytes([wire.RESET])
        self.reset()

    def reset(self) -> None:
        super().reset()
        self._step = GREET
        self.firmware = ""  # the sketch's name and version, once reported
        self._old = ""  # its protocol, if that is too old
        self._pins: list[dict[int, int]] = []
        self._channels: tuple[int, ...] = ()
        self._lacking: dict[str, str] = {}
        self._looked = -math.inf
        self._prepared = False  # the pins were sent their modes
        self._wanted: dict[int, int] = {}  # of the pins that the board has: the mode that each has to report
        self._turn = 0  # whose turn it is of them to be asked, where not all are
        self._doubts: Counter[int] = Counter()  # by pin: answers in a row by which it has lost its mode
        self._reminded = -math.inf  # when silent channels were asked for anew
        self._duties: dict[int, int] = {}  # of the motors' pins, as reported
        self._gripped = -math.inf
        self._attached = False  # the servo is switched on
        self._inputs.clear()

    @property
    def ready(self) -> bool:
        """The board has reported since `connect` that the motors' pins are set up, or that they cannot be."""
        return self._step == WORK and ("mobile" in self._lacking or self._driving <= self._inputs.modes.keys())

    def _take(self, now: float, frame: wire.Message) -> None:
        if self._greeting.asked is None:
            return  # of the connection before, or of a board that was not asked
        if frame.kind != wire.SYSEX:
            if self._step == WORK:  # a report proves no life: garbage without a checksum looks like one
                self._inputs.take(now, frame, moves=any(self._duties.values()))
        elif frame.index == wire.FIRMWARE and len(frame.data) >= 2:
            self._greeted(now, frame.data)
        elif self._step == EXPLORE and frame.index in (wire.CAPABILITIES, wire.MAPPING):
            self._explored(now, frame)
        elif self._step == WORK and frame.index == wire.STATE and len(frame.data) >= 3:
            self._see(now, frame.data[0], frame.data[1], wire.joined(frame.data[2:]))

    def _greeted(self, now: float, data: bytes) -> None:
        """Its name: the answer of the greeting. Unasked, in the midst of work: it has restarted."""
        name = f"{wire.words_of(data[2:])} {data[0]}.{data[1]}"
        asked = self._greeting.asked
        if self._step == WORK:
            late_s = max(self.seldom_s, self._greeting.timeout_s)  # an answer to the greeting may come so late
            if self.ready and name == self.firmware and asked is not None and now > asked + late_s:
                self._restart(now)
        elif self._step == GREET:
            self.firmware = name
            self._old = f"{data[0]}.{data[1]}" if not OLDEST <= (data[0], data[1]) < (OLDEST[0] + 1, 0) else ""
            if not self._old:
                self._greeting.answer(now)
                self._step = EXPLORE
                self._greeting.reset(-math.inf)  # ask at once

    def _explored(self, now: float, message: wire.Message) -> None:
        try:
            if message.index == wire.CAPABILITIES:
                self._pins = wire.capabilities_of(message.data)
            else:
                self._channels = tuple(message.data)
        except ValueError:
            self._counts["capabilities"] += 1
        if not self._pins or not self._channels:
            return
        self._lacking = lacking(self._settings, self._pins, self._channels)
        if self._lacking and self._greeting.tries < TRIES:  # a damaged answer looks the same: nothing proves it
            self._pins, self._channels = [], ()
            return
        modes = ((pin, mode) for pin, mode, _ in uses(self._settings) if mode != wire.SERVO)
        self._wanted = {pin: mode for pin, mode in modes if pin < len(self._pins) and mode in self._pins[pin]}
        self._step = WORK
        self._greeting.answer(now)
        self._greeting.reset(now)
        self._inputs.at, self._reading = now, self._inputs

    def _see(self, now: float, pin: int, mode: int, value: int) -> None:
        """The state of a pin: that both motors' have lost their mode, reported twice running, is a restart."""
        motors = [motor.pwm for motor in self._motors]
        if pin not in motors and pin not in self._wanted:
            return
        self._inputs.at = now
        if mode != self._wanted.get(pin, mode):
            self._doubt(pin)
            if all(self._doubts[one] >= LOST for one in motors):
                self._restart(now)
            return
        self._doubts[pin] = 0
        self._inputs.modes[pin] = mode
        if pin in motors:
            self._duties[pin] = value
        if len(self._duties) == len(self._motors) and not any(self._duties.values()):
            self._latch.at_rest()

    def _doubt(self, pin: int) -> None:
        """It reported another mode than it needs; where it had reported that before, it is set up again."""
        self._doubts[pin] += pin in self._inputs.modes or self._doubts[pin] > 0
        if self._doubts[pin] >= LOST:
            self._inputs.modes.pop(pin, None)

    def _restart(self, now: float) -> None:
        """Greet it again; stops are sent meanwhile if wheels were commanded to turn: it may not have restarted."""
        latch = self._latch
        super()._restart(now)
        self._latch = latch
        latch.clear()
        self._greeting.reset(-math.inf)

    def _converse(self, now: float) -> Iterator[bytes]:
        """The greeting's questions; then pins set up, and looks at them."""
        if self._step != WORK:
            yield from (part for part in super()._converse(now) if isinstance(part, bytes))
        elif now >= self._looked + LOOK_S:
            yield self._set_up(now)
            self._looked = now
            yield b"".join(wire.sysex(wire.STATE_QUERY, bytes([pin])) for pin in self._asked_pins())
            # A port is reported when it changes: asked for anew it is reported now, so no damaged report stays.
            yield b"".join(wire.report_digital(port) for port in self._inputs.ports)

    def _greet(self, now: float) -> bytes:
        self._greeting.ask(now)
        if self._step == GREET:
            return bytes([wire.VERSION]) + wire.sysex(wire.FIRMWARE)
        return wire.sysex(wire.CAPABILITY_QUERY) + wire.sysex(wire.MAPPING_QUERY)

    def _ask_at(self, now: float) -> float:
        return self._looked + LOOK_S if self._step == WORK else self._greeting.due_at

    def _set_up(self, now: float) -> bytes:
        """Modes and reports that are not known to have come; the servo is left limp until it is first sent. A pin
        that is set up goes low: where that is one that drives, the wheels are stopped before, not reversed."""
        lacks = [pin for pin in self._wanted if pin not in self._inputs.modes]
        sent = b""
        if self._prepared and self._latch.may_be_moving and self._driving.intersection(lacks):
            self._latch.clear()
            sent = self.stop
        silent = self._inputs.silent(now) if now >= self._reminded + REMIND_S else []
        if not self._prepared or silent:
            sent += wire.sampling(SAMPLING_MS)
            self._reminded = now
        sent += b"".join(wire.pin_mode(pin, self._wanted[pin]) for pin in lacks)
        self._prepared = True
        return sent + b"".join(wire.report_analogue(channel) for channel in silent)

    def _asked_pins(self) -> list[int]:
        """Whose state is asked for: the motors', those that are not sure to be set up, and one that is."""
        pins = [motor.pwm for motor in self._motors]
        others = [pin for pin in self._wanted if pin not in pins]
        lacks = [pin for pin in others if pin not in self._inputs.modes or self._doubts[pin]]
        known = [pin for pin in others if pin not in lacks]
        if len(lacks) > ASKED:
            start = self._turn % len(lacks)
            lacks = (lacks[start:] + lacks[:start])[:ASKED]
        if known:
            lacks.append(known[self._turn % len(known)])
        self._turn += 1
        return pins + lacks

    def _drive(self, now: float, command: Command) -> bytes:
        self._latch.sent(now, command.left, command.right)
        sent = self._wheel(self._settings.left, command.left) + self._wheel(self._settings.right, command.right)
        return sent + self._grip(now, command.opening)

    def _wheel(self, motor: MotorPins, speed: float) -> bytes:
        least, top = self._settings.least_duty, self._settings.max_speed_m_s
        duty = round(least + (FULL_DUTY - least) * abs(speed) / top) if abs(speed) > top / FULL_DUTY else 0
        forward = (speed > 0) != motor.reversed
        sent = b""
        if duty:
            sent = wire.pin_value(motor.direction, high=forward)
            if motor.opposite is not None:
                sent += wire.pin_value(motor.opposite, high=not forward)
        return sent + wire.analogue(motor.pwm, min(duty, FULL_DUTY))

    def _grip(self, now: float, opening: float | None) -> bytes:
        servo, pin = self._inputs.servo, self._settings.gripper
        if servo is None or pin is None or opening is None or math.isnan(opening):
            return b""
        wanted = min(max(opening, 0.0), 1.0)
        if wanted == servo.wanted and now < self._gripped + AGAIN_S:
            return b""
        servo.send(now, wanted)
        self._gripped = now
        sent = b""
        if not self._attached:
            self._attached = True
            sent = wire.servo_config(pin.pin, pin.shortest_us, pin.longest_us) + wire.pin_mode(pin.pin, wire.SERVO)
        return sent + wire.analogue(pin.pin, servo.degrees)

    def _size(self) -> tuple[float, float, float]:
        return self._settings.max_speed_m_s, self._settings.wheel_base_m, self._settings.radius_m

    def _lost(self, now: float) -> dict[str, str]:
        lost = {**self._inputs.missing(now), **self._lacking}
        return {name: words for name, words in lost.items() if name in self.built}

    def _trouble(self, now: float) -> str:
        if now >= self._settled and self._old:
            return f"the sketch speaks Firmata {self._old}: it takes {OLDEST[0]}.{OLDEST[1]} or a newer 2.x"
        return super()._trouble(now)

    @property
    def unanswered(self) -> str:  # type: ignore[override]
        """Why it is not ready, by how far the greeting has come."""
        if self._step == GREET and self._greeting.tries <= TRIES:
            return "the board has not answered yet"
        if self._step == WORK:
            return "the motors' pins have not reported that they are set up"
        return "the board has not answered: is a Firmata sketch on it, and are cable and baud rate right?"
