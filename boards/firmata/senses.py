"""What an Arduino's pins report, as the model's values, and which of its parts can be believed."""

import math

from boards.firmata import frames as wire
from boards.firmata.pins import NEEDED, FirmataSettings, InfraredPin, ServoPin, SwitchPin, uses
from boards.proximity import OUTDATED, STANDS_STILL, mark_missing, mark_sensor, metres
from boards.stuck import StuckDetector
from robotd.model.senses import Ages, Bump, Grip, Range, Senses

BOUNCE_S = 0.02  # a switch that opens does so for good after; that it is pressed counts at once
OLD_S = 0.5  # a channel or port that has not reported for so long is lost: ten samplings missing
BROKEN = 3  # readings below: no sensor that is connected reads so little


class Switch:
    """A switch whose contacts bounce: pressed at once, open only when it has been so for a while."""

    def __init__(self) -> None:
        self._down = False
        self._since = -math.inf  # when it was last pressed

    def note(self, now: float, *, down: bool) -> None:
        if down or self._down:
            self._since = now
        self._down = down

    def pressed(self, now: float) -> bool:
        """True while it is, or may be bouncing."""
        return self._down or now < self._since + BOUNCE_S


class Servo:
    """A gripper's servo, which reports nothing: where it must be by now, from where it was sent and when."""

    def __init__(self, pin: ServoPin) -> None:
        self._pin = pin
        self.wanted: float | None = None
        self._from, self._sent = 0.5, 0.0

    def send(self, now: float, opening: float) -> None:
        """Send it to an opening, 0 to 1."""
        if opening != self.wanted:
            self._from, self._sent = self.opening(now), now
            self.wanted = opening

    def opening(self, now: float) -> float:
        """From 0 to 1; half-way while it is not known."""
        if self.wanted is None:
            return 0.5
        gone = (now - self._sent) / self._pin.travel_s
        away = self.wanted - self._from
        return self.wanted if abs(away) <= gone else self._from + math.copysign(gone, away)

    @property
    def degrees(self) -> int:
        share = self.wanted if self.wanted is not None else 0.5
        return round(self._pin.shut_deg + share * (self._pin.open_deg - self._pin.shut_deg))


class Inputs:
    """All that the pins report. All times are the loop's clock, s; `at` is when the board last answered."""

    lost: tuple[tuple[str, str], ...] = ()  # see `missing`: it depends on the time

    def __init__(self, settings: FirmataSettings) -> None:
        self._settings = settings
        gripper = settings.gripper
        self.servo = Servo(gripper) if gripper is not None else None
        self._uses = uses(settings)
        self._beam = SwitchPin(pin=gripper.beam_pin, bearing_deg=0, to_ground=gripper.beam_low) if (
            gripper is not None and gripper.beam_pin is not None) else None  # fmt: skip
        self.clear()

    def clear(self) -> None:
        settings = self._settings
        self.at = -math.inf
        self.modes: dict[int, int] = {}  # of pins that have reported that they are in the mode that they need
        self._channels = {sensor.channel: StuckDetector() for sensor in settings.infrared}
        watched = (*settings.bumpers, *([self._beam] if self._beam is not None else ()))
        self._switches = {switch.pin: (switch, Switch()) for switch in watched}
        self._ports = dict.fromkeys(sorted({pin // 8 for pin in self._switches}), -math.inf)

    @property
    def cliff(self) -> bool:
        return False

    @property
    def ports(self) -> list[int]:
        return list(self._ports)

    def take(self, now: float, message: wire.Message, *, moves: bool) -> None:
        if message.kind == wire.ANALOGUE and message.index in self._channels:
            faint = next(one.curve[-1][0] for one in self._settings.infrared if one.channel == message.index)
            # A live one never rests in front of something; one that sees nothing may read the same for long.
            self._channels[message.index].note(now, message.value, moves=moves and message.value >= faint)
        elif message.kind == wire.DIGITAL and message.index in self._ports:
            self._ports[message.index] = now
            for pin, (wired, switch) in self._switches.items():
                if pin // 8 == message.index:
                    switch.note(now, down=bool(message.value >> pin % 8 & 1) != wired.to_ground)

    def silent(self, now: float) -> list[int]:
        """The analogue channels that report nothing."""
        return [number for number, channel in self._channels.items() if now - channel.at > OLD_S]

    def missing(self, now: float) -> dict[str, str]:
        """What cannot be believed, by resource, in words."""
        lost: dict[str, str] = {}
        for sensor in self._settings.infrared:
            words = self._fault(now, sensor)
            if words:
                mark_sensor(lost, "infrared sensor", math.radians(sensor.bearing_deg), words)
        for resource, pins in (("bumpers", self._settings.bumpers), ("gripper", (self._beam,))):
            if any(one is not None and now - self._ports[one.pin // 8] > OLD_S for one in pins):
                lost[resource] = "the board reports nothing of its switches"
        for pin, mode, resource in self._uses:
            if mode != wire.SERVO and pin not in self.modes:  # a servo's pin gets its mode with its first target
                mark_missing(lost, resource, f"pin {pin} has not reported that it is set up: {NEEDED[mode]}")
        return lost

    def _fault(self, now: float, sensor: InfraredPin) -> str:
        """What is wrong with a sensor; '' for nothing."""
        channel = self._channels[sensor.channel]
        if now - channel.at > OLD_S:
            return OUTDATED
        if channel.value < BROKEN:
            return "reads next to nothing: is its wire broken?"
        return STANDS_STILL if channel.stuck else ""

    def senses(self, now: float) -> Senses:
        """Them as the board contract has it, with ages at `now`; neither wheels nor odometry are known."""
        ranges, oldest = [], 0.0
        for sensor in self._settings.infrared:
            if not self._fault(now, sensor):
                channel, (low, high) = self._channels[sensor.channel], (sensor.curve[0][1], sensor.curve[-1][1])
                distance = metres(channel.value, sensor.curve)
                ranges.append(Range("infrared", math.radians(sensor.bearing_deg), distance, low, high))
                oldest = max(oldest, now - channel.at)
        bumps = tuple(
            Bump(math.radians(one.bearing_deg), self._switches[one.pin][1].pressed(now))
            for one in self._settings.bumpers
            if now - self._ports[one.pin // 8] <= OLD_S and one.pin in self.modes
        )
        late = now - self.at
        reported = max((now - at for at in self._ports.values()), default=late)
        ages = Ages(late, late, oldest, reported, reported, late, late)
        return Senses(ranges=tuple(ranges), bumps=bumps, grip=self._grip(now), ages=ages)

    def _grip(self, now: float) -> Grip | None:
        """Where the gripper must be; None before it was sent anywhere. It has no lift: that is down."""
        if self.servo is None or self.servo.wanted is None:
            return None
        pin = self._beam.pin if self._beam is not None else None
        beam = pin in self.modes and self._switches[pin][1].pressed(now)
        return Grip(round(self.servo.opening(now), 3), 0.0, beam, bump=False)
