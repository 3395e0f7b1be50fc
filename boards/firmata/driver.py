"""An Arduino with a Firmata sketch: a home-made robot whose motors, sensors and gripper hang on its pins.

What stops the wheels when this computer dies: with StandardFirmata nothing, it keeps every pin as it is. With the
sketch in packaging/firmata the wheels stop 0.5 s after the last drive.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from boards.firmata import frames as wire
from boards.firmata.pins import FirmataSettings, MotorPins, built, lacking, uses
from boards.firmata.senses import Inputs
from boards.held import Held, granted
from boards.readings import felt
from robotd.model.command import Command
from robotd.model.senses import Capabilities, Senses
from robotd.model.serial import LineSettings, SetLine

STALE_S = 0.5  # five answers missing: what was said is no longer so
ASK_S, SELDOM_S = 0.3, 0.6  # between two questions of the greeting: at first, and once several were in vain
TRIES = 3  # of a question before people are told; a board may boot for two seconds
LOOK_S = 0.1  # between two looks at the motors' pins: what they tell is that the board lives and knows its pins
REPEAT_S = 0.2  # a drive that holds is said again after: a sketch that stops by itself waits 0.5 s
AGAIN_S = 1.0  # the gripper is told again where it was sent, in case that was lost
SETTLE_S = 0.3  # after a restart of the board nothing is driven, so that nobody misses it
ASKED = 8  # pins with each look that are not sure to be set up: a board keeps 64 bytes of what it hears and says
LOST = 2  # answers in a row that tell another mode: one may be damaged
REMIND_S = 0.5  # between two times that silent channels are asked to report
SAMPLING_MS = 50  # of analogue values: a Sharp sensor measures every 40 ms
FULL_DUTY = 255
OLDEST = (2, 5)  # protocol: older ones cannot set a single pin
GREET, EXPLORE, WORK = "greet", "explore", "work"  # steps of the connection


class Firmata:
    """`SerialDevice` and `Board` of one robot. All times are the loop's clock, s."""

    Settings = FirmataSettings
    needs_port = True
    when_computer_dies = "nothing with StandardFirmata; the sketch in packaging/firmata stops after 0.5 s"

    def __init__(self, settings: FirmataSettings) -> None:
        self.line = LineSettings(settings.baud, silence_s=settings.silence_s)
        self.wake_at: float | None = None
        self.reboots = 0  # of the board, noticed while connected
        self._settings = settings
        self._motors = settings.left, settings.right
        self._drives = {pin for pin, _, resource in uses(settings) if resource == "mobile"}
        self._splitter = wire.Splitter()
        self._counts: Counter[str] = Counter()
        self._inputs = Inputs(settings)
        self._built = built(settings)
        self._settled = 0.0
        self._known: tuple[object, Capabilities] = (None, Capabilities())
        self._held = Held()
        self._void()

    def _void(self) -> None:
        """Forget all that was to be said, and that the board had answered."""
        self._step = GREET
        self.firmware = ""  # the sketch's name and version, once told
        self._old = ""  # its protocol, if that is too old
        self._asked: float | None = None  # when the greeting's last question was said
        self._asks = 0
        self._pins: list[dict[int, int]] = []
        self._channels: tuple[int, ...] = ()
        self._lacking: dict[str, str] = {}
        self._looked = -math.inf
        self._prepared = False  # the pins were told their modes
        self._wanted: dict[int, int] = {}  # the mode of each pin that has to tell it, of those that the board has
        self._turn = 0  # whose turn it is of them to be asked, where not all are
        self._doubts: Counter[int] = Counter()  # by pin: answers in a row by which it has lost its mode
        self._reminded = -math.inf  # when silent channels were asked for anew
        self._duties: dict[int, int] = {}  # of the motors' pins, as told
        self._driven = -math.inf
        self._gripped = -math.inf
        self._attached = False  # the servo is switched on
        self._inputs.clear()

    @property
    def halt(self) -> bytes:
        """Stops the motors whatever was cut half-way before: see docs/boards.md."""
        return bytes([wire.END_SYSEX]) + self._still() + bytes([wire.RESET])

    def _still(self) -> bytes:
        return b"".join(wire.analogue(motor.pwm, 0) for motor in self._motors)

    @property
    def counts(self) -> dict[str, int]:
        """What was refused since the start, by reason."""
        return dict(self._splitter.counts + self._counts)

    @property
    def ready(self) -> bool:
        """The board has told since `connect` that the motors' pins are set up, or that they cannot be."""
        return self._step == WORK and ("mobile" in self._lacking or self._drives <= self._inputs.modes.keys())

    # SerialDevice

    def connect(self, now: float) -> None:
        """Ask the board what it is; its pins are told nothing until there is a new command."""
        self._splitter.reset()
        self._held = Held()  # a port's first word is the halt
        self._void()
        self.wake_at = now

    def receive(self, now: float, data: bytes) -> None:
        """Take what came; a damaged message costs that message, or what one value is worth."""
        for message in self._splitter.feed(data):
            if self._asked is None:
                continue  # of the connection before, or of a board that nobody has asked
            if message.kind == wire.SYSEX:
                self._take(now, message)
            elif self._step == WORK:  # a report proves no life: garbage without a checksum looks like one
                self._inputs.take(now, message, moves=self._moves())
        self._plan(now)

    def _take(self, now: float, message: wire.Message) -> None:
        if message.index == wire.FIRMWARE and len(message.data) >= 2:
            self._greeted(now, message.data)
        elif self._step == EXPLORE and message.index in (wire.CAPABILITIES, wire.MAPPING):
            self._explored(now, message)
        elif self._step == WORK and message.index == wire.STATE and len(message.data) >= 3:
            self._seen(now, message.data[0], message.data[1], wire.joined(message.data[2:]))

    def _greeted(self, now: float, data: bytes) -> None:
        """Its name: the answer of the greeting. Unasked, in the midst of work: it has begun anew."""
        name = f"{wire.words_of(data[2:])} {data[0]}.{data[1]}"
        if self._step == WORK:
            if self.ready and name == self.firmware and self._asked is not None and now > self._asked + SELDOM_S:
                self._restarted(now)
        elif self._step == GREET:
            self.firmware = name
            self._old = f"{data[0]}.{data[1]}" if not OLDEST <= (data[0], data[1]) < (OLDEST[0] + 1, 0) else ""
            if not self._old:
                self._go(EXPLORE)

    def _go(self, step: str) -> None:
        self._step, self._asks = step, 0
        self._asked = -math.inf  # ask at once

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
        if self._lacking and self._asks < TRIES:  # a damaged answer looks the same: nothing proves it
            self._pins, self._channels = [], ()
            return
        self._wanted = {
            pin: mode
            for pin, mode, _ in uses(self._settings)
            if mode != wire.SERVO and pin < len(self._pins) and mode in self._pins[pin]
        }
        self._go(WORK)
        self._asked = self._inputs.at = now

    def _seen(self, now: float, pin: int, mode: int, value: int) -> None:
        """The state of a pin: that both motors' have lost their mode, told twice running, is a restart."""
        motors = [motor.pwm for motor in self._motors]
        if pin not in motors and pin not in self._wanted:
            return
        self._inputs.at = now
        if mode != self._wanted.get(pin, mode):
            self._doubt(pin)
            if all(self._doubts[one] >= LOST for one in motors):
                self._restarted(now)
            return
        self._doubts[pin] = 0
        self._inputs.modes[pin] = mode
        if pin in motors:
            self._duties[pin] = value
        if len(self._duties) == len(self._motors) and not any(self._duties.values()):
            self._held.stands()

    def _doubt(self, pin: int) -> None:
        """It told another mode than it needs; where it had told that before, it is set up again."""
        self._doubts[pin] += pin in self._inputs.modes or self._doubts[pin] > 0
        if self._doubts[pin] >= LOST:
            self._inputs.modes.pop(pin, None)

    def _restarted(self, now: float) -> None:
        """Greet it again; stops are said meanwhile if wheels were told to turn: it may not have begun anew."""
        self.reboots += 1
        self._held.void()
        self._void()
        self._asked = -math.inf
        self._settled = now + SETTLE_S

    def transmit(self, now: float) -> Sequence[bytes | SetLine]:
        """The greeting's questions; then pins set up, the newest command or a stop, and looks at the pins."""
        self._held.expire(now)
        said = b""
        if self._step != WORK:
            if self._held.stop_due(now):
                said = self._still()
            if now >= self._ask_at():
                said += self._ask(now)
        else:
            said = self._work(now)
        self._plan(now)
        return [said] if said else []

    def _ask(self, now: float) -> bytes:
        self._asked, self._asks = now, self._asks + 1
        if self._step == GREET:
            return bytes([wire.VERSION]) + wire.sysex(wire.FIRMWARE)
        return wire.sysex(wire.CAPABILITY_QUERY) + wire.sysex(wire.MAPPING_QUERY)

    def _ask_at(self) -> float:
        if self._asked is None:
            return -math.inf
        return self._asked + (min(ASK_S * 2.0 ** min(self._asks - 1, 10), SELDOM_S) if self._asks else 0.0)

    def _work(self, now: float) -> bytes:
        said = self._set_up(now) if now >= self._looked + LOOK_S else b""
        command = self._held.command
        if command is not None and (self._held.unsent or now >= self._driven + REPEAT_S):
            self._driven = now
            said += self._drive(now, command)
        elif self._held.stop_due(now):
            said += self._still()
        if now >= self._looked + LOOK_S:
            self._looked = now
            said += b"".join(wire.sysex(wire.STATE_QUERY, bytes([pin])) for pin in self._asked_pins())
            # A port is told when it changes: asked for anew it is told now, so that no damaged report stays.
            said += b"".join(wire.report_digital(port) for port in self._inputs.ports)
        return said

    def _set_up(self, now: float) -> bytes:
        """Modes and reports that are not known to have come; the servo is left limp until it is first sent.

        A pin that is set up goes low: where that is one that drives, the wheels are stopped before, not reversed.
        """
        lacks = [pin for pin in self._wanted if pin not in self._inputs.modes]
        said = b""
        if self._prepared and self._held.roused and self._drives.intersection(lacks):
            self._held.void()
            said = self._still()
        silent = self._inputs.silent(now) if now >= self._reminded + REMIND_S else []
        if not self._prepared or silent:
            said += wire.sampling(SAMPLING_MS)
            self._reminded = now
        said += b"".join(wire.pin_mode(pin, self._wanted[pin]) for pin in lacks)
        self._prepared = True
        return said + b"".join(wire.report_analogue(channel) for channel in silent)

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
        self._held.sent(command.left, command.right)
        said = self._wheel(self._settings.left, command.left) + self._wheel(self._settings.right, command.right)
        return said + self._grip(now, command.opening)

    def _wheel(self, motor: MotorPins, speed: float) -> bytes:
        least, top = self._settings.least_duty, self._settings.max_speed_m_s
        duty = round(least + (FULL_DUTY - least) * abs(speed) / top) if abs(speed) > top / FULL_DUTY else 0
        forward = (speed > 0) != motor.reversed
        said = b""
        if duty:
            said = wire.pin_value(motor.direction, high=forward)
            if motor.opposite is not None:
                said += wire.pin_value(motor.opposite, high=not forward)
        return said + wire.analogue(motor.pwm, min(duty, FULL_DUTY))

    def _grip(self, now: float, opening: float | None) -> bytes:
        servo, pin = self._inputs.servo, self._settings.gripper
        if servo is None or pin is None or opening is None or math.isnan(opening):
            return b""
        wanted = min(max(opening, 0.0), 1.0)
        if wanted == servo.wanted and now < self._gripped + AGAIN_S:
            return b""
        servo.send(now, wanted)
        self._gripped = now
        said = b""
        if not self._attached:
            self._attached = True
            said = wire.servo_config(pin.pin, pin.shortest_us, pin.longest_us) + wire.pin_mode(pin.pin, wire.SERVO)
        return said + wire.analogue(pin.pin, servo.degrees)

    def _moves(self) -> bool:
        return any(self._duties.values())

    def _hears(self, now: float) -> bool:
        return self.ready and now < self._inputs.at + STALE_S

    def _plan(self, now: float) -> None:
        """Set `wake_at` to the next time that `transmit` has something to say."""
        if self._step != WORK:
            self.wake_at = max(now, min(self._ask_at(), self._held.wake_at(now)))
            return
        times = [self._held.wake_at(now), self._looked + LOOK_S]
        if self._held.command is not None:
            times.append(self._driven + REPEAT_S)
        self.wake_at = max(now, min(times))

    # Board

    def capabilities(self, now: float) -> Capabilities:
        """See `Board`; nothing works while the board has not answered or its answers are stale."""
        trouble = self._trouble(now)
        lost = {} if trouble else {**self._inputs.lost(now), **self._lacking}
        key = (trouble, tuple(sorted(lost.items())))
        if self._known[0] != key:
            settings = self._settings
            missing = dict.fromkeys(self._built, trouble) if trouble else lost
            able = tuple(sorted(self._built - missing.keys()))
            gone = tuple(sorted(item for item in missing.items() if item[0] in self._built))
            capabilities = Capabilities(
                able, gone, settings.max_speed_m_s, settings.wheel_base_m, settings.radius_m
            )
            self._known = (key, capabilities)
        return self._known[1]

    def _trouble(self, now: float) -> str:
        """Why nothing of the robot can be used now; '' where it can."""
        if now < self._settled:
            return "the board has restarted"
        if self._old:
            return f"the sketch speaks Firmata {self._old}: it takes {OLDEST[0]}.{OLDEST[1]} or a newer 2.x"
        if not self.ready:
            if self._step == GREET and self._asks <= TRIES:
                return "the board has not answered yet"
            if self._step == WORK:
                return "the motors' pins have not told that they are set up"
            return "the board has not answered: is a Firmata sketch on it, and are cable and baud rate right?"
        return "" if self._hears(now) else "the board tells nothing: its motors are out of control until it does"

    def senses(self, now: float) -> Senses:
        """See `Board`; empty, with its age, while the board is not to be trusted."""
        return felt(now, self._inputs if self.ready else None, hears=self._hears(now), stale_s=STALE_S)

    def command(self, now: float, command: Command) -> Command:
        """See `Board`: within what the robot can do, by its settings: nothing measures how fast it is."""
        driven = granted(command, self.capabilities(now))
        driven = Command(driven.left, driven.right, driven.opening, None, None, driven.expiry_s)
        if self.ready and driven.expiry_s > 0:
            self._held.take(now, driven)
            self.wake_at = now
        return driven
