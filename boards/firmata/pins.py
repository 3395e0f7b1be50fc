"""What is wired to which pin of an Arduino: the table of a robot file, and what the board must offer for it."""

import math
from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from boards.driver import Table
from boards.firmata import frames as wire
from boards.proximity import check, fitted, mark_missing, resource_of

PIN = Field(ge=0, le=126, description="its pin by number")
SHARP_10_80 = ((471, 0.1), (338, 0.15), (266, 0.2), (184, 0.3), (151, 0.4), (123, 0.5), (102, 0.6), (82, 0.8))
LEAST_DEG = 1  # between the ends of a servo's way: the finest that Firmata sends it


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class MotorPins(_Part):
    """One wheel's H-bridge."""

    pwm: int = Field(ge=0, le=126, description="pin that sets how fast it turns")
    direction: int = Field(ge=0, le=126, description="pin that is high for forwards")
    opposite: int | None = Field(None, ge=0, le=126, description="pin that is always the other way round (L298)")
    reversed: bool = Field(default=False, description="the motor's wires are swapped: low is forwards")


class InfraredPin(_Part):
    """One analogue proximity sensor."""

    channel: int = Field(ge=0, le=15, description="its analogue channel: 0 for A0")
    bearing_deg: float = Field(ge=-180, le=180, description="where it looks, degrees, left positive")
    curve: tuple[tuple[int, float], ...] = Field(
        SHARP_10_80,
        min_length=2,
        description="readings and the distances that they mean, m, nearest first; "
        "the default is Sharp's GP2Y0A21 at 5 V by its data sheet",
    )

    @model_validator(mode="after")
    def _falls(self) -> Self:
        check("curve", self.curve)
        return self


class SwitchPin(_Part):
    """One bump switch."""

    pin: int = PIN
    bearing_deg: float = Field(ge=-180, le=180, description="where it is, degrees, left positive")
    to_ground: bool = Field(default=True, description="it connects the pin to ground, against the board's pull-up")


class ServoPin(_Part):
    """A gripper that a hobby servo opens and shuts."""

    pin: int = PIN
    open_deg: float = Field(120.0, ge=0, le=180, description="the servo's angle when open, degrees")
    shut_deg: float = Field(30.0, ge=0, le=180, description="the servo's angle when shut, degrees")
    shortest_us: int = Field(544, ge=400, le=1500, description="the pulse of 0 degrees, us")
    longest_us: int = Field(2400, ge=1500, le=2800, description="the pulse of 180 degrees, us")
    travel_s: float = Field(0.5, ge=0.05, le=5, description="from open to shut, s")
    beam_pin: int | None = Field(None, ge=0, le=126, description="pin of a light beam between the fingers")
    beam_low: bool = Field(default=True, description="the beam's pin is low when it is broken")

    @model_validator(mode="after")
    def _apart(self) -> Self:
        if abs(self.open_deg - self.shut_deg) < LEAST_DEG:
            raise ValueError(f"open_deg and shut_deg have to differ by {LEAST_DEG} degree: it would not move")
        if self.shortest_us >= self.longest_us:
            raise ValueError("shortest_us has to be less than longest_us: it would not move")
        return self


class FirmataSettings(Table):
    """The board's own table of a robot file."""

    baud: int = Field(wire.BAUD, ge=9600, le=1000000, description="bits per second, as in the sketch")
    silence_s: float = Field(4.0, ge=3, le=60, description="silence before it is opened anew, s; boots take 2")
    max_speed_m_s: float = Field(0.3, gt=0, le=3, description="speed of a wheel at full duty, m/s: measure it")
    least_duty: int = Field(60, ge=0, le=200, description="of 255: below it the motors hum and do not turn")
    wheel_base_m: float = Field(0.15, gt=0.02, lt=2, description="between the wheels, m")
    radius_m: float = Field(0.12, gt=0.02, lt=2, description="of the circle round the hull, m")
    left: MotorPins = Field(MotorPins(pwm=3, direction=12), description="the left wheel's motor")
    right: MotorPins = Field(MotorPins(pwm=11, direction=13), description="the right wheel's motor")
    infrared: tuple[InfraredPin, ...] = Field((), max_length=16, description="analogue proximity sensors")
    bumpers: tuple[SwitchPin, ...] = Field((), max_length=16, description="bump switches")
    gripper: ServoPin | None = Field(None, description="the gripper; default: none")

    @model_validator(mode="after")
    def _once(self) -> Self:
        pins = [pin for pin, _, _ in uses(self)]
        twice = sorted({pin for pin in pins if pins.count(pin) > 1})
        if twice:
            raise ValueError(f"pin {twice[0]} is wired to two things")
        channels = [sensor.channel for sensor in self.infrared]
        if len(set(channels)) < len(channels):
            raise ValueError("two infrared sensors have the same channel")
        return self


def uses(settings: FirmataSettings) -> list[tuple[int, int, str]]:
    """Each digital pin with the mode that it is set to and the resource that needs it."""
    found = []
    for motor in (settings.left, settings.right):
        found.append((motor.pwm, wire.PWM, "mobile"))
        found += [(pin, wire.OUTPUT, "mobile") for pin in (motor.direction, motor.opposite) if pin is not None]
    for switch in settings.bumpers:
        found.append((switch.pin, wire.PULLUP if switch.to_ground else wire.INPUT, "bumpers"))
    if settings.gripper is not None:
        found.append((settings.gripper.pin, wire.SERVO, "gripper"))
        if settings.gripper.beam_pin is not None:
            found.append((settings.gripper.beam_pin, wire.INPUT, "gripper"))
    return found


def built(settings: FirmataSettings) -> set[str]:
    found = {"mobile"} | fitted(math.radians(sensor.bearing_deg) for sensor in settings.infrared)
    return found | {resource for _, _, resource in uses(settings)}


NEEDED = {wire.PWM: "PWM", wire.OUTPUT: "output", wire.PULLUP: "pull-up", wire.INPUT: "input", wire.SERVO: "servo"}


def lacking(
    settings: FirmataSettings, pins: Sequence[Mapping[int, int]], channels: Sequence[int]
) -> dict[str, str]:
    """What the board cannot do of what is wired, by resource, in words; `channels`: of each pin, or NO_CHANNEL."""
    lost: dict[str, str] = {}
    for pin, mode, resource in uses(settings):
        if pin >= len(pins) or mode not in pins[pin]:
            mark_missing(lost, resource, f"pin {pin} of this board has no {NEEDED[mode]}")
    for sensor in settings.infrared:
        if sensor.channel not in channels:
            resource = resource_of(math.radians(sensor.bearing_deg))
            mark_missing(lost, resource, f"this board has no analogue channel {sensor.channel}")
    return lost
