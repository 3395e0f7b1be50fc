"""Many random plans and schedules in virtual time: `python -m tests.motivation.bite.schedules [--count 10000]`.

Each is a function of its number: a plan, what each robot senses and when, loss of frames, a robot that is lost or
begins again. It counts points, each occurrence by itself, that robots left by different edges, and how many beats
all stacks take to agree, while frames are lost, after the last step that is new to the robots that are left, or
after a robot has begun again. `--only NUMBER` repeats one.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, TypeVar

from robotd.model.streams import Stream, draw
from tests.motivation.bite.team import ENDLESS, Bot, Robot, Team

BEATS, QUIET_BEATS = 25.0, 30.0  # while behaviors end; after that none does
LOSSES = (0.0, 0.1, 0.3)
WITHIN_BEATS = 5.0
LEAF = "-"  # in the name of what a single robot does
T = TypeVar("T")
Edge = tuple[tuple[Any, ...], str, int]  # what is above a behavior, its name, and its occurrence


@dataclass
class Found:
    """What came of one: edges by which robots left a point, and after how many beats of quiet all agreed."""

    loss: float
    edges: dict[Edge, set[str]]
    agreed_beats: float

    @property
    def parted(self) -> list[Edge]:
        """The points that robots left by different edges."""
        return [key for key, taken in self.edges.items() if len(taken) > 1]


def one_of(chance: Stream, options: Sequence[T]) -> T:
    return options[int(chance.uniform(0, len(options)))]


def plan(chance: Stream) -> dict[str, dict[str, Any]]:
    """A root over a chain of two to five behaviors with choices, loops and children that may be divided."""
    chain = [f"n{k}" for k in range(one_of(chance, (2, 3, 4, 5)))]
    ends = ("all", "first")
    graph: dict[str, dict[str, Any]] = {"root": {"first": chain[:1], "team": "all", "terminate": "all"}}
    for k, name in enumerate(chain):
        last = k == len(chain) - 1 and chance.uniform() < 0.5
        following = [] if last else [one_of(chance, chain) for _ in range(one_of(chance, (1, 2, 3)))]
        own = {"next": list(dict.fromkeys([*chain[k + 1 : k + 2], *following])), "team": "all"}
        own |= {"terminate": one_of(chance, ends), "decide": one_of(chance, ("vote", "leader", "agreed"))}
        if chance.uniform() < 0.5:
            leaves = [f"{name}{LEAF}{c}" for c in one_of(chance, ("xy", "xyz"))]
            own |= {
                "first": leaves,
                "allocate": one_of(chance, ("agreed", "market", "by-sight")),
                "terminate": "all",
            }
            graph |= {leaf: {} for leaf in leaves}
        graph[name] = own
    return graph


def bot(chance: Stream, graph: Mapping[str, Any], changes: bool) -> Bot:
    """A robot with a length for each behavior; what may follow `changes` now and then, for all robots alike."""
    takes = {name: ENDLESS if own.get("first") else chance.uniform(0.5, 4.0) for name, own in graph.items()}

    def enabled(name: str, now: float) -> bool:
        return not changes or draw(chance.seed, name, "enabled", int(now / 4.0)) < 0.7

    return Bot(takes, ENDLESS, enabled=enabled, fitness={name: chance.uniform() for name in graph})


def team_of(number: int) -> tuple[Team, float]:
    """The team with its schedule, and its loss of frames."""
    chance = Stream(number, "", "schedule")
    graph, loss = plan(chance), one_of(chance, LOSSES)
    event, at = one_of(chance, ("", "", "kill", "reboot")), chance.uniform(1.0, BEATS - 5.0)
    alike = any(own.get("decide") == "agreed" for own in graph.values())  # fixed beforehand: all must sense alike
    names = [f"r{k}" for k in range(1, one_of(chance, (3, 4)) + 1)]
    bots = {name: bot(chance, graph, changes=not alike and not event) for name in names}
    team, who = Team(graph, bots, loss=loss, seed=number, decision_s=0.5), one_of(chance, names)
    if event:
        team.at(at, lambda: team.kill(who) if event == "kill" else team.reboot(who))
    return team, loss


def common(robot: Robot) -> tuple[tuple[str, int], ...]:
    """The stack down to what the team has in common."""
    return tuple(takewhile(lambda level: LEAF not in level[0], robot.stack))


def steps_taken(before: Sequence[tuple[str, int]], after: Sequence[tuple[str, int]]) -> Iterator[tuple[Edge, str]]:
    """The edges between two stacks of a robot: on each level below an equal path the next of its chain."""
    for depth, (old, new) in enumerate(zip(before, after, strict=False)):
        if old != new:
            if new[1] == old[1] + 1:
                yield (tuple(after[:depth]), *old), new[0]
            return


def run(number: int) -> Found:
    """Run one for `BEATS`, and then until it is quiet."""
    team, loss = team_of(number)
    edges: dict[Edge, set[str]] = {}
    stacks: dict[str, tuple[tuple[str, int], ...]] = {}
    known: dict[tuple[tuple[str, int], ...], set[str]] = {}  # by stack which robots have had it
    new_at = parted_at = 0.0

    def watch() -> bool:
        nonlocal new_at, parted_at
        for robot in team.live:
            stack = common(robot)
            for key, taken in steps_taken(stacks.get(robot.name, ()), stack):
                edges.setdefault(key, set()).add(taken)
            begins_again = not stack and bool(stacks.get(robot.name))
            stacks[robot.name] = stack
            had = known.setdefault(stack, set())
            if begins_again or not had & {one.name for one in team.live}:
                new_at = team.now
            had.add(robot.name)
        if len({common(robot) for robot in team.live}) > 1:
            parted_at = team.now + team.decision_s
        return False

    team.run(BEATS, watch)
    for own in team.bots.values():
        own.takes, own.takes_s = {}, ENDLESS
    team.run(BEATS + QUIET_BEATS, watch)
    return Found(loss, edges, max(0.0, parted_at - new_at))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many (default 1000)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first (default 0)")
    parser.add_argument("--only", type=int, help="this one alone")
    options = parser.parse_args()
    numbers = range(options.first, options.first + options.count) if options.only is None else [options.only]
    found = {number: run(number) for number in numbers}
    parted = {number: one.parted for number, one in found.items() if one.parted}
    write = sys.stdout.write
    points = sum(len(one.edges) for one in found.values())
    write(f"{len(found)} plans, {points} points left: {len(parted)} by different edges\n")
    for number, keys in parted.items():
        write(f"  {number}: {keys}\n")
    for loss in LOSSES:
        beats = {number: one.agreed_beats for number, one in found.items() if one.loss == loss}
        late = [number for number, one in beats.items() if one > WITHIN_BEATS]
        if beats:
            worst = max(beats.values())
            write(f"loss {loss:.0%}: {len(beats)} plans, stacks agree after {worst:.1f} beats of quiet at most")
            write(f"; later than {WITHIN_BEATS:g}: {late}\n" if late else "\n")
    sys.exit(1 if parted else 0)


if __name__ == "__main__":
    main()
