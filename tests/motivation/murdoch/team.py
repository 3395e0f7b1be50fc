"""Several coordinators in one process, in virtual time, over a channel that loses, doubles and delays frames.

Frames are packed by the radio's own outbox, one a beat from each robot, and decoded by its codec.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from motivation.murdoch import Murdoch
from motivation.murdoch.settings import MurdochSettings, RobotTerms, TaskTerms
from radio.codec import Codec
from radio.outbox import Outbox
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Choice, Event, Job
from robotd.model.inputs import Inputs, Order
from robotd.model.senses import Capabilities, Senses
from robotd.model.statements import MAX_PENDING, Heard, Sent, Statement
from robotd.model.streams import draw
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Feedback, Task

AIR_S = 0.1  # of a frame at 9600 baud; a tenth of a beat on faster radios


@dataclass
class Bot:
    """One robot of a test: what it has and how its behavior sets judge; `has` may change in mid-run."""

    has: tuple[str, ...] = ("mobile", "camera")
    fitness: Mapping[str, float] = field(default_factory=dict)  # by task of the mission
    takes_s: float = 20.0  # of work until a set reports done
    sets: tuple[str, ...] | None = None  # the tasks that it has a set for; default: all with resources
    battery_low: bool = False
    asks: Callable[[float], tuple[Task, ...]] | None = None  # the subtasks while it works, by time
    given: tuple[str, ...] = ()  # capabilities of its robot table


@dataclass
class Channel:
    """What happens to each frame on each link; `fate` may overrule it: copies with their delays in beats."""

    loss: float = 0.0
    late: float = 0.0  # frames arrive up to so many beats late
    double: float = 0.0  # share of frames that arrive twice
    seed: int = 0
    fate: Callable[[float, int, int, tuple[Statement, ...]], Sequence[float]] | None = None
    drops: dict[str, int] = field(default_factory=dict)  # so many records of a kind reach nobody

    def without_dropped(self, said: tuple[Statement, ...]) -> tuple[Statement, ...]:
        kept = []
        for one in said:
            if self.drops.get(one.kind, 0) > 0:
                self.drops[one.kind] -= 1
            else:
                kept.append(one)
        return tuple(kept)


class Robot:
    """A coordinator with its outbox and clock; `coordinator` is None while it is switched off."""

    def __init__(self, team: Team, name: str, number: int, bot: Bot) -> None:
        self.team, self.name, self.number, self.bot = team, name, number, bot
        self.kept: tuple[int, str] | None = None
        self.events: list[tuple[float, Event]] = []
        self.history: list[tuple[float, str]] = []  # the task that it works on, at each decision
        self.frames: list[tuple[float, tuple[Statement, ...]]] = []
        self.tasks: set[Task] = set()  # that it has worked on
        self.coordinator: Murdoch | None = None
        self.start(0.0)

    def start(self, now: float) -> None:
        """A process begins; it recalls what the last one kept."""
        table = self.team.table
        tasks = [entry.task.id for entry in table.tasks]
        own = [task for task in tasks if self.bot.sets is None or task in self.bot.sets]
        sets = [(f"do-{task}", task, None) for task in own if not self.team.terms[task].is_node]
        made = self.team.make(
            self.team.settings, sets, table, self.team.decision_s, own=RobotTerms(resources=self.bot.given)
        )
        made.begin(now, self.number, [entry.task for entry in table.tasks], table.team, 0)
        if self.kept is not None:
            made.recall(json.loads(self.kept[1]))
        self.coordinator, self.choice = made, Choice()
        self.beliefs = Beliefs(table, self.number, 1, running=True)
        self.outbox = Outbox(table, self.team.codec)
        self.inbox: list[Heard] = []
        self.sent: list[Sent] = []
        self.orders: list[Order] = []
        self.since: dict[Task, float] = {}

    def stop(self) -> None:
        self.coordinator = None

    def judge(self, i: Inputs, beliefs: Beliefs, name: str, task: Task) -> Feedback:
        bot, template = self.bot, name.removeprefix("do-")
        if bot.battery_low:
            return Feedback(applicable=False, missing=("battery",))
        mine = any(step.task == task for step in self.choice.run)
        done = mine and i.now - self.since.get(task, i.now) >= bot.takes_s - 1e-6
        return Feedback(not done, done, fitness=bot.fitness.get(template, 0.5))

    def decide(self, now: float, n: int) -> None:
        assert self.coordinator is not None
        heard = sorted((one for one in self.inbox if one.at <= now), key=lambda one: (one.at, one.sender))
        self.inbox = [one for one in self.inbox if one.at > now]
        self.beliefs = self.beliefs.learn(heard)
        working = bool(self.choice.run) and self.bot.asks is not None
        wanted = self.bot.asks(now) if working and self.bot.asks is not None else ()
        i = Inputs(now, n, Senses(), Capabilities(self.bot.has), tuple(self.orders), subtasks=wanted)
        choice = self.coordinator.step(i, self.beliefs, self.judge, heard, tuple(self.sent))
        self.orders, self.sent, self.choice = [], [], choice
        assert len(choice.statements) <= MAX_PENDING
        self.outbox.state(now, choice.statements)
        self.events += [(now, event) for event in choice.events]
        self.since = {step.task: self.since.get(step.task, now) for step in choice.run}
        self.tasks |= {step.task for step in choice.run}
        self.history.append((now, choice.run[-1].task.id if choice.run else ""))
        if self.kept is None or self.kept[0] != self.coordinator.memory_version:
            self.kept = self.coordinator.memory_version, json.dumps(self.coordinator.memory())

    @property
    def jobs(self) -> dict[str, Job]:
        return {job.task.id: job for job in self.choice.jobs}

    def count(self, kind: str) -> int:
        return sum(event.kind == kind for _, event in self.events)


class Team:
    """Robots by name, numbered in order from 1; `run` goes on to a time and calls `script` entries on the way."""

    def __init__(
        self, bots: Mapping[str, Bot], tasks: Mapping[str, Mapping[str, Any]], *, beat_s: float = 3.0,
        decision_s: float = 0.2, channel: Channel | None = None, slots: bool = True,
        args: Mapping[str, tuple[str, Mapping[str, str]]] | None = None, make: type[Murdoch] = Murdoch,
        **settings: Any,
    ) -> None:  # fmt: skip
        """`tasks`: terms by task; `args`: kind and arguments of those that have some."""
        self.make, self.settings = make, MurdochSettings(**settings)
        self.terms = {name: TaskTerms(**terms) for name, terms in tasks.items()}
        kinds = {name: (args or {}).get(name, (name, {})) for name in tasks}
        self.table = NumberTable(
            tuple(Member(name, k, "r2") for k, name in enumerate(bots, 1)),
            tuple(
                TaskEntry(
                    Task(kinds[name][0], tuple(sorted(kinds[name][1].items())), name),
                    k,
                    terms=own.model_dump_json(),
                )
                for k, (name, own) in enumerate(self.terms.items(), 1)
            ),
            (), beat_s=beat_s,
        )  # fmt: skip
        self.codec, self.decision_s, self.beat_s = Codec(self.table), decision_s, beat_s
        self.channel, self.slots = channel or Channel(), slots
        self.robots = {name: Robot(self, name, k, bot) for k, (name, bot) in enumerate(bots.items(), 1)}
        self.n, self.count = 0, 0
        self.script: list[tuple[float, Callable[[], None]]] = []
        self._due = {name: self._slot(robot, 0) for name, robot in self.robots.items()}
        self._beats = dict.fromkeys(self.robots, 0)

    @property
    def now(self) -> float:
        return self.n * self.decision_s

    def __getitem__(self, name: str) -> Robot:
        return self.robots[name]

    def at(self, time: float, do: Callable[[], None]) -> None:
        self.script.append((time, do))

    def add(self, who: str, *words: str) -> None:
        """`robotd task add`."""
        self[who].orders.append(Order("task-add", words, "test"))

    def kill(self, name: str) -> None:
        self[name].stop()

    def reboot(self, name: str) -> None:
        self[name].start(self.now)

    def run(self, until: float, stop: Callable[[], bool] | None = None) -> None:
        while self.now < until and not (stop is not None and stop()):
            self.n += 1
            self._transmit(self.now)
            for entry in [entry for entry in self.script if entry[0] <= self.now]:
                self.script.remove(entry)
                entry[1]()
            for robot in self.robots.values():
                if robot.coordinator is not None:
                    robot.decide(self.now, self.n)

    # -- the channel

    def _slot(self, robot: Robot, beat: int) -> float:
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

    def _send(self, robot: Robot, at: float) -> None:
        records = robot.outbox.pack(at, (), robot.beliefs)
        said = self.codec.round(records)
        robot.sent.append(Sent(at, said))
        robot.frames.append((at, said))
        said = self.channel.without_dropped(said)
        for other in self.robots.values():
            if other is not robot and other.coordinator is not None:
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

    # -- what came of it

    def overlap_s(self) -> float:
        """How long two robots worked on one task."""
        together: dict[tuple[float, str], int] = {}
        for robot in self.robots.values():
            for at, task in robot.history:
                if task:
                    together[at, task] = together.get((at, task), 0) + 1
        return sum(self.decision_s for count in together.values() if count > 1)

    def workers(self, task: str) -> list[str]:
        """The robots that worked on a task, in order of their beginning."""
        began = {}
        for robot in self.robots.values():
            times = [at for at, one in robot.history if one == task]
            if times:
                began[robot.name] = times[0]
        return sorted(began, key=began.__getitem__)


PUSH = {"resources": ("mobile", "camera")}
WATCHING: dict[str, Mapping[str, Any]] = {
    "watch-box": {"resources": ("mobile", "laser", "camera"), "children": ("push-left", "push-right")},
    "push-left": {**PUSH, "argument": "speed", "argument_most": 0.2},
    "push-right": {**PUSH, "argument": "speed", "argument_most": 0.2},
}
ENDS = {"push-left": ("push-box", {"end": "left"}), "push-right": ("push-box", {"end": "right"})}


def push(end: str, speed: float, progress: float | None = None) -> Task:
    """The subtask of a watcher."""
    seen = (("progress", f"{progress:.3f}"),) if progress is not None else ()
    return Task("push-box", (("end", end), *seen, ("speed", f"{speed:.2f}")), f"watch-box/{end}")
