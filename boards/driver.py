"""The skeleton of every driver: line, greeting, fresh readings, dead-man, restarts that are noticed; hooks."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict

from boards.latch import CommandLatch, Tunes, clamp_to_body
from boards.parser import Parser
from robotd.model.command import Command
from robotd.model.senses import Ages, Capabilities, Senses
from robotd.model.serial import LineSettings, SetLine
from robotd.model.value import value


@value
class Reading:
    """One report of a device, received at `at` (s): values without ages, and what is lost of the body and why.
    `ranges_age` and `fix_age` (s): how old its ranges and its position were by then."""

    at: float
    values: Senses
    lost: tuple[tuple[str, str], ...] = ()
    ranges_age: float = 0.0
    fix_age: float = 0.0

    @property
    def cliff(self) -> bool:
        """A cliff sensor detects no floor."""
        return any(cliff.pressed for cliff in self.values.cliffs)

    def senses(self, now: float) -> Senses:
        """The values with their ages at `now`."""
        late = now - self.at
        ages = Ages(late, late + self.fix_age, late + self.ranges_age, late, late, late, late)
        return replace(self.values, ages=ages)


def empty(age: float) -> Senses:
    """No reading that can be believed; the last one is `age` s old."""
    return Senses(ages=Ages(age, age, age, age, age, age, age))


class Table(BaseModel):
    """The own table of a board or an add-on in a robot file: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid")


SETTLE_S = 0.3  # after a restart of the robot nothing is driven, so that it is noticed


LONGEST_S = 1.0  # an answer to an older question is not expected: the port then counts as silent
MARGIN = 1.5  # times the longest exchange so far: what the next one may take


class Greeting:
    """The questions of a handshake, and when to ask again. All times are the loop's clock, s.

    Answers do not name their question, so that one answer may belong to any question of the last `LONGEST_S`: the
    oldest of them counts, and later time-outs are no shorter than that. `first_s` and `seldom_s` are the shortest
    and the longest time-out of a device that has not answered: it doubles with each question in vain.
    """

    def __init__(self, first_s: float, seldom_s: float) -> None:
        self.first_s, self.seldom_s = first_s, seldom_s
        self.exchange_s = 0.0  # the longest measured, on this line
        self.reset()

    def reset(self, asked: float | None = None) -> None:
        """Forget the questions, not what exchanges take; `asked`: wait for one answer's time from then."""
        self.asked = asked  # when the last question was sent
        self.tries = 0  # questions in a row without an answer
        self._recent: list[float] = []

    def ask(self, now: float) -> None:
        self.asked = now
        self.tries += 1
        self._recent = [at for at in self._recent if now - at <= LONGEST_S] + [now]

    def answer(self, now: float) -> None:
        """An answer has come: measure the exchange."""
        taken = [now - at for at in self._recent if now - at <= LONGEST_S]
        self.exchange_s = max([self.exchange_s, *taken])
        self.tries, self._recent = 0, []

    @property
    def timeout_s(self) -> float:
        """How long the last question is waited for."""
        doubled = min(self.first_s * 2.0 ** min(max(self.tries - 1, 0), 10), self.seldom_s)
        return max(doubled, MARGIN * self.exchange_s)

    @property
    def due_at(self) -> float:
        """When to ask next; -inf for at once."""
        return -math.inf if self.asked is None else self.asked + self.timeout_s


class Device:
    """`SerialDevice` without a protocol: what is received goes through `parser`, `transmit` is called in time. A
    subclass overrides `reset`, which forgets all of a connection, and the hooks, which begin with an underscore.
    All times are the loop's clock, s."""

    needs_port = True
    when_computer_dies: str
    halt: bytes = b""
    reboots = 0  # of the device, noticed while connected

    def __init__(self, line: LineSettings, parser: Parser[Any]) -> None:
        self.line = line
        self.wake_at: float | None = None
        self._parser = parser
        self._counts = parser.counts

    def reset(self) -> None:
        """Forget all that was to be sent, and that the device had answered."""

    @property
    def counts(self) -> Counter[str]:
        """What was refused since the start, by reason."""
        return +self._counts

    def connect(self, now: float) -> None:
        """Begin anew; nothing moves until there is a new command."""
        self._parser.reset()
        self.reset()
        self._plan(now)

    def receive(self, now: float, data: bytes) -> None:
        """Take what came; a damaged frame costs that frame."""
        for frame in self._parser.feed(data):
            self._take(now, frame)
        self._plan(now)

    def transmit(self, now: float) -> Sequence[bytes | SetLine]:
        """See `SerialDevice`."""
        sent = list(self._send(now))
        self._plan(now)
        return sent

    def _take(self, now: float, frame: Any) -> None:
        raise NotImplementedError

    def _send(self, now: float) -> Iterator[bytes | SetLine]:
        """What is to be sent now; it then counts as sent."""
        yield from ()

    def _times(self, now: float) -> Iterator[float]:
        """When there is something to send."""
        yield from ()

    def _plan(self, now: float) -> None:
        at = min(self._times(now), default=None)
        self.wake_at = None if at is None else max(now, at)


