"""Several robots with MURDOCH in one process: see `tests.motivation.network`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from motivation.murdoch import Murdoch
from motivation.murdoch.settings import MurdochSettings, RobotTerms, TaskTerms
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Job
from robotd.model.inputs import Inputs, Order
from robotd.model.senses import Capabilities, Senses
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Feedback, Task
from tests.motivation.network import Channel, Network, Station


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


class Robot(Station):
    """One robot; `history` has the task that it works on, at each decision."""

    def __init__(self, team: Team, name: str, number: int, bot: Bot) -> None:
        self.tasks: set[Task] = set()  # that it has worked on
        super().__init__(team, name, number, bot)

    def judge(self, i: Inputs, beliefs: Beliefs, name: str, task: Task) -> Feedback:
        bot, template = self.bot, name.removeprefix("do-")
        if bot.battery_low:
            return Feedback(applicable=False, missing=("battery",))
        mine = any(step.task == task for step in self.choice.run)
        done = mine and i.now - self.since.get(task, i.now) >= bot.takes_s - 1e-6
        return Feedback(not done, done, fitness=bot.fitness.get(template, 0.5))

    def inputs(self, now: float, n: int) -> Inputs:
        wanted = self.bot.asks(now) if self.choice.run and self.bot.asks is not None else ()
        return Inputs(now, n, Senses(), Capabilities(self.bot.has), tuple(self.orders), subtasks=wanted)

    def note(self, now: float) -> None:
        run = self.choice.run
        self.since = {step.task: self.since.get(step.task, now) for step in run}
        self.tasks |= {step.task for step in run}
        self.history.append((now, run[-1].task.id if run else ""))

    @property
    def jobs(self) -> dict[str, Job]:
        return {job.task.id: job for job in self.choice.jobs}


class Team(Network[Robot]):
    """Robots by name."""

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
        table = NumberTable(
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
        super().__init__(
            table, lambda team, name, number: Robot(team, name, number, bots[name]),
            decision_s=decision_s, channel=channel, slots=slots,
        )  # fmt: skip

    def made(self, robot: Robot) -> Murdoch:
        """A coordinator of a robot, not begun."""
        own = [task for task in self.terms if robot.bot.sets is None or task in robot.bot.sets]
        sets = [(f"do-{task}", task, None) for task in own if not self.terms[task].is_node]
        given = RobotTerms(resources=robot.bot.given)
        return self.make(self.settings, sets, self.table, self.decision_s, own=given)

    def add(self, who: str, *words: str) -> None:
        """`robotd task add`."""
        self[who].orders.append(Order("task-add", words, "test"))

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
