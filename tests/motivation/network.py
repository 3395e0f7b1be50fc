"""Several coordinators in one process, in virtual time, over a channel that loses, doubles and delays frames.

Frames are packed by the radio's own outbox, one a beat from each robot, and decoded by its codec.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from radio.codec import Codec
from radio.outbox import Outbox
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Choice, Event
from robotd.model.inputs import Inputs, Order
from robotd.model.senses import Capabilities, Senses
from robotd.model.statements import MAX_PENDING, Heard, Sent, Statement
from robotd.model.streams import draw
from robotd.model.table import NumberTable
from robotd.model.tasks import Feedback, Task

AIR_S = 0.1  # of a frame at 9600 baud; a tenth of a beat on faster radios


@dataclass
class Channel:
    """What happens to each frame on each link; `fate` may overrule it: copies with their delays in beats."""

    loss: float = 0.0
    late: float = 0.0  # frames arrive up to so many beats late
    double: float = 0.0  # share of frames that arrive twice
    seed: int = 0
    fate: Callable[[float, int, int, tuple[Statement, ...]], Sequence[float]] | None = None
    drops: dict[str, int] = field(default_factory=dict)  # so many records of a kind reach no station
    cut: Callable[[int, int], bool] = lambda sender, receiver: False

    def without_dropped(self, said: tuple[Statement, ...]) -> tuple[Statement, ...]:
        kept = []
        for one in said:
            if self.drops.get(one.kind, 0) > 0:
                self.drops[one.kind] -= 1
            else:
                kept.append(one)
        return tuple(kept)


class Station:
    """A robot: coordinator, outbox and clock; `coordinator` is None while it is switched off."""

    def __init__(self, team: Any, name: str, number: int, bot: Any) -> None:
        self.team, self.name, self.number, self.bot = team, name, number, bot
        self.kept: tuple[int, str] | None = None
        self.events: list[tuple[float, Event]] = []
        self.history: list[tuple[float, Any]] = []
        self.frames: list[tuple[float, tuple[Statement, ...]]] = []
        self.coordinator: Any = None
        self.start(0.0)

    def start(self, now: float) -> None:
        """A process begins; it recalls what the last one kept."""
        table, made = self.team.table, self._begun(now)
        if self.kept is not None:
            made.recall(json.loads(self.kept[1]))
        self.coordinator, self.choice = made, Choice()
        self.beliefs = Beliefs(table, self.number, 1, running=True)
        self.outbox = Outbox(table, self.team.codec)
        self.inbox: list[Heard] = []
        self.sent: list[Sent] = []
        self.orders: list[Order] = []
        self.since: dict[Any, float] = {}

    def stop(self) -> None:
        self.coordinator = None

    def thaw(self, state: Any) -> None:
        """Go on in another process, as frozen."""
        self.coordinator = self._begun(0.0)
        self.coordinator.thaw(state)

    def _begun(self, now: float) -> Any:
        made, table = self.team.made(self), self.team.table
        made.begin(now, self.number, [entry.task for entry in table.tasks], table.team, 0)
        return made

    def judge(self, i: Inputs, beliefs: Beliefs, name: str, task: Task) -> Feedback:
        """How its behavior set judges a task."""
        raise NotImplementedError

    def inputs(self, now: float, n: int) -> Inputs:
        return Inputs(now, n, Senses(), Capabilities(), tuple(self.orders))

    def decide(self, now: float, n: int) -> None:
        heard = sorted((one for one in self.inbox if one.at <= now), key=lambda one: (one.at, one.sender))
        self.inbox = [one for one in self.inbox if one.at > now]
        self.beliefs = self.beliefs.learn(heard)
        i = self.inputs(now, n)
        choice = self.coordinator.step(i, self.beliefs, self.judge, heard, tuple(self.sent))
        self.beliefs = self.beliefs.learn([replace(fact, since=now) for fact in choice.facts])
        self.orders, self.sent, self.choice = [], [], choice
        assert len(choice.statements) <= MAX_PENDING
        self.outbox.state(now, choice.statements)
        self.events += [(now, event) for event in choice.events]
        self.note(now)
        if self.kept is None or self.kept[0] != self.coordinator.memory_version:
            self.kept = self.coordinator.memory_version, json.dumps(self.coordinator.memory())

    def note(self, now: float) -> None:
        """Keep what tests look at, after a decision."""
        raise NotImplementedError

    def count(self, kind: str) -> int:
        return sum(event.kind == kind for _, event in self.events)


S = TypeVar("S", bound=Station)


class Network(Generic[S]):
    """Stations by name; `run` steps to a time and calls `script` entries on the way."""

    def __init__(
        self, table: NumberTable, stations: Callable[[Any, str, int], S], *, decision_s: float,
        channel: Channel | None, slots: bool = True,
    ) -> None:  # fmt: skip
        self.table, self.codec, self.decision_s, self.beat_s = table, Codec(table), decision_s, table.beat_s
        self.channel, self.slots = channel or Channel(), slots
        self.n, self.count = 0, 0
        self.script: list[tuple[float, Callable[[], None]]] = []
        self.robots: dict[str, S] = {one.name: stations(self, one.name, one.number) for one in table.team}
        self._due = {name: self._slot(robot, 0) for name, robot in self.robots.items()}
        self._beats = dict.fromkeys(self.robots, 0)

    @property
    def now(self) -> float:
        return self.n * self.decision_s

    def __getitem__(self, name: str) -> S:
        return self.robots[name]

    @property
    def live(self) -> list[S]:
        return [robot for robot in self.robots.values() if robot.coordinator is not None]

    def at(self, time: float, do: Callable[[], None]) -> None:
        self.script.append((time, do))

    def kill(self, name: str) -> None:
        self[name].stop()

    def reboot(self, name: str, *, remembers: bool = True) -> None:
        if not remembers:
            self[name].kept = None
        self[name].start(self.now)

    def run(self, until: float, stop: Callable[[], bool] | None = None) -> Any:
        while self.now < until - 1e-9 and not (stop is not None and stop()):
            self.n += 1
            self._transmit(self.now)
            for entry in [entry for entry in self.script if entry[0] <= self.now + 1e-9]:
                self.script.remove(entry)
                entry[1]()
            for robot in self.live:
                robot.decide(self.now, self.n)
        return self

    # -- the channel

    def _slot(self, robot: S, beat: int) -> float:
        share = robot.number / (len(self.robots) + 1) if self.slots else draw(7, robot.name, "slot", beat)
        return (beat + share) * self.beat_s

    def _transmit(self, until: float) -> None:
        """The frames that leave up to now, in order."""
        while True:
            name = min(self._due, key=self._due.__getitem__)
            at = self._due[name]
            if at > until:
                return
            self._beats[name] += 1
            self._due[name] = self._slot(self[name], self._beats[name])
            if self[name].coordinator is not None:
                self._send(self[name], at)

    def _send(self, robot: S, at: float) -> None:
        said = self.codec.round(robot.outbox.pack(at, (), robot.beliefs))
        robot.sent.append(Sent(at, said))
        robot.frames.append((at, said))
        said = self.channel.without_dropped(said)
        for other in self.live:
            if other is not robot and not self.channel.cut(robot.number, other.number):
                for late in self._fate(at, robot.number, other.number, said):
                    arrived = at + min(AIR_S, 0.1 * self.beat_s) + late * self.beat_s
                    other.inbox.append(
                        Heard(arrived, robot.number, 1, running=True, same_mission=True, statements=said)
                    )

    def _fate(self, at: float, sender: int, receiver: int, said: tuple[Statement, ...]) -> Iterator[float]:
        c = self.channel
        if c.fate is not None:
            yield from c.fate(at, sender, receiver, said)
            return
        self.count += 1
        if self._draw("loss", sender, receiver) >= c.loss:
            yield self._draw("late", sender, receiver) * c.late
            if self._draw("double", sender, receiver) < c.double:
                yield self._draw("again", sender, receiver) * c.late

    def _draw(self, purpose: str, sender: int, receiver: int) -> float:
        """A number from 0 to 1, of this frame on this link."""
        c = self.channel
        if not {"loss": c.loss, "double": c.double}.get(purpose, c.late):
            return 0.0 if purpose != "double" else 1.0
        return draw(c.seed, f"{sender}-{receiver}", purpose, self.count)
