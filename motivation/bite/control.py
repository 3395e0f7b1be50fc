"""Algorithm 1, the control loop, one decision at a time (paper 004).

Every robot has its own copy of the graph and its own stack, and states its path in every frame.
"""

from motivation.bite.allotting import Allotting
from motivation.bite.graph import Node
from motivation.bite.interactions import Decide, Terminate
from motivation.bite.interactions.contract import CHOICE_BITS, PARTS
from motivation.bite.stack import NOT_SENT_BEATS, Now
from motivation.bite.state import NEVER, Winner
from motivation.bite.words import CLOSED, DECIDES, ENDED, EXECUTES, FINISHED, LISTENS, WINNER

MOST_STEPS = 64  # of one decision: a graph of behaviors that end at once is continued in the next
REMAINS = (1 << 16) - 1  # greatest time until a start that an announcement states, in `PARTS` of a beat


class Control(Allotting):
    """Lines 1 to 9."""

    def step(self, now: Now) -> None:
        """Go on as far as this decision allows."""
        self.now, self.events = now, []
        for _ in range(MOST_STEPS):
            self.ballots = {}
            if not (self.follow() or self._advance()):
                break

    # -- lines 3 to 9

    def _advance(self) -> bool:
        """One line of the algorithm; whether anything changed."""
        state, now = self.state, self.now
        if state.phase == LISTENS:
            if now.time - state.began < self.settings.listen_beats * now.beat_s:
                return False
            self._begin()
            return True
        if self._end() or self.allocate() or self._expand():
            return True
        if state.phase in (ENDED, CLOSED):
            return self._leave()
        return state.phase == DECIDES and self._decide()

    def _begin(self) -> None:
        """Lines 1 and 2; or the stack of a former life, where no teammate shows another."""
        if self.state.resumed:
            self.state.stack = self.state.resumed
            self.turn(EXECUTES)
            self.note("joined", self.node(self.top), "no teammate shows another stack: it continues where it was")
        else:
            self.push(self.graph.start)
            listened_s = self.now.time - self.state.began
            self.note("began", self.node(0), f"the plan begins here, after {listened_s:.1f} s of listening")

    def _end(self) -> bool:
        """Line 4: execute until some behavior terminates; of several the one nearest to the root."""
        for depth, level in enumerate(self.state.stack):
            if depth == self.top and self.state.phase != EXECUTES:
                return False
            node = self.node(depth)
            if not self.mine(depth):
                if self.now.roster.present & node.team or depth < self.top:
                    continue
                why = "no robot of its team is present"
            elif self.now.over(level.node) and level.since < self.now.time:
                why = f"it has ended after {self.now.time - level.since:.1f} s: its own condition holds"
            else:
                continue
            self.terminate(depth, why)
            return True
        return False

    def terminate(self, depth: int, why: str, phase: int = ENDED) -> None:
        """Line 5: pop everything above a behavior; the interaction of line 6 begins.

        `phase` is CLOSED where the chain below it has ended for all that share that.
        """
        self.cut(depth + 1, phase)
        self.state.stack[depth].memory.clear()
        self.note("terminated", self.node(depth), why, occurrence=self.state.stack[depth].occurrence)

    def _expand(self) -> bool:
        """Line 3 for a behavior with one child; `allocate` has those with several."""
        if self.top < 0 or self.state.phase != EXECUTES or not self.mine(self.top):
            return False
        node = self.node(self.top)
        if len(node.first) != 1:
            return False
        self.push(node.first[0])
        return True

    def _leave(self) -> bool:
        """Lines 6 to 8: the interaction of the end, then what follows."""
        node, following = self.node(self.top), self.node(self.top).next
        point = self.point(self.top)
        if node.is_joint and self.mine(self.top):
            protocol = self.library[node.own.terminate]
            assert isinstance(protocol, Terminate)
            if not protocol.may_leave(point):
                return False
            words = f"the {len(point.team)} robots of its team that are here leave it, by {node.own.terminate}"
            self._report("ended", node, words)
        if not following:
            self.close("nothing follows it")
        elif node.is_joint and node.own.decide:
            self.turn(DECIDES)
            self.state.stack[self.top].memory.clear()
        elif node.is_joint:
            self._follow_with(following[0])
        elif point.first_enabled:
            self._follow_with(following[point.first_enabled - 1])
        elif node.own.wait:
            return False
        else:
            self.close("nothing that may follow it is enabled")
        return True

    def _report(self, kind: str, node: Node, why: str, **data: object) -> None:
        """An interaction is over: how long it took, s."""
        took = round(self.now.time - self.state.phase_since, 3)
        self.note(kind, node, why, took_s=took, occurrence=self.state.stack[self.top].occurrence, **data)

    def _follow_with(self, number: int) -> None:
        """Line 8e: push the next of the chain."""
        level = self.state.stack[-1]
        self.state.stack = self.state.stack[:-1]
        self.push(number, level.occurrence + 1)
        self.note("entered", self.graph[number], f"it follows {self.graph[level.node].name}")

    def close(self, why: str) -> None:
        """Line 8b: the chain ends, and with it the parent; the end of the first chain ends all."""
        depth, level = self.top, self.state.stack[-1]
        joint = not self.is_alone(depth)
        if depth == 0:
            self.turn(FINISHED)
            self.note("finished", self.node(0), why)
            return
        self.state.stack = self.state.stack[:depth]
        if not self.is_repeated(depth - 1):
            words = f"{self.graph[level.node].name} has ended: {why}"
            self.terminate(depth - 1, words, CLOSED if joint else ENDED)
        else:
            self.end_chain(depth - 1, level.node)

    # -- line 8d

    def _decide(self) -> bool:
        """What follows the behavior on top, as announced or as the protocol has it; all begin together."""
        state, now, node = self.state, self.now, self.node(self.top)
        level = state.stack[-1]
        heard = now.roster.ballots(WINNER, self.top, self._deciders())
        for robot, (at, ballot) in heard.items():
            if state.winner is None or robot < state.winner.by:
                choice, left = ballot.value & (1 << CHOICE_BITS) - 1, ballot.value >> CHOICE_BITS
                start = at + left / PARTS * now.beat_s
                state.winner = Winner(level.node, level.occurrence, choice, robot, at, start)
        protocol = self.library.get(node.own.decide)
        point = self.point(self.top)
        if state.winner is None:
            assert protocol is None or isinstance(protocol, Decide)
            mine = self.mine(self.top)
            found = min(1, len(node.next)) if protocol is None else protocol.decide(point) if mine else None
            if found is None:
                return False
            silent = protocol is None or not protocol.talks or len(point.team) == 1
            at = now.time if silent else NEVER
            state.winner = Winner(level.node, level.occurrence, found, self.me, at, at)
        return self._start(state.winner)

    def _deciders(self) -> set[int]:
        """The teammates whose announcement counts at the top."""
        return set(self.sharers(self.top)) - {self.me}

    def _start(self, winner: Winner) -> bool:
        """Begin what was chosen once its time has come; until then state it."""
        now, node = self.now, self.node(self.top)
        wait_s = self.settings.start_beats * now.beat_s
        if winner.at == NEVER:
            decided = winner.sent if winner.sent != NEVER else None
            since = self.state.stack[-1].memory.setdefault("decided", now.time)
            if decided is None and now.time - since >= NOT_SENT_BEATS * now.beat_s:
                decided = now.time
            if decided is not None:
                winner.at = decided + wait_s
        if winner.at == NEVER or winner.at > now.time:
            left_s = winner.at - now.time if winner.at != NEVER else wait_s
            left = min(REMAINS, round(left_s / now.beat_s * PARTS))
            level = self.state.stack[-1]
            self.vote(WINNER, winner.choice | left << CHOICE_BITS, level.node, level.occurrence)
            return False
        chosen = self.graph[node.next[winner.choice - 1]].name if 0 < winner.choice <= len(node.next) else "none"
        how = f"by {node.own.decide}" if node.own.decide else "as the plan has it"
        words = f"{self.names.get(winner.by, 'a teammate')} decided {how}: {chosen} follows"
        self._report("decided", node, words, choice=chosen)
        if chosen == "none":
            self.close("none of what may follow it was chosen")
        else:
            self._follow_with(node.next[winner.choice - 1])
        return True
