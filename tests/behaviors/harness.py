"""Behaviors and mock bodies in one world without radio or coordinator: a scripted choice of sets drives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from behaviors.cleanup.find_locations_methodical import FindLocationsMethodical
from behaviors.cleanup.find_locations_wander import FindLocationsWander
from behaviors.cleanup.move_spill.behavior_set import MoveSpill
from behaviors.cleanup.report_progress import ReportProgress
from behaviors.engine import Behaviors
from behaviors.layers.avoid_obstacles import AvoidObstacles
from behaviors.layers.bump_escape import BumpEscape
from behaviors.layers.clear_gripper import ClearGripper
from boards.mock.driver import MockR2
from boards.mock.settings import BodySpec, WorldSettings
from boards.mock.world import World
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Choice
from robotd.model.command import ActionResult
from robotd.model.facts import Fact, FactKind
from robotd.model.inputs import Inputs
from robotd.model.table import NumberTable
from robotd.model.tasks import Assignment, Feedback, Task

FACTS = (
    FactKind("located", 1, "flag"),
    FactKind("spill-left", 2, "place"),
    FactKind("spill-right", 3, "place"),
    FactKind("goal", 4, "place"),
    FactKind("spill-left-moved", 5, "flag"),
    FactKind("spill-right-moved", 6, "flag"),
    FactKind("reports", 7, "count"),
)
TASKS = {
    "find-locations-methodical": Task("find-locations", (), "find-locations"),
    "find-locations-wander": Task("find-locations", (), "find-locations"),
    "move-spill-left": Task("move-spill", (("spill", "left"),), "move-spill-left"),
    "move-spill-right": Task("move-spill", (("spill", "right"),), "move-spill-right"),
    "report-progress": Task("report-progress", (), "report-progress"),
}
IDLE = Choice()
HZ = 10


def behaviors(settings: Mapping[str, Mapping[str, Any]] | None = None) -> Behaviors:
    """One robot's cleanup behaviors; `settings` by the name of layer or set."""
    given = settings or {}
    layers = {"avoid-obstacles": AvoidObstacles, "clear-gripper": ClearGripper, "bump-escape": BumpEscape}
    sets = {
        "find-locations-methodical": FindLocationsMethodical, "find-locations-wander": FindLocationsWander,
        "move-spill-left": MoveSpill, "move-spill-right": MoveSpill, "report-progress": ReportProgress,
    }  # fmt: skip
    return Behaviors(
        {name: kind(kind.Settings(**given.get(name, {}))) for name, kind in layers.items()},
        {name: kind(kind.Settings(**given.get(name, {}))) for name, kind in sets.items()},
    )


@dataclass
class Bot:
    """One robot: its body, its behaviors, what it knows, what it is to do, and its story."""

    board: MockR2
    behaviors: Behaviors
    beliefs: Beliefs
    tasks: Mapping[str, Task] = field(default_factory=lambda: TASKS)
    chosen: str = ""
    acted: ActionResult = field(default_factory=ActionResult)
    feedback: dict[str, Feedback] = field(default_factory=dict)
    story: list[tuple[float, str, str]] = field(default_factory=list)  # when, what, which set
    tools: list[str | None] = field(default_factory=list)

    def choose(self, now: float, name: str) -> None:
        """Have the set called `name` act from now on; '' idles."""
        if name != self.chosen:
            self.story.append((now, "chosen", name))
            self.chosen = name

    @property
    def done(self) -> list[str]:
        """The sets whose task was finished, in order."""
        return [which for _, what, which in self.story if what == "done"]

    def act(self, n: int) -> list[Fact]:
        """Control tick `n`, with assessments every fifth of a second; the facts that it asserts, dated."""
        now = n / HZ
        i = Inputs(now, n, self.board.senses(now), self.board.capabilities(now))
        if n % (HZ // 5) == 0:
            for name, task in self.tasks.items():
                self.feedback[name] = self.behaviors.assess(i, self.beliefs, name, task)
            if self.chosen and self.feedback[self.chosen].done:
                self.story.append((now, "done", self.chosen))
                self.chosen = ""
        choice = Choice(run=(Assignment(self.chosen, self.tasks[self.chosen]),)) if self.chosen else IDLE
        self.acted = self.behaviors.act(i, self.beliefs, choice)
        facts = [Fact(fact.name, fact.value, now) for fact in self.acted.facts]
        self.beliefs = self.beliefs.learn(facts)
        self.tools.append(self.board.command(now, self.acted.command).tool)
        return facts


class Team:
    """Robots in one world, ticked in order; facts are told to all at once."""

    def __init__(
        self, names: tuple[str, ...] = ("green",), world: WorldSettings | None = None, seed: int = 1,
        settings: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:  # fmt: skip
        self.world = World(world or WorldSettings(), [BodySpec(n, "r2", k + 1) for k, n in enumerate(names)], seed)
        table = NumberTable((), (), FACTS)
        self.bots = {
            name: Bot(MockR2(self.world, name), behaviors(settings), Beliefs(table, k + 1))
            for k, name in enumerate(names)
        }
        self.n = 0
        self.facts: list[tuple[float, str, Fact]] = []

    @property
    def now(self) -> float:
        """Time of the present tick, s."""
        return self.n / HZ

    def tell(self, *facts: Fact) -> None:
        """Everybody knows this."""
        for bot in self.bots.values():
            bot.beliefs = bot.beliefs.learn(facts)

    def tick(self) -> None:
        """One control tick of every robot."""
        self.n += 1
        for name, bot in self.bots.items():
            for fact in bot.act(self.n):
                self.facts.append((self.now, name, fact))
                for other in self.bots.values():
                    other.beliefs = other.beliefs.joined(bot.beliefs.facts[fact.name])

    def run(
        self, until: Callable[[], bool], limit_s: float, choose: Callable[[Team], None] | None = None
    ) -> float:
        """Tick until `until()` or `limit_s` of virtual time have passed; the time that it took, s."""
        begun = self.now
        while not until() and self.now - begun < limit_s:
            if choose is not None:
                choose(self)
            self.tick()
        return self.now - begun

    def done(self, name: str, set_name: str) -> bool:
        """True once the robot has finished a task with the set."""
        return set_name in self.bots[name].done


class Solo(Bot):
    """The robot `green` alone in a world: the set `chosen` acts, and ends when it is done."""

    def __init__(self, world: World, made: Behaviors, table: NumberTable, tasks: Mapping[str, Task]) -> None:
        super().__init__(MockR2(world, "green"), made, Beliefs(table, 1), tasks)
        self.world, self.n = world, 0
        self.reported: list[tuple[str, tuple[float, ...]]] = []

    @property
    def now(self) -> float:
        """Time of the present tick, s."""
        return self.n / HZ

    def run(self, seconds: float, until: Callable[[], bool] = lambda: False) -> Self:
        """Tick for so long, or until `until()`."""
        end = self.n + round(seconds * HZ)
        while self.n < end and not until():
            self.n += 1
            self.reported += [(fact.name, fact.value) for fact in self.act(self.n)]
        return self

    def does(self, name: str, limit_s: float = 60.0) -> float:
        """Has the set called `name` act until it is done; the time that it took, s."""
        self.chosen, begun, count = name, self.now, len(self.done)
        self.run(limit_s, lambda: len(self.done) > count)
        assert len(self.done) > count, f"{name} took longer than {limit_s} s"
        return self.now - begun
