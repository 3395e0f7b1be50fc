"""A robot's stack: which robots share its levels, what changes it, and what an interaction at a point is given."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from motivation.bite.graph import ROOT, Graph, Node
from motivation.bite.interactions import Library, Point
from motivation.bite.roster import Roster
from motivation.bite.settings import BiteSettings
from motivation.bite.state import NEVER, Level, State
from motivation.bite.words import (
    CLOSED,
    DECIDES,
    ENDED,
    EXECUTES,
    FINISHED,
    OCCURRENCES,
    Ballot,
    Path,
    is_newer,
    mask_of,
)  # fmt: skip
from robotd.model.choice import Event

OVER = (ENDED, CLOSED, DECIDES, FINISHED)  # phases in which a behavior is no longer executed
NOT_SENT_BEATS = 4.0  # a statement that has not left by then is taken for sent: the radio sends nothing


@dataclass(frozen=True)
class Now:
    """One decision: what this robot senses of behaviors by number, and which robots are present."""

    time: float
    beat_s: float
    roster: Roster
    over: Callable[[int], bool]
    enabled: Callable[[int], bool]
    fitness: Callable[[int], float]


class Stack:
    """The stack with what changes it, and which robots share its levels."""

    def __init__(
        self, me: int, graph: Graph, library: Library, settings: BiteSettings, state: State,
        names: Mapping[int, str],
    ) -> None:  # fmt: skip
        self.me, self.graph, self.library, self.settings = me, graph, library, settings
        self.state, self.names = state, names
        self.events: list[Event] = []
        self.ballots: dict[tuple[int, int], Ballot] = {}
        self.now: Now
        self.recurring: frozenset[int] = frozenset()  # behaviors whose task is one: their chains are never done
        self._known: tuple[tuple[Level, ...], Path] = state.stack, state.path

    # -- what it is

    @property
    def path(self) -> Path:
        """The stack as it is stated; made once for each."""
        state = self.state
        if self._known[0] is not state.stack or self._known[1].phase != state.phase:
            self._known = state.stack, state.path
        return self._known[1]

    @property
    def top(self) -> int:
        """The level of the behavior on top; -1 where there is none."""
        return len(self.state.stack) - 1

    def node(self, depth: int) -> Node:
        return self.graph[self.state.stack[depth].node]

    def parent(self, depth: int) -> int:
        """The number of the behavior above a level."""
        return self.state.stack[depth - 1].node if depth else ROOT

    def mine(self, depth: int) -> bool:
        """Whether this robot executes the behavior of a level; else it only follows the sub-team that does."""
        node = self.node(depth)
        return not node.is_joint or self.me in node.team

    def is_alone(self, depth: int) -> bool:
        """Whether a robot leaves a level without regard to others."""
        node = self.node(depth)
        return not node.is_joint or self.library[node.own.terminate].is_alone

    def child_of(self, depth: int, path: Path) -> int:
        """Which child of the behavior on a level a path goes on with, from 1; 0: none."""
        node = self.node(depth)
        if len(path.steps) <= depth + 1:
            return 0
        head = self.graph.chain(node.number, path.steps[depth + 1].node)
        return node.first.index(head) + 1 if head in node.first else 0

    def sharers(self, depth: int) -> frozenset[int]:
        """The robots that execute the chain of a level together, present or not."""
        found, mine = frozenset(self.names), self.path
        for k in range(depth):
            node, allotment = self.node(k), self.state.stack[k].allotment
            found &= node.team or {self.me}
            if node.splits:
                child = self.child_of(k, mine)
                who = allotment.who or {
                    robot: self.child_of(k, path) for robot, path in self.now.roster.paths.items()
                    if path.shares(mine, k + 1)
                }  # fmt: skip
                found &= {robot for robot, one in who.items() if one == child} | {self.me}
        return found

    def team(self, depth: int) -> tuple[int, ...]:
        """The robots present that execute the behavior of a level together, by number."""
        node = self.node(depth)
        found = self.sharers(depth) & node.team if node.is_joint else {self.me}
        return tuple(sorted(found & self.now.roster.present))

    # -- what changes it

    def note(self, kind: str, node: Node | None, cause: str, **data: object) -> None:
        self.events.append(Event(kind, "", node.name if node else "", cause, data))

    def turn(self, phase: int) -> None:
        """Put the top into another phase."""
        state = self.state
        state.phase, state.phase_since, state.phase_sent = phase, self.now.time, NEVER
        state.winner = None
        state.version += 1

    def cut(self, levels: int, phase: int = EXECUTES) -> None:
        """Pop all but so many levels."""
        self.state.stack = self.state.stack[:levels]
        self.turn(phase)

    def push(self, number: int, occurrence: int = 0) -> None:
        level = Level(number, occurrence % OCCURRENCES, self.now.time)
        self.state.stack = (*self.state.stack, level)
        self.turn(EXECUTES)

    def vote(self, what: int, value: int, point: int, occurrence: int) -> None:
        """State a ballot until the next decision."""
        self.ballots[what, point] = Ballot(what, point, occurrence, value)

    # -- what an interaction is given

    def point(self, depth: int) -> Point:
        """The end of the behavior on a level."""
        level, node, now = self.state.stack[depth], self.node(depth), self.now
        team = self.team(depth)
        sent = self.state.phase_sent != NEVER or now.time - self.state.phase_since > NOT_SENT_BEATS * now.beat_s
        return Point(
            self.me, node, level.occurrence, team, now.time, now.beat_s, self.state.phase_since, level.memory,
            choices=len(node.next),
            enabled=mask_of([k for k, one in enumerate(node.next, 1) if now.enabled(one)]),
            state=lambda what, value: self.vote(what, value, level.node, level.occurrence),
            receive=lambda what: {
                robot: ballot.value
                for robot, (_, ballot) in now.roster.ballots(what, depth, set(team) - {self.me}).items()
            },
            behind=[robot for robot in team if robot != self.me and self.is_behind(depth, robot)],
            sent=sent,
        )  # fmt: skip

    def is_behind(self, depth: int, robot: int) -> bool:
        """Whether a teammate has yet to end the behavior of a level, as far as this robot knows."""
        path, mine = self.now.roster.paths.get(robot), self.path
        if path is None:
            return True
        for k in range(depth + 1):
            if len(path.steps) <= k:  # it is on top of the level above, or only begins
                return not path.steps or path.phase not in OVER
            if path.steps[k] != mine.steps[k]:
                return not is_newer(path.steps[k].occurrence, mine.steps[k].occurrence)
        return len(path.steps) > depth + 1 or path.phase not in OVER
