"""Allocations, which stay open while their parent is on the stack (algorithm 1, line 3)."""

from collections.abc import Callable
from dataclasses import replace

from motivation.bite.following import Following
from motivation.bite.interactions import Allocate, Point, Terminate
from motivation.bite.settings import InteractionSettings
from motivation.bite.words import DONE, ENDED, EXECUTES, mask_of


class Allotting(Following):
    """The stack with the children of this robot."""

    inside: Callable[[int, InteractionSettings], int]  # the child that a coordinator inside chooses on a level

    def terminate(self, depth: int, why: str, phase: int = ENDED) -> None:
        """Line 5."""
        raise NotImplementedError

    def is_repeated(self, depth: int) -> bool:
        """Whether a robot whose chain below a level has ended gets another: until all chains have ended."""
        node = self.node(depth)
        if not node.splits:
            return False
        protocol = self.library[node.own.allocate]
        assert isinstance(protocol, Allocate)
        return protocol.repeats or any(self._reallocates(head) for head in node.first)

    def _reallocates(self, head: int) -> bool:
        """Whether the last behavior of a chain does."""
        chains, parents = self.graph.chains, self.graph.nodes
        members = (member for (_, member), first in chains.items() if first == head)
        protocols = [parents[one].own.terminate for one in members if not parents[one].next]
        found = (self.library[name] for name in protocols if name)
        return any(isinstance(one, Terminate) and one.reallocates for one in found)

    def end_chain(self, depth: int, last: int) -> None:
        """A chain below the level on top has ended, with behavior `last`; the robot waits for another."""
        node, allotment = self.node(depth), self.state.stack[depth].allotment
        child = node.first.index(self.graph.chain(node.number, last)) + 1
        if node.first[child - 1] in self.recurring:
            allotment.memory |= {"occasion": float(child), "chosen": 0.0}
        else:
            allotment.done |= 1 << child - 1
        allotment.child = 0
        self.turn(EXECUTES)
        self.note("completed", self.graph[node.first[child - 1]], f"a chain of {node.name} has ended")

    def allocate(self) -> bool:
        """Ask every open allocation for the child of this robot; whether that changes the stack."""
        for depth in range(len(self.state.stack)):
            if not self.node(depth).splits or not self.mine(depth):
                continue
            if self.is_repeated(depth):
                self._exchange_done(depth)
            if (depth < self.top or self.state.phase == EXECUTES) and self._allot(depth):
                return True
        return False

    def _exchange_done(self, depth: int) -> None:
        """State the children whose chains have ended, as far as this robot knows, until all know it."""
        level, allotment = self.state.stack[depth], self.state.stack[depth].allotment
        for value in self.point(depth).receive(DONE).values():
            allotment.done |= value
        if allotment.done:
            self.vote(DONE, allotment.done, level.node, level.occurrence)

    def _allot(self, depth: int) -> bool:
        level, node = self.state.stack[depth], self.node(depth)
        allotment = level.allotment
        once = mask_of([child for child, one in enumerate(node.first, 1) if one not in self.recurring])
        if self.is_repeated(depth) and once and allotment.done & once == once:
            self.terminate(depth, "all its chains have ended")
            return True
        point = self._shares_point(depth)
        protocol = self.library[node.own.allocate]
        assert isinstance(protocol, Allocate)
        shares = protocol.allocate(point)
        current = self.child_of(depth, self.path)
        if shares is None:
            return False
        allotment.who = shares.who
        is_open = 0 < shares.child <= len(node.first) and not point.done >> shares.child - 1 & 1
        child = shares.child if is_open else 0
        if allotment.settled and child == current:
            return not child and depth == self.top and self._end_reserve(depth)
        self._settle(depth, child, settled=allotment.settled)
        if current:
            self.cut(depth + 1)
        if child:
            self.push(node.first[child - 1])
        return child != current

    def _end_reserve(self, depth: int) -> bool:
        """A robot without a child has ended once all that have one did."""
        who, present = self.state.stack[depth].allotment.who, self.now.roster.present
        busy = [robot for robot, child in who.items() if child and robot in present]
        if self.is_repeated(depth) or not busy or any(self.is_behind(depth, robot) for robot in busy):
            return False
        self.terminate(depth, "all that have a child have ended")
        return True

    def _settle(self, depth: int, child: int, *, settled: bool) -> None:
        level, node = self.state.stack[depth], self.node(depth)
        level.allotment.child, level.allotment.settled = child, True
        chosen = self.graph[node.first[child - 1]].name if child else "none"
        took = {} if settled else {"took_s": round(self.now.time - level.since, 3)}
        who = {self.names[robot]: one for robot, one in level.allotment.who.items()}
        left = [one for k, one in enumerate(node.first, 1) if who and k not in who.values()]
        left = [] if self.is_repeated(depth) else left
        shares = ", ".join(f"{robot} {self.graph[node.first[one - 1]].name}" for robot, one in who.items() if one)
        why = f"{node.own.allocate} gives the parts of {node.name}" + (f": {shares}" if shares else "")
        why += "" if child else "; this robot is a reserve"
        why += f"; without a robot: {', '.join(self.graph[one].name for one in left)}" if left else ""
        self.note("allocated", self.graph[node.first[child - 1]] if child else node, why, child=chosen,
                  occurrence=level.occurrence, who=who, **took)  # fmt: skip

    def _left(self, what: int, depth: int) -> int | None:
        level = self.state.stack[depth]
        ballot = self.state.left.get(f"{what}/{level.node}")
        return ballot.value if ballot is not None and ballot.occurrence == level.occurrence else None

    def _shares_point(self, depth: int) -> Point:
        """What an allocation is given: the children are the choices."""
        level, node, now = self.state.stack[depth], self.node(depth), self.now
        mine = self.path
        paths = {**now.roster.paths, self.me: mine}
        memory = level.allotment.memory
        memory["repeats"] = float(self.is_repeated(depth))
        return replace(
            self.point(depth),
            memory=memory,
            since=level.since,
            choices=len(node.first),
            enabled=mask_of([k for k, one in enumerate(node.first, 1) if now.enabled(one)]),
            fitness=lambda child: now.fitness(node.first[child - 1]),
            done=level.allotment.done,
            children=[self.graph[one] for one in node.first],
            everybody=sorted(self.names),
            left=lambda what: self._left(what, depth),
            inside=lambda settings: self.inside(depth, settings),
            on={one: self.child_of(depth, path) for one, path in paths.items() if path.shares(mine, depth + 1)},
        )
