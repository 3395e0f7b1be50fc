"""What teammates state: which are present, where each is, and the ballots that concern a point of the own path."""

from collections.abc import Iterable

from motivation.bite.state import NEVER, Seen, State
from motivation.bite.words import WINNER, Ballot, Path, ballot_of, path_of, path_statement
from robotd.model.beliefs import Beliefs
from robotd.model.statements import Heard, Sent


def receive(state: State, frames: Iterable[Heard], beliefs: Beliefs) -> None:
    """Take in frames of this run; a frame without a path is of a robot that takes no part."""
    for frame in frames:
        if not frame.same_mission or frame.run != beliefs.run or frame.sender not in beliefs.table.robots:
            continue
        paths = [path_of(one) for one in frame.statements if one.kind == "path"]
        if not paths:
            continue
        seen = state.seen.get(frame.sender)
        if seen is None or seen.path.steps != paths[-1].steps:
            seen = state.seen[frame.sender] = Seen(frame.at, paths[-1])
        seen.at, seen.path = frame.at, paths[-1]
        for one in frame.statements:
            if one.kind == "ballot":
                ballot = ballot_of(one)
                seen.ballots[f"{ballot.what}/{ballot.point}"] = (frame.at, ballot)


def note_sent(state: State, sent: Iterable[Sent]) -> None:
    """When the present path and the announcement of a choice first left."""
    mine, winner = path_statement(state.path), state.winner
    for frame in sent:
        if mine in frame.statements and state.phase_sent == NEVER:
            state.phase_sent = frame.at
        for one in frame.statements:
            if one.kind == "ballot":
                ballot = ballot_of(one)
                state.left[f"{ballot.what}/{ballot.point}"] = ballot
                if winner is None or ballot.what != WINNER or winner.sent != NEVER:
                    continue
                if (winner.point, winner.occurrence) == (ballot.point, ballot.occurrence):
                    winner.sent = frame.at


class Roster:
    """Who of the team is present, in one decision."""

    def __init__(self, state: State, me: int, team: Iterable[int], now: float, silence_s: float) -> None:
        """`silence_s`: after so long without a path a teammate is gone; each counts as received at first."""
        self._state = state
        self.present = frozenset(
            robot for robot in team
            if robot == me or now - (state.seen[robot].at if robot in state.seen else state.began) < silence_s
        )  # fmt: skip
        teammates = (one for one in sorted(self.present) if one != me and one in state.seen)
        self.paths: dict[int, Path] = {one: state.seen[one].path for one in teammates}

    def ballots(self, what: int, depth: int, among: Iterable[int]) -> dict[int, tuple[float, Ballot]]:
        """By teammate the last ballot about the behavior on level `depth`, of those on the same path above it.

        With the time of its arrival. It is about the present occurrence of that behavior.
        """
        stack, found = self._state.stack, {}
        mine = tuple(level.step for level in stack[:depth])
        for robot in sorted(among):
            seen = self._state.seen.get(robot)
            entry = seen.ballots.get(f"{what}/{stack[depth].node}") if seen is not None else None
            if seen is None or entry is None or seen.path.steps[:depth] != mine:
                continue
            if entry[1].occurrence == stack[depth].occurrence:
                found[robot] = entry
        return found
