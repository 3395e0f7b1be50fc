"""Allocations, which stay open while their parent is on the stack (algorithm 1, line 3)."""

from dataclasses import replace

from motivation.bite.following import Following
from motivation.bite.interactions import Allocate, Point, Terminate
from motivation.bite.words import DONE, EXECUTES, mask_of


class Allotting(Following):
    """The stack with the children of this robot."""

    def terminate(self, depth: int, why: str) -> None:
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
        allotment.done |= 1 << child - 1
        allotment.child = 0
        self.turn(EXECUTES)
        self.note("completed", self.graph[node.first[child - 1]], f"a chain of {node.name} has ended")

    def allocate(self) -> bool:
        """Ask every open allocation for the child of this robot; whether that changes the stack."""
        for depth in range(len(self.state.stack)):
            node = self.node(depth)
            executed = depth < self.top or self.state.phase == EXECUTES
            if node.splits and executed and self.mine(depth) and self._allot(depth):
                return True
        return False

    def _allot(self, depth: int) -> bool:
        level, node = self.state.stack[depth], self.node(depth)
        allotment, point = level.allotment, self._shares_point(depth)
        if self.is_repeated(depth):
            for value in point.receive(DONE).values():
                allotment.done |= value
            if allotment.done == (1 << len(node.first)) - 1:
                self.terminate(depth, "all its chains have ended")
                return True
            if allotment.done:
                self.vote(DONE, allotment.done, node.number, level.occurrence)
            point = replace(point, done=allotment.done)
        protocol = self.library[node.own.allocate]
        assert isinstance(protocol, Allocate)
        shares = protocol.allocate(point)
        current = self.child_of(depth, self.state.path)
        if shares is None:
            return False
        allotment.who = shares.who
        if allotment.settled and shares.child == current:
            return False
        self._settle(depth, shares.child, settled=allotment.settled)
        if current:
            self.cut(depth + 1)
        if shares.child:
            self.push(node.first[shares.child - 1])
        return shares.child != current

    def _settle(self, depth: int, child: int, *, settled: bool) -> None:
        level, node = self.state.stack[depth], self.node(depth)
        level.allotment.child, level.allotment.settled = child, True
        chosen = self.graph[node.first[child - 1]].name if child else "none"
        took = {} if settled else {"took_s": round(self.now.time - level.since, 3)}
        who = {self.names[robot]: one for robot, one in level.allotment.who.items()}
        why = f"by {node.own.allocate}, below {node.name}" + (": a reserve" if not child else "")
        self.note("allocated", self.graph[node.first[child - 1]] if child else node, why, child=chosen,
                  occurrence=level.occurrence, who=who, **took)  # fmt: skip

    def _shares_point(self, depth: int) -> Point:
        """What an allocation is given: the children are the choices."""
        level, node, now = self.state.stack[depth], self.node(depth), self.now
        mine = self.state.path
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
            children=[self.graph[one] for one in node.first],
            on={one: self.child_of(depth, path) for one, path in paths.items() if path.shares(mine, depth + 1)},
        )
