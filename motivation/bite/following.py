"""What a robot takes up from its teammates' paths, so that one that missed an announcement is soon where they are.

Of one chain the newer occurrence holds, of equal ones that of the lowest number.
"""

from collections.abc import Mapping

from motivation.bite.graph import ROOT, Node
from motivation.bite.stack import OVER, Stack
from motivation.bite.words import CLOSED, DECIDES, FINISHED, LISTENS, OCCURRENCES, WINNER, Path, is_newer


class Following(Stack):
    """The stack with what moves it to where teammates are."""

    def follow(self) -> bool:
        """Take up from a teammate's path what its team has decided; whether anything changed."""
        state, mine = self.state, self.path
        paths = self.now.roster.paths
        if state.phase == LISTENS:
            return self._join(paths)
        for depth in range(len(state.stack)):
            chained = {
                robot: path for robot, path in paths.items()
                if path.shares(mine, depth) and len(path.steps) > depth and self._is_shared(depth, robot, path)
            }  # fmt: skip
            if found := self._further(depth, chained):
                self._take(depth, found, chained[found])
                return True
            for robot, path in chained.items():
                top = len(path.steps) == depth + 1 and path.steps[depth] == mine.steps[depth]
                here = depth == self.top and state.phase >= path.phase
                if top and path.phase in (DECIDES, FINISHED) and not here:
                    self.note_followed(self.node(depth), f"{self.names[robot]} has received that all end it")
                    self.cut(depth + 1, path.phase)
                    return True
            if closed := self._closed(depth, paths):
                self.note_followed(self.node(depth), f"{self.names[closed]} states that its chain has ended")
                self.cut(depth + 1)
                self.close(f"so does {self.names[closed]} state")
                return True
            for robot in self.now.roster.ballots(WINNER, depth, chained):
                if not (depth == self.top and state.phase in (DECIDES, FINISHED)):
                    self.note_followed(self.node(depth), f"{self.names[robot]} states what follows")
                    self.cut(depth + 1, DECIDES)
                    return True
        return False

    def note_followed(self, node: Node, why: str) -> None:
        """Report a step that is taken after a teammate, and how long an interaction was under way for it, s."""
        waited = self.now.time - self.state.phase_since if self.state.phase in OVER else None
        self.note("followed", node, why, **({} if waited is None else {"took_s": round(waited, 3)}))

    def _is_shared(self, depth: int, robot: int, path: Path) -> bool:
        """Whether a teammate's step on a level is one of the own chain, and counts for this robot."""
        if self.is_alone(depth) or robot not in self.sharers(depth):
            return False
        chain = self.graph.chain
        parent = self.parent(depth)
        return chain(parent, path.steps[depth].node) == chain(parent, self.state.stack[depth].node)

    def _closed(self, depth: int, paths: Mapping[int, Path]) -> int:
        """A teammate that shares the chain of a level and is above, as the chain has ended; 0: none."""
        if self.is_alone(depth):
            return 0
        shared, above = self.sharers(depth), self.path.steps[:depth]
        found = (
            one for one, path in paths.items() if path.phase == CLOSED and path.steps == above and one in shared
        )
        return min(found, default=0)

    def close(self, why: str) -> None:
        """Line 8b."""
        raise NotImplementedError

    def _further(self, depth: int, paths: Mapping[int, Path]) -> int:
        """The teammate whose step on a level holds instead of the own: the newest, then the lowest; 0: none."""
        own = self.state.stack[depth]
        steps = {robot: path.steps[depth] for robot, path in paths.items()}
        newer = [robot for robot, step in steps.items() if is_newer(step.occurrence, own.occurrence)]
        if newer:
            return min(newer, key=lambda one: (-((steps[one].occurrence - own.occurrence) % OCCURRENCES), one))
        equal = [robot for robot, step in steps.items() if step.occurrence == own.occurrence]
        lowest = min(equal, default=self.me)
        return lowest if lowest < self.me and steps[lowest].node != own.node else 0

    def _take(self, depth: int, robot: int, path: Path) -> None:
        step = path.steps[depth]
        node = self.graph[step.node]
        self.note_followed(node, f"{self.names[robot]} is on it, {self.node(depth).name} is over")
        self.state.stack = self.state.stack[:depth]
        self.push(step.node, step.occurrence)
        if len(path.steps) == depth + 1 and path.phase in (DECIDES, FINISHED):
            self.turn(path.phase)

    def _join(self, paths: Mapping[int, Path]) -> bool:
        """Begin in the middle: on the newest path that a teammate is on."""
        known = self.graph.chain
        able = {one: path for one, path in paths.items() if path.steps and known(ROOT, path.steps[0].node)}
        best = 0
        for robot, path in able.items():
            if not best or is_newer(path.steps[0].occurrence, able[best].steps[0].occurrence):
                best = robot
        if best:
            self.push(able[best].steps[0].node, able[best].steps[0].occurrence)
            self.note("joined", self.node(0), f"{self.names[best]} is on it")
            self._restore_done()
            if len(able[best].steps) == 1 and able[best].phase in (DECIDES, FINISHED):
                self.turn(able[best].phase)
        return bool(best)

    def _restore_done(self) -> None:
        """What this robot knows to be done from a former life, where its behavior is still executed."""
        former = self.state.resumed[: len(self.state.stack)]
        for old, level in zip(former, self.state.stack, strict=False):
            if old.step == level.step:
                level.allotment.done |= old.allotment.done
