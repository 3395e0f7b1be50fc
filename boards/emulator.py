"""What emulators share: a body, a line with a menu of faults, packets as firmware gathers them, wheels."""

import math
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from boards.mock import anatomy
from boards.mock.bodies import Gripper
from boards.mock.driver import MockR2
from boards.mock.sensors import rolled
from robotd.model.command import EXPIRY_S, Command
from robotd.model.serial import SetLine
from robotd.model.streams import Stream

FAULTS = ("mute", "garbage", "drop", "flip", "insert", "cut", "split", "drip", "late", "twice")
"""What can happen to a frame: it is not sent; arbitrary bytes come before it; a byte of it is lost; a bit turns;
an arbitrary byte is within it; only its first half is sent; its second half comes later; it comes byte by byte; it
comes late, and all after it behind it; it comes twice."""
SPLIT_S, DRIP_S, LATE_S = 0.01, 0.02, 0.2


class FaultyLine:
    """A queue of bytes to send; `fault` spoils the next frames put into it."""

    def __init__(self, seed: int, name: str) -> None:
        self._stream = Stream(seed, name, "faulty line")
        self._faults: dict[str, float] = {}
        self._queue: deque[tuple[float, bytes]] = deque()

    def fault(self, kind: str, frames: float = 1) -> None:
        """Spoil the next `frames` frames so (`math.inf`: until `frames` = 0); ValueError for an unknown kind."""
        if kind not in FAULTS:
            raise ValueError(f"a line has no fault {kind!r}; it has: {', '.join(FAULTS)}")
        self._faults[kind] = frames

    @property
    def wake_at(self) -> float | None:
        """When the next bytes are due, s."""
        return self._queue[0][0] if self._queue else None

    def take(self, now: float) -> list[bytes]:
        due = []
        while self._queue and self._queue[0][0] <= now:
            due.append(self._queue.popleft()[1])
        return due

    def send(self, now: float, frame: bytes) -> None:
        """Put a frame into the queue, spoilt by the faults that are set."""
        if not self._faults:
            self._put(now, frame)
            return
        hit = {kind for kind in FAULTS if self._hits(kind)}
        if "mute" in hit:
            return
        at = now + (LATE_S if "late" in hit else 0.0)
        pieces = [self._spoilt(frame, hit)] * (2 if "twice" in hit else 1)
        for piece in pieces:
            if "drip" in hit:
                for k in range(len(piece)):
                    self._put(at + k * DRIP_S, piece[k : k + 1])
            elif "split" in hit:
                self._put(at, piece[: len(piece) // 2])
                self._put(at + SPLIT_S, piece[len(piece) // 2 :])
            else:
                self._put(at, piece)

    def _hits(self, kind: str) -> bool:
        left = self._faults.get(kind, 0)
        if left > 0:
            self._faults[kind] = left - 1
        return left > 0

    def _put(self, at: float, data: bytes) -> None:
        last = self._queue[-1][0] if self._queue else at
        self._queue.append((max(at, last), data))

    def _spoilt(self, frame: bytes, hit: set[str]) -> bytes:
        data = bytearray(frame)
        at = self._below(len(data))
        if "flip" in hit:
            data[at] ^= 1 << self._below(8)
        if "insert" in hit:
            data.insert(at, self._below(256))
        if "drop" in hit:
            del data[at]
        if "cut" in hit:
            del data[len(data) // 2 :]
        if "garbage" in hit:
            data[:0] = bytes(self._below(256) for _ in range(7))
        return bytes(data)

    def _below(self, limit: int) -> int:
        return int(self._stream.uniform(0, limit))


HOLD_S = EXPIRY_S / 5  # a drive is repeated so often to the body, which lets go of it after half a second


class Chassis:
    """What motors and encoders of a robot with `wheel_base` (m) do while its body moves as the R-2's hull. Speeds
    and ways are those of the robot's own wheels, left and right, m/s and m."""

    def __init__(self, body: MockR2, wheel_base: float) -> None:
        self.body = body
        self._robot = body.world.robots[body.name]
        self._base, self._hull_base = wheel_base, self._robot.hull.wheel_base
        self.commanded = (0.0, 0.0)
        self._held_at = -math.inf
        self._last = self._robot.pose()
        self._carried = self._robot.carried
        self._way = [0.0, 0.0]

    def how(self, part: str) -> str:
        """What is wrong with a part of the body (`boards.mock.anatomy`): dead, frozen, noisy, absent, or ''."""
        return self._robot.faults.get(part, "")

    @property
    def lifted(self) -> bool:
        return not self._robot.present

    def drive(self, now: float, left: float, right: float) -> None:
        """Command the motors; it holds until the next command."""
        self.commanded, self._held_at = (left, right), now
        half = (right - left) * self._hull_base / self._base / 2
        middle = (left + right) / 2
        self.body.command(now, Command(middle - half, middle + half))

    def grip(self, now: float, opening: float | None, lift: float | None) -> None:
        """Send the gripper's axes somewhere; None leaves one."""
        self.body.world.advance(now)
        if not self.how("gripper"):
            self._robot.gripper.aim(opening, lift)

    @property
    def gripper(self) -> Gripper:
        return self._robot.gripper

    @property
    def beam(self) -> bool:
        return self._robot.beam_broken()

    def hold(self, now: float) -> None:
        """Keep the body at the last command of the motors."""
        if any(self.commanded) and now >= self._held_at + HOLD_S:
            self.drive(now, *self.commanded)

    def speeds(self) -> tuple[float, float]:
        left, right = self._robot.wheel_speeds()
        half = (right - left) * self._base / self._hull_base / 2
        return (left + right) / 2 - half, (left + right) / 2 + half

    def ways(self, now: float) -> tuple[float, float]:
        """What the wheels have rolled until `now`, between steps of the world at their speeds of the last one."""
        world, robot = self.body.world, self._robot
        world.advance(now)
        here, last = robot.pose(), self._last
        self._last = here
        if self._carried != robot.carried:  # wheels do not turn while a person carries the robot
            self._carried = robot.carried
        elif here != last:
            forward, half = rolled(last, here, self._base)
            self._way = [self._way[0] + forward - half, self._way[1] + forward + half]
        ahead, speeds = now - world.now, self.speeds()
        return self._way[0] + speeds[0] * ahead, self._way[1] + speeds[1] * ahead


class Emulator:
    """One end of a line whose other end is a driver, sans-I/O. All times are the loop's clock, s. `line` has the
    faults of what it sends; while `deaf` it takes nothing in; `boots` counts `reboot(now)`. A subclass overrides
    the hooks, which begin with an underscore."""

    wheel_base = anatomy.WHEEL_BASE  # m, of its robot
    period_s = 0.05  # between two reports
    boot_s = 0.0  # from a reset until it answers

    def __init__(self, body: MockR2, seed: int = 0) -> None:
        self.body = body
        self.line = FaultyLine(seed, body.name)
        self.chassis = Chassis(body, self.wheel_base)
        self.deaf = False
        self.boots = 0
        self.wake_at: float | None = None
        self._boots_until = -math.inf  # until then it takes nothing in
        self._next: int | None = None  # period of the next report; None: it sends none

    @classmethod
    def parameters(cls, top_speed: float) -> dict[str, Any]:
        """The driver's table of a robot file for a body that drives no faster than `top_speed`, m/s."""
        return {}

    def reboot(self, now: float) -> None:
        """Be switched off and on: what was half-way is lost, and nothing is received for `boot_s`."""
        self.boots += 1
        self._forget(now)
        self._boots_until, self.wake_at = now + self.boot_s, now

    def _forget(self, now: float) -> None:
        """Be as it is when it is switched on."""

    def receive(self, now: float, data: bytes) -> None:
        """Take bytes from the computer; never raises."""
        if not self.deaf and now >= self._boots_until:
            self._take(now, data)
            self._plan(now)

    def transmit(self, now: float) -> Sequence[bytes | SetLine]:
        """Answers, and reports at their times; periods without a request are skipped."""
        self._work(now)
        due = self.line.take(now)
        self._plan(now)
        return due

    def _plan(self, now: float) -> None:
        times = [self.line.wake_at, self._next_at(now)]
        self.wake_at = min((time for time in times if time is not None), default=None)

    def _take(self, now: float, data: bytes) -> None:
        """Take bytes from the computer."""

    def _work(self, now: float) -> None:
        """Do what is due."""

    def _next_at(self, now: float) -> float | None:
        """When there is something to do next; None: only after `receive`."""
        return None if self._next is None else self._next * self.period_s

    def _start_reports(self, now: float) -> None:
        self._next = int(now / self.period_s + 1e-6) + 1

    def _is_due(self, now: float) -> bool:
        """Whether a report is due now, which then counts as sent."""
        due = self._next is not None and now >= self._next * self.period_s - 1e-9
        if due:
            self._start_reports(now)
        return due


class CountingEmulator(Emulator):
    """An emulator of a robot whose encoders count and wrap and whose motors report their currents. `count_m`:
    metres of a count; `free_ma`, `held_ma`: the current of a motor that turns, and of one that is held."""

    count_m: float
    wrap = 1 << 16
    free_ma, held_ma = 0, 0

    def __init__(self, body: MockR2, seed: int = 0) -> None:
        super().__init__(body, seed)
        self._origin = (0.0, 0.0)
        self._counts = (0, 0)

    @classmethod
    def parameters(cls, top_speed: float) -> dict[str, Any]:
        return no_faster(top_speed)

    def _forget(self, now: float) -> None:
        self.chassis.drive(now, 0.0, 0.0)
        self.count_at(now, 0, 0)

    def count_at(self, now: float, left: int, right: int) -> None:
        """Set both encoders."""
        ways = self.chassis.ways(now)
        self._origin = ways[0] - left * self.count_m, ways[1] - right * self.count_m

    def _read_counts(self, now: float) -> tuple[int, int]:
        """Left and right; the last ones while they are dead or frozen."""
        (left, right), (begun, begun_right) = self.chassis.ways(now), self._origin
        if self.chassis.how("wheels") not in ("dead", "frozen"):
            steps = math.floor((left - begun) / self.count_m), math.floor((right - begun_right) / self.count_m)
            self._counts = steps[0] % self.wrap, steps[1] % self.wrap
        return self._counts

    def _motors(self, over: tuple[int, int]) -> tuple[list[int], int]:
        """Currents of left and right in mA, signed by direction; the bits of `over` of held wheels."""
        currents, bits = [], 0
        for commanded, speed, bit in zip(self.chassis.commanded, self.chassis.speeds(), over, strict=True):
            held = abs(speed) < abs(commanded) / 3
            idle = not commanded or bool(self.chassis.how("motors"))
            currents.append(0 if idle else round(math.copysign(self.held_ma if held else self.free_ma, commanded)))
            bits |= bit * (held and not idle)
        return currents, bits


def no_faster(top_speed: float) -> dict[str, Any]:
    """The greatest speed of robots that drive 0.5 m/s, beyond most simulated bodies; 0.1 m/s is their least."""
    return {"max_speed_m_s": min(max(top_speed, 0.1), 0.5)}


LENGTH = 2  # the index of the length in a packet, behind a header of two bytes


class Gathered:
    """The packets in what comes. `around`: how many bytes of a packet its length does not count. So a packet that
    was cut takes as many of the next bytes as it lacks; a driver has to stand that."""

    def __init__(self, header: bytes, around: int) -> None:
        self._header, self._around = header, around
        self._begun = bytearray()

    def clear(self) -> None:
        self._begun.clear()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Each packet that `data` completes, header, length and checksum included."""
        for byte in data:
            self._begun.append(byte)
            if len(self._begun) <= LENGTH:
                if byte != self._header[len(self._begun) - 1]:
                    self._begun.clear()
            elif len(self._begun) >= self._around + self._begun[LENGTH]:
                whole, self._begun = bytes(self._begun), bytearray()
                yield whole
