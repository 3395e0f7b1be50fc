"""Several robots with BITE in one process, in virtual time, over a channel that loses frames.

Frames are packed by the radio's own outbox, one a beat from each robot, and decoded by its codec. A behavior ends
after so many seconds on the stack, or when a test has it end.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from motivation.alliance.alliance import Alliance
from motivation.bite import Bite
from motivation.bite.settings import BiteSettings
from motivation.bite.words import FINISHED
from motivation.murdoch import Murdoch
from radio.codec import Codec
from radio.outbox import Outbox
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Choice, Coordinator, Event, MissionTerms
from robotd.model.coordinator_plugin import plugin_of
from robotd.model.inputs import Inputs, Order
from robotd.model.plain import Json
from robotd.model.senses import Capabilities, Senses
from robotd.model.statements import MAX_PENDING, Heard, Sent
from robotd.model.streams import draw
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Feedback, Task

AIR_S = 0.1  # of a frame, at most a tenth of a beat
ENDLESS = 1e9


@dataclass
class Bot:
    """One robot: how long each of its behaviors takes, s (`takes_s` where it is not named), and what it senses."""

    takes: dict[str, float] = field(default_factory=dict)
    takes_s: float = 5.0
    enabled: Callable[[str, float], bool] = lambda name, now: True
    senses_end: Callable[[str, float], bool] = lambda name, now: False
    fitness: dict[str, float] = field(default_factory=dict)
    structure: tuple[str, ...] = ()  # behaviors without a set


class Robot:
    """A coordinator with its outbox and clock; it is off while `coordinator` is None."""

    def __init__(self, team: Team, name: str, number: int, bot: Bot) -> None:
        self.team, self.name, self.number, self.bot = team, name, number, bot
        self.events: list[tuple[float, Event]] = []
        self.history: list[tuple[float, tuple[str, ...]]] = []  # the names of the run, where it changed
        self.kept, self.kept_version = "", -1
        self.coordinator: Bite | None = None
        self.start(0.0)

    def start(self, now: float) -> None:
        """A process begins; it recalls what the last one kept."""
        self.coordinator, self.choice = self.team.made(self), Choice()
        self.coordinator.begin(now, self.number, self.team.tasks, self.team.table.team, 0)
        if self.kept:
            self.coordinator.recall(json.loads(self.kept))
        self.beliefs = Beliefs(self.team.table, self.number, 1, running=True)
        self.outbox = Outbox(self.team.table, self.team.codec)
        self.inbox: list[Heard] = []
        self.sent: list[Sent] = []
        self.orders: list[Order] = []
        self.since: dict[tuple[str, ...], float] = {}

    def judge(self, i: Inputs, beliefs: Beliefs, name: str, task: Task) -> Feedback:
        bot, behavior = self.bot, name.removeprefix("do-")
        since = next((at for path, at in self.since.items() if path[-1] == behavior), None)
        over = bot.senses_end(behavior, i.now)
        lasted = since is not None and i.now - since >= bot.takes.get(behavior, bot.takes_s) - 1e-6
        over = over or lasted
        applicable = bot.enabled(behavior, i.now)
        return Feedback(
            applicable and not (over and since is not None), over and since is not None,
            fitness=bot.fitness.get(behavior, 0.5), over=over,
        )  # fmt: skip

    def decide(self, now: float, n: int) -> None:
        assert self.coordinator is not None
        heard = sorted((one for one in self.inbox if one.at <= now), key=lambda one: (one.at, one.sender))
        self.inbox = [one for one in self.inbox if one.at > now]
        self.beliefs = self.beliefs.learn(heard)
        i = Inputs(now, n, Senses(), Capabilities(), tuple(self.orders))
        before = self.choice.run
        choice = self.coordinator.step(i, self.beliefs, self.judge, heard, tuple(self.sent))
        self.orders, self.sent, self.choice = [], [], choice
        assert len(choice.statements) <= MAX_PENDING
        self.outbox.state(now, choice.statements)
        self.events += [(now, event) for event in choice.events]
        names = tuple(step.task.id for step in choice.run)
        restarts = {event.task for event in choice.events if event.kind in ("entered", "began", "joined")}
        paths = [names[: k + 1] for k in range(len(names))]
        self.since = {path: now if path[-1] in restarts else self.since.get(path, now) for path in paths}
        if before != choice.run or not self.history:
            self.history.append((now, names))
        if self.kept_version != self.coordinator.memory_version:
            self.kept_version, self.kept = self.coordinator.memory_version, json.dumps(self.coordinator.memory())

    @property
    def run(self) -> tuple[str, ...]:
        """The names of the behaviors that act, from the root."""
        return tuple(step.task.id for step in self.choice.run)

    @property
    def stack(self) -> tuple[tuple[str, int], ...]:
        """The stack: behaviors and their occurrences, from the root."""
        assert self.coordinator is not None
        graph = self.coordinator._graph
        return tuple((graph[one.node].name, one.occurrence) for one in self.coordinator._state.stack)

    @property
    def phase(self) -> int:
        assert self.coordinator is not None
        return self.coordinator._state.phase

    def said(self, kind: str) -> list[Event]:
        return [event for _, event in self.events if event.kind == kind]

    def when(self, *names: str) -> list[float]:
        """The times at which the run became one that ends with these names."""
        return [at for at, run in self.history if run[-len(names) :] == names]


class Team:
    """Robots by name, numbered in order from 1; `run` goes on to a time and calls `script` entries on the way."""

    def __init__(
        self, graph: Mapping[str, Mapping[str, Any]], bots: Mapping[str, Bot] | Iterable[str], *,
        recurring: Sequence[str] = (), beat_s: float = 1.0, decision_s: float = 0.25, loss: float = 0.0,
        seed: int = 0, make: type[Bite] = Bite,
        **settings: Any,
    ) -> None:  # fmt: skip
        self.bots = dict(bots) if isinstance(bots, Mapping) else {name: Bot() for name in bots}
        self.make = make
        self.settings = make.Settings(**{"start": next(iter(graph)), "graph": graph, **settings})
        assert isinstance(self.settings, BiteSettings)
        self.tasks = [Task(name, id=name) for name in graph]
        plain = NumberTable(
            tuple(Member(name, k, "r2") for k, name in enumerate(self.bots, 1)),
            tuple(TaskEntry(task, k, recurring=task.id in recurring) for k, task in enumerate(self.tasks, 1)),
            (), beat_s=beat_s,
        )  # fmt: skip
        self.table = plain.extended(self.own_kinds())
        terms = MissionTerms(self.table, {}, {}, {})
        assert not (found := [*make.check(self.settings, terms)]), found
        self.codec, self.decision_s, self.beat_s = Codec(self.table), decision_s, beat_s
        self.loss, self.seed, self.count, self.n = loss, seed, 0, 0
        self.cut: Callable[[int, int], bool] = lambda sender, receiver: False
        self.script: list[tuple[float, Callable[[], None]]] = []
        self.robots = {name: Robot(self, name, k, bot) for k, (name, bot) in enumerate(self.bots.items(), 1)}
        self._beats = dict.fromkeys(self.robots, 0)
        self._due = {name: self._slot(robot) for name, robot in self.robots.items()}

    def own_kinds(self) -> tuple[Any, ...]:
        return self.make.own_kinds

    def made(self, robot: Robot) -> Bite:
        """A coordinator of a robot, not begun."""
        sets = [(f"do-{task.id}", task.id, None) for task in self.tasks if task.id not in robot.bot.structure]
        return self.make(self.settings, sets, self.table, self.decision_s, make=self._inside)

    def _inside(
        self, name: str, parameters: Mapping[str, Any], sets: Sequence[tuple[str, str, Any]], instance: int
    ) -> Coordinator:
        plugin = plugin_of({"alliance": Alliance, "murdoch": Murdoch}[name])
        model = plugin.SetSettings
        own = [(one, task, model(**(terms or {})) if model else None) for one, task, terms in sets]
        return plugin.make(plugin.Settings(**parameters), own, self.table, self.decision_s)

    @property
    def now(self) -> float:
        return self.n * self.decision_s

    def __getitem__(self, name: str) -> Robot:
        return self.robots[name]

    @property
    def live(self) -> list[Robot]:
        return [robot for robot in self.robots.values() if robot.coordinator is not None]

    def at(self, time: float, do: Callable[[], None]) -> None:
        self.script.append((time, do))

    def kill(self, name: str) -> None:
        self[name].coordinator = None

    def reboot(self, name: str, *, remembers: bool = True) -> None:
        if not remembers:
            self[name].kept = ""
        self[name].start(self.now)

    def run(self, until: float, stop: Callable[[], bool] | None = None) -> Team:
        while self.now < until - 1e-9 and not (stop is not None and stop()):
            self.n += 1
            self._transmit(self.now)
            for entry in [entry for entry in self.script if entry[0] <= self.now + 1e-9]:
                self.script.remove(entry)
                entry[1]()
            for robot in self.live:
                robot.decide(self.now, self.n)
        return self

    def _slot(self, robot: Robot) -> float:
        return (self._beats[robot.name] + robot.number / (len(self.robots) + 1)) * self.beat_s

    def _transmit(self, until: float) -> None:
        while True:
            name = min(self._due, key=self._due.__getitem__)
            at = self._due[name]
            if at > until:
                return
            self._beats[name] += 1
            self._due[name] = self._slot(self[name])
            if self[name].coordinator is not None:
                self._send(self[name], at)

    def _send(self, robot: Robot, at: float) -> None:
        said = self.codec.round(robot.outbox.pack(at, (), robot.beliefs))
        robot.sent.append(Sent(at, said))
        for other in self.live:
            if other is robot or self.cut(robot.number, other.number):
                continue
            self.count += 1
            link = f"{robot.number}-{other.number}"
            if not self.loss or draw(self.seed, link, "loss", self.count) >= self.loss:
                arrived = at + min(AIR_S, 0.1 * self.beat_s)
                other.inbox.append(
                    Heard(arrived, robot.number, 1, running=True, same_mission=True, statements=said)
                )

    # -- what came of it

    def is_finished(self) -> bool:
        return all(robot.phase == FINISHED for robot in self.live)

    def departures(self) -> dict[tuple[str, int], set[str]]:
        """By behavior and occurrence of the first chain what the robots went on with."""
        found: dict[tuple[str, int], set[str]] = {}
        for robot in self.robots.values():
            for event in robot.said("decided"):
                key = event.task, event.data["occurrence"]
                found.setdefault(key, set()).add(event.data["choice"])
        return found


def freeze(robot: Robot) -> Json:
    assert robot.coordinator is not None
    return json.loads(json.dumps(robot.coordinator.freeze()))


NAMES: Sequence[str] = ("r1", "r2", "r3")
FORMATION: dict[str, dict[str, Any]] = {
    "formation": {"first": ("search",), "team": "all", "terminate": "all"},
    "search": {"next": ("walk", "line-walk"), "team": "all", "decide": "vote", "terminate": "all"},
    "walk": {
        "first": ("lead", "left", "right"), "next": ("search",), "team": "all", "allocate": "agreed",
        "terminate": "first",
    },
    "line-walk": {
        "first": ("lead", "behind", "last"), "team": "all", "allocate": "agreed", "terminate": "all",
    },
    "lead": {}, "left": {}, "right": {}, "behind": {}, "last": {},
}  # fmt: skip
