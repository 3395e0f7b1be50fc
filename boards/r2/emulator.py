"""The board's side of the R-2's serial protocol, sans-I/O, over a simulated body; with a menu of faults."""

from typing import Any

from boards.emulator import Emulator
from boards.mock import anatomy as r2
from boards.mock.driver import MockR2
from boards.r2 import frames as wire
from robotd.model.command import Command
from robotd.model.senses import Pose, Senses

STATES = {"absent": wire.ABSENT, "works": wire.WORKS, "dead": wire.DEAD, "frozen": wire.STUCK}
RANGE_STATES = {"absent": wire.NO_READING, "dead": wire.NO_READING, "frozen": wire.STANDS_STILL}
NOWHERE: dict[str, int] = {"x": 0, "y": 0, "heading": 0, "accuracy": 0}
OLDEST = 255  # hundredths of a second: or older


class R2Emulator(Emulator):
    """The other end of `boards.r2.driver.R2`; the first request to transmit switches it on."""

    def __init__(self, body: MockR2, seed: int = 0) -> None:
        super().__init__(body, seed)
        self.wake_at = 0.0
        self._splitter = wire.FrameParser()
        self._greeted = False
        self._number = self._command = 0

    def _forget(self, now: float) -> None:
        """It sends its identity unasked."""
        self._splitter.reset()
        self._greeted, self._next = False, None
        self._stop(now)
        self.line.send(now, self._identity(now, started=1))

    def _take(self, now: float, data: bytes) -> None:
        for kind, fields in self._splitter.feed(data):
            if kind == wire.HELLO:
                self._greeted = True
                self.line.send(now, self._identity(now, started=0))
                self._start_reports(now)
            elif kind == wire.STOP:
                self._stop(now)
            elif kind == wire.DRIVE and self._greeted:
                self._drive(now, fields)

    def _work(self, now: float) -> None:
        if not self.boots:
            self.reboot(now)
        if self._is_due(now):
            self.line.send(now, self._senses(now))

    def _next_at(self, now: float) -> float | None:
        return super()._next_at(now) if self.boots else now

    def _stop(self, now: float) -> None:
        self.body.command(now, Command())

    def _drive(self, now: float, fields: Any) -> None:
        self._command = fields.number
        opening, lift = (None if axis == wire.LEAVE else axis / 1000 for axis in (fields.opening, fields.lift))
        tune = None if fields.tune == wire.NO_TUNE else fields.tune
        left, right = fields.left / 1000, fields.right / 1000
        self.body.command(now, Command(left, right, opening, lift, tune, fields.expiry / 1000))

    def _identity(self, now: float, started: int) -> bytes:
        limits = self.body.capabilities(now)
        low, high = round(r2.RANGE_LOW * 1000), round(r2.RANGE_HIGH * 1000)
        ranges = [{"bearing": round(s.bearing * 1e4), "low": low, "high": high} for s in self._infrared()]
        return wire.frame(
            wire.IDENTITY, version=wire.VERSION, started=started, max_speed=round(limits.max_speed * 1000),
            wheel_base=round(limits.wheel_base * 1000), radius=round(limits.radius * 1000), ranges=ranges,
            bumps=[round(bearing * 1e4) for _, bearing in self._bumpers()],
        )  # fmt: skip

    def _infrared(self) -> list[r2.Infrared]:
        return [sensor for sensor in r2.INFRARED if self.body.state(sensor.name) != "absent"]

    def _bumpers(self) -> list[tuple[str, float]]:
        return [bumper for bumper in r2.BUMPERS_RAD if self.body.state(bumper[0]) != "absent"]

    def _senses(self, now: float) -> bytes:
        self._number = (self._number + 1) % 256
        senses = self.body.senses(now)
        grip, wheels = senses.grip, senses.wheels
        flags = {
            "charging": senses.charging, "bump": grip is not None and grip.bump,
            "beam": grip is not None and grip.beam, "stalled": senses.stalled, "lifted": senses.lifted,
        }  # fmt: skip
        return wire.frame(
            wire.SENSES, number=self._number, command=self._command, flags=flags,
            parts={part: STATES[self.body.state(part)] for part in r2.SINGLE},
            battery=wire.NO_BATTERY if senses.battery is None else round(senses.battery * 200),
            driven=[round(speed * 1000) for speed in self.body.driven(now)],
            speeds=[0, 0] if wheels is None else [round(wheels.left * 1000), round(wheels.right * 1000)],
            odometry=_pose(senses.odometry), pose=_pose(senses.pose),
            pose_age=_hundredths(senses.ages.pose) if senses.pose is not None else OLDEST,
            ranges_age=_hundredths(senses.ages.ranges),
            opening=round(grip.opening * 1000) if grip is not None else 0,
            lift=round(grip.lift * 1000) if grip is not None else 0,
            ranges=self._ranges(senses), **self._bumps(senses),
        )  # fmt: skip

    def _ranges(self, senses: Senses) -> list[int]:
        seen = {reading.bearing: reading.distance for reading in senses.ranges}
        words = []
        for sensor in self._infrared():
            distance = seen.get(sensor.bearing)
            if sensor.bearing not in seen:
                words.append(RANGE_STATES[self.body.state(sensor.name)])
            else:
                words.append(wire.NOTHING if distance is None else round(distance * 1000))
        return words

    def _bumps(self, senses: Senses) -> dict[str, int]:
        pressed = {bump.bearing for bump in senses.bumps if bump.pressed}
        bits = {"pressed": 0, "bumps_dead": 0, "bumps_stuck": 0}
        for k, (name, bearing) in enumerate(self._bumpers()):
            state = self.body.state(name)
            bits["pressed"] |= (bearing in pressed) << k
            bits["bumps_dead"] |= (state == "dead") << k
            bits["bumps_stuck"] |= (state == "frozen") << k
        return bits


def _pose(pose: Pose | None) -> dict[str, int]:
    if pose is None:
        return NOWHERE
    values = {"x": pose.x, "y": pose.y, "heading": pose.heading, "accuracy": pose.accuracy}
    return {name: round(value * 1000) for name, value in values.items()}


def _hundredths(age: float) -> int:
    return min(round(age * 100), OLDEST)
