"""Several robots with BITE in one process: see `tests.motivation.network`.

A behavior ends after so many seconds on the stack, or when a test has it end.
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
from motivation.cobos import Cobos
from motivation.murdoch import Murdoch
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Coordinator, Event, MissionTerms
from robotd.model.coordinator_plugin import plugin_of
from robotd.model.inputs import Inputs
from robotd.model.plain import Json
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Feedback, Task
from tests.motivation.network import Channel, Network, Station

ENDLESS = 1e9
INSIDE = {"alliance": Alliance, "murdoch": Murdoch, "cobos": Cobos}


@dataclass
class Bot:
    """One robot: how long each of its behaviors takes, s (`takes_s` where it is not named), and what it senses."""

    takes: dict[str, float] = field(default_factory=dict)
    takes_s: float = 5.0
    enabled: Callable[[str, float], bool] = lambda name, now: True
    senses_end: Callable[[str, float], bool] = lambda name, now: False
    fitness: dict[str, float] = field(default_factory=dict)
    structure: tuple[str, ...] = ()  # behaviors without a set


class Robot(Station):
    """One robot; `history` has the names of the run, where it changed."""

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

    def note(self, now: float) -> None:
        names = tuple(step.task.id for step in self.choice.run)
        restarts = {event.task for event in self.choice.events if event.kind in ("entered", "began", "joined")}
        paths = [names[: k + 1] for k in range(len(names))]
        self.since = {path: now if path[-1] in restarts else self.since.get(path, now) for path in paths}
        if not self.history or self.history[-1][1] != names:
            self.history.append((now, names))

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


class Team(Network[Robot]):
    """Robots by name."""

    def __init__(
        self, graph: Mapping[str, Mapping[str, Any]], bots: Mapping[str, Bot] | Iterable[str], *,
        recurring: Sequence[str] = (), beat_s: float = 1.0, decision_s: float = 0.25, loss: float = 0.0,
        seed: int = 0, make: type[Bite] = Bite, terms: Mapping[str, Mapping[str, Any]] | None = None,
        given: Mapping[str, Mapping[str, float]] | None = None, **settings: Any,
    ) -> None:  # fmt: skip
        """`terms`: of tasks, for coordinators inside; `given`: of every robot, by coordinator."""
        self.bots = dict(bots) if isinstance(bots, Mapping) else {name: Bot() for name in bots}
        self.make, self.given = make, given or {}
        self.settings = make.Settings(**{"start": next(iter(graph)), "graph": graph, **settings})
        assert isinstance(self.settings, BiteSettings)
        self.tasks = [Task(name, id=name) for name in graph]
        own = {name: json.dumps(one) for name, one in (terms or {}).items()}
        plain = NumberTable(
            tuple(Member(name, k, "r2") for k, name in enumerate(self.bots, 1)),
            tuple(
                TaskEntry(task, k, recurring=task.id in recurring, terms=own.get(task.id, ""))
                for k, task in enumerate(self.tasks, 1)
            ),
            (), beat_s=beat_s,
        )  # fmt: skip
        inside = {one.plugin: (plugin_of(INSIDE[one.plugin]), one.table) for one in make.nested(self.settings)
                  if one.model == "Settings"}.values()  # fmt: skip
        kinds = [kind for plugin, _ in inside for kind in plugin.own_kinds]
        facts = [fact for plugin, own in inside for fact in plugin.own_facts(plugin.Settings(**own), plain)]
        table = plain.extended((*make.own_kinds, *kinds), facts)
        assert not (found := [*make.check(self.settings, MissionTerms(table, {}, {}, {}))]), found
        super().__init__(
            table, lambda team, name, number: Robot(team, name, number, self.bots[name]),
            decision_s=decision_s, channel=Channel(loss, seed=seed),
        )  # fmt: skip

    def made(self, robot: Robot) -> Bite:
        """A coordinator of a robot, not begun."""
        sets = [(f"do-{task.id}", task.id, None) for task in self.tasks if task.id not in robot.bot.structure]
        return self.make(self.settings, sets, self.table, self.decision_s, make=self._inside)

    def _inside(
        self, name: str, parameters: Mapping[str, Any], sets: Sequence[tuple[str, str, Any]], instance: int
    ) -> Coordinator:
        plugin = plugin_of(INSIDE[name])
        model = plugin.SetSettings
        own = [(one, task, model(**(terms or {})) if model else None) for one, task, terms in sets]
        more = {"own": plugin.RobotSettings(**self.given.get(name, {}))} if plugin.RobotSettings else {}
        return plugin.make(plugin.Settings(**parameters), own, self.table, self.decision_s, **more)

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
