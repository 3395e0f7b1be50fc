"""Algorithm 2: a robot informs a sub-team of what it senses and that sub-team should know (paper 004).

Of a behavior with `inform = "broadcast"` a robot states that its termination condition holds, and which of its
successors are enabled; robots that execute the behavior count it as their own sensing. It does so for the
behaviors on its stack, and for those that other sub-teams execute (both phases of the algorithm). Of a behavior of
its own sub-team that it has left or not yet begun it may know no more than how its own last execution ended.
"""

from collections.abc import Callable, Collection

from motivation.bite.roster import Roster
from motivation.bite.stack import Stack
from motivation.bite.words import EXECUTES, SENSED, mask_of
from robotd.model.tasks import Feedback

FRESH_BEATS = 3.0  # so long what a teammate senses counts after it was received last
ENDS = 1  # lowest bit of the value: the termination condition holds; above it the enabled successors


class Fusion:
    """What this robot senses of the behaviors of the graph, itself and from teammates."""

    def __init__(self, stack: Stack, sensed: Collection[int]) -> None:
        """`sensed`: the behaviors, by number, of which a set of this robot senses something."""
        self._stack, self._sensed = stack, sensed
        self._ends: set[int] = set()
        self._enabled: set[int] = set()
        self._informs: dict[tuple[int, int], int] = {}  # by behavior and occurrence what this robot informs of

    def sense(self, roster: Roster, now: float, beat_s: float, judge: Callable[[int], Feedback]) -> None:
        """Take in one decision's senses, and what teammates informed of lately."""
        self._judge = judge
        graph, state = self._stack.graph, self._stack.state
        self._ends, self._enabled, self._informs = set(), set(), {}
        mine = {level.node: level.occurrence for level in state.stack}
        for robot in roster.paths:
            for at, one in state.seen[robot].ballots.values():
                fresh = one.what == SENSED and now - at < FRESH_BEATS * beat_s
                if fresh and mine.get(one.point) == one.occurrence:
                    self._ends |= {one.point} if one.value & ENDS else set()
                    following = enumerate(graph[one.point].next)
                    self._enabled |= {successor for k, successor in following if one.value >> k + 1 & 1}
        running = state.stack if state.phase == EXECUTES else state.stack[:-1]
        acting = {level.node for depth, level in enumerate(running) if self._stack.mine(depth)}
        executed = {step.node: step.occurrence for path in roster.paths.values() for step in path.steps}
        others = {k: at for k, at in executed.items() if k in graph.nodes and self._stack.me not in graph[k].team}
        for number, occurrence in {**others, **mine}.items():
            if graph[number].own.inform == "broadcast":
                self._informs[number, occurrence] = self._value(number, acts=number in acting)

    def _value(self, number: int, *, acts: bool) -> int:
        """Lines 1b and 1c, 2b.i and 2b.ii: the end of a behavior, and its successors that are enabled."""
        following = [k for k, one in enumerate(self._stack.graph[number].next, 1) if self._senses(one)]
        ends = number in self._sensed and (self._judge(number).done if acts else self._judge(number).over)
        return mask_of(following) << 1 | (ENDS if ends else 0)

    def _senses(self, number: int) -> bool:
        """Whether this robot itself senses that a behavior is enabled."""
        own = self._judge(number)
        return number in self._sensed and (own.applicable or own.done) and not own.missing

    def is_over(self, number: int) -> bool:
        """Whether a behavior on the stack has ended, as this robot senses or was informed."""
        return self._judge(number).done or number in self._ends

    def is_enabled(self, number: int) -> bool:
        """Whether a behavior may begin; one that no set senses may always."""
        return number not in self._sensed or self._senses(number) or number in self._enabled

    def inform(self) -> None:
        """State what there is to inform of, until the next decision."""
        for (number, occurrence), value in self._informs.items():
            if value:
                self._stack.vote(SENSED, value, number, occurrence)