class Driver(Device):
    """`SerialDevice` and `Board` of one robot. `stale_s`: readings that are older are not believed. `ask_s`,
    `seldom_s`: between two greetings, at first and once several were in vain. `repeat_s`: see `CommandLatch`."""

    stale_s = 0.3
    ask_s, seldom_s = 0.2, 0.8
    repeat_s = math.inf
    tunes = 0  # that it knows
    built: frozenset[str] = frozenset()  # resources
    stop = b""  # stops the wheels
    restarted = "the robot has restarted"
    unanswered = "the robot has not answered: is it switched on, and is the cable in?"
    silent = "the robot sends no senses: its wheels are out of control until it does"

    def __init__(self, line: LineSettings, parser: Parser[Any]) -> None:
        super().__init__(line, parser)
        self.drive_mode_exits = 0  # see `boards.contract`
        self._greeting = Greeting(self.ask_s, self.seldom_s)
        self._settled = 0.0  # until then nothing is driven, after a restart
        self._known: tuple[object, Capabilities] = (None, Capabilities())
        self._latch = CommandLatch(self.repeat_s)
        self._reading: Any = None  # the newest `Reading`, or what has its `at`, `cliff`, `lost` and `senses`

    def reset(self) -> None:
        self._reading = None
        self._greeting.reset()
        self._driven = (0.0, 0.0)  # wheel speeds as last sent, in any unit
        self._tunes = Tunes()
        self._latch = CommandLatch(self.repeat_s)

    @property
    def ready(self) -> bool:
        """The robot has answered since `connect`, and has reported what it senses."""
        return self._reading is not None

    @property
    def optional_resources(self) -> frozenset[str]:
        """Of what is not among the capabilities yet, what the robot may report once it answers."""
        return frozenset()

    # SerialDevice

    def connect(self, now: float) -> None:
        """Greet the robot: one that was switched off for long seemed slow, and may be quick now."""
        self._greeting.exchange_s /= 2
        super().connect(now)

    def _send(self, now: float) -> Iterator[bytes | SetLine]:
        """What the connection needs; then the newest command, or a stop."""
        self._latch.expire(now)
        yield from self._converse(now)
        command = self._latch.due(now)
        if command is not None:
            yield self._drive(now, command)
        elif self._latch.stop_due(now):
            self._driven = (0.0, 0.0)
            yield self.stop

    def _converse(self, now: float) -> Iterator[bytes | SetLine]:
        """The greeting while it is due."""
        if now >= self._ask_at(now):
            yield self._greet(now)

    def _greet(self, now: float) -> bytes:
        raise NotImplementedError

    def _drive(self, now: float, command: Command) -> bytes:
        raise NotImplementedError

    def _ask_at(self, now: float) -> float:
        """When the robot is greeted next: while it is silent."""
        return self._reading.at + self.stale_s if self._is_fresh(now) and self._reading else self._greeting.due_at

    def _times(self, now: float) -> Iterator[float]:
        yield self._latch.wake_at(now)
        yield self._ask_at(now)

    def _restart(self, now: float) -> None:
        self.reboots += 1
        self.reset()
        self._settled = now + SETTLE_S

    def _is_fresh(self, now: float) -> bool:
        return self.ready and self._reading is not None and now < self._reading.at + self.stale_s

    # Board

    def capabilities(self, now: float) -> Capabilities:
        """See `Board`; nothing works while the robot has not answered or its readings are stale."""
        trouble = self._trouble(now)
        built, size = self._built(), self._size()
        missing = dict.fromkeys(built, trouble) if trouble else self._lost(now)
        key = (built, tuple(sorted(missing.items())), size)
        if self._known[0] != key:
            self._known = (key, Capabilities(tuple(sorted(built - missing.keys())), key[1], *size))
        return self._known[1]

    def _built(self) -> frozenset[str]:
        """The resources that the robot is built with."""
        return self.built

    def _size(self) -> tuple[float, float, float]:
        """Top speed of a wheel, m/s; wheel base, m; radius, m."""
        raise NotImplementedError

    def _lost(self, now: float) -> dict[str, str]:
        """What of the robot does not work now although it answers, and why."""
        return dict(self._reading.lost) if self._reading is not None else {}

    def _trouble(self, now: float) -> str:
        """Why nothing of the robot can be used now; '' where it can."""
        if now < self._settled:
            return self.restarted
        if not self.ready:
            return self.unanswered
        return "" if self._is_fresh(now) else self.silent

    def senses(self, now: float) -> Senses:
        """See `Board`; empty, with its age, while the robot's readings are not to be believed."""
        reading = self._reading
        if reading is None:
            return empty(self.stale_s)
        return reading.senses(now) if self._is_fresh(now) else empty(now - reading.at)

    def command(self, now: float, command: Command) -> Command:
        """See `Board`: within what the robot can do; not forward at a cliff, zero while it cannot be driven."""
        driven = clamp_to_body(command, self.capabilities(now), self.tunes)
        left, right = driven.left, driven.right
        if self._reading is not None and self._reading.cliff:
            left, right = min(left, 0.0), min(right, 0.0)
        left, right = self._feasible(left, right)
        driven = Command(left, right, driven.opening, driven.lift, driven.tune, driven.expiry_s)
        self._tunes.want(driven.tune)
        if self.ready and driven.expiry_s > 0:
            self._latch.set(now, driven)
            self.wake_at = now
        return driven

    def _feasible(self, left: float, right: float) -> tuple[float, float]:
        """The wheel speeds that the robot drives where these are wanted, m/s."""
        return left, right
