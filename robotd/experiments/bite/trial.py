"""One run of walkers: each robot's place in the formation by the truth of the world, and how a run failed."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise, permutations
from typing import Any

from behaviors.formation.follow import SIDES, Follow
from robotd.config.mission import MissionFile
from robotd.experiments.bite import interactions
from robotd.experiments.bite.interactions import Interactions
from robotd.experiments.rows import RunRow
from robotd.model.choice import Choice
from robotd.sim.activity_trace import Outcome
from robotd.sim.team import Team

SEARCH = "search"
NEAR_M = 0.7  # so far from its place a robot that catches up still belongs to it
NONE, TWICE, ASIDE, TIME = "none", "one place twice", "off its place", "time"
COLUMNS = ("cause", "task_s", *interactions.COLUMNS, "fits", "searches", "twice_s", "failure", "trace")
"""Each is defined in docs/experiments.md."""
Place = tuple[float, float]


def places_of(mission: MissionFile, parent: str) -> dict[str, Place]:
    """Where the places of a formation lie, by child: m ahead and left of the robot that leads it.

    Empty for a behavior that is no formation.
    """
    children = mission.coordinator.parameters["graph"][parent].get("first", ())
    sets = {own.task: own for own in mission.sets.values()}
    found: dict[str, Place] = {}
    for child in children:  # a follower comes after the robot that it follows
        if sets[child].behavior != "follow":
            found[child] = (0.0, 0.0)
            continue
        own = Follow.Settings(**sets[child].parameters)
        ahead, left = found[own.of[0]]
        found[child] = (ahead - own.behind_m, left + SIDES[own.side] * own.beside_m)
    return found if len(found) > 1 else {}


def gap_m(taken: Mapping[str, Place], places: Mapping[str, Place]) -> float:
    """How far robots are from their places in the mean, m, where the formation fits them best.

    `taken`: by place where the robot that has it is, m ahead and left of any point.
    """
    names = sorted(taken)
    off = [math.fsum(taken[one][k] - places[one][k] for one in names) / len(names) for k in (0, 1)]
    gaps = (math.dist(taken[one], [places[one][k] + off[k] for k in (0, 1)]) for one in names)
    return math.fsum(gaps) / len(names)


class Trial(Interactions):
    """Observes one run of a mission with formations."""

    def __init__(self, mission: MissionFile) -> None:
        super().__init__()
        graph = mission.coordinator.parameters["graph"]
        self._allocate = {name: own.get("allocate", "") for name, own in graph.items()}
        self.formations = {name: places for name in graph if (places := places_of(mission, name))}
        self.roles: dict[str, tuple[str, str]] = {}  # by robot the formation and its place in it
        self.fits: bool | None = None
        self.twice_s = 0.0
        self.trace = ""  # how a place came to be taken twice, the first time
        self.wrong: dict[str, str] = {}  # by formation what was wrong when it was seen last
        self._doing: dict[str, list[str]] = {}  # by robot what it works on
        self._searches: Counter[str] = Counter()
        self._twice: dict[str, float] = {}  # by place since when two robots have it, s

    def decide(self, robot: str, now: float, choice: Choice) -> None:
        super().decide(robot, now, choice)
        path = [step.task.id for step in choice.run]
        self._doing[robot], before = path[-1:], self._doing.get(robot, [])
        if path[-1:] == [SEARCH] != before:
            self._searches[robot] += 1
        role = next((pair for pair in pairwise(path) if pair[0] in self.formations), None)
        if role is None:
            self.roles.pop(robot, None)
        else:
            self.roles[robot] = role

    def look(self, now: float, team: Team) -> None:
        super().look(now, team)
        where = {name: pose for name in self.roles if (pose := team.world.pose(name)) is not None}
        for formation in {formation for formation, _ in self.roles.values()}:
            places = self.formations[formation]
            on = {name: place for name, (of, place) in self.roles.items() if of == formation and name in where}
            if len(on) == len(places) == len(team.names):
                spots = {name: (where[name][1], -where[name][0]) for name in on}
                self._judge(now, formation, on, spots)

    def _judge(self, now: float, formation: str, on: Mapping[str, str], spots: Mapping[str, Place]) -> None:
        """All robots have a place in a formation: is each at its own? `spots`: m ahead and left."""
        places = self.formations[formation]
        fitting = fitting_places(spots, places)
        twice = [place for place in places if list(on.values()).count(place) > 1]
        if twice:
            robots = " and ".join(sorted(name for name, one in on.items() if one == twice[0]))
            self.wrong[formation] = f"{TWICE}: {twice[0]} by {robots}"
        else:
            others = "" if on == fitting else f"{ASIDE}: others are nearer to their places"
            self.wrong[formation] = "; ".join(self._far(on, spots, places)) or others
        self.fits = on == fitting if self.fits is None else self.fits
        if twice and not self.trace:
            taken = ", ".join(f"{name} takes {place}" for name, place in sorted(on.items()))
            nearest = ", ".join(f"{name} {place}" for name, place in sorted(fitting.items()))
            self.trace = f"{now:.1f} s, {formation} by {self._allocate[formation]}: {taken}; nearest: {nearest}"
        self._twice = {place: self._twice.get(place, now) for place in twice}
        self.twice_s = max([self.twice_s, *(now - since for since in self._twice.values())])

    @staticmethod
    def _far(on: Mapping[str, str], spots: Mapping[str, Place], places: Mapping[str, Place]) -> Iterator[str]:
        leader = next(name for name, place in on.items() if places[place] == (0.0, 0.0))
        for name, place in sorted(on.items()):
            to = tuple(spots[leader][k] + places[place][k] for k in (0, 1))
            if (far := math.dist(spots[name], to)) > NEAR_M:
                yield f"{ASIDE}: {name} is {far:.2f} m from {place}"

    # -- the row

    def columns(self, outcome: Outcome) -> RunRow:
        failures = [f"{name}, {why}" for name, why in self.wrong.items() if why]
        if not outcome.accomplished:
            failures.append(f"{TIME}: {outcome.reason}")
        cause = next((one for one in (TWICE, ASIDE, TIME) if any(one in why for why in failures)), NONE)
        row: dict[str, Any] = {"accomplished": not failures, "cause": cause, "failure": "; ".join(failures)}
        if failures:
            row["trace"] = self.trace
        else:
            row["task_s"] = round(outcome.duration_s, 2)
        if self.fits is not None:
            row["fits"] = self.fits
        row |= {"searches": max(self._searches.values(), default=0), "twice_s": round(self.twice_s, 1)}
        return {**row, **super().columns(outcome)}


def fitting_places(spots: Mapping[str, Place], places: Mapping[str, Place]) -> dict[str, str]:
    """By robot the place that it should have, so that all together are nearest to their places."""
    names = sorted(spots)
    orders = (dict(zip(names, order, strict=True)) for order in permutations(places))
    return min(orders, key=lambda own: gap_m({place: spots[name] for name, place in own.items()}, places))
