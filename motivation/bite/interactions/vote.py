"""A vote: the teller calls it, all state their votes, the teller announces the winner (paper 004)."""

from motivation.bite.interactions.contract import Decide, Point
from motivation.bite.words import CALL, VOTE, numbers_of


class Vote(Decide):
    """The successor with the most votes, of equal ones the first in the order of the file.

    The teller is the robot of the lowest number present, or as another interaction behavior decides. It calls the
    vote over the successors that are enabled as it knows; a robot that senses none of these takes part too.
    """

    steps = ("call the vote", "vote", "tally the votes", "announce the winner")

    def decide(self, point: Point) -> int | None:
        """The count at the teller; the others vote and wait for the announcement."""
        teller = self._teller(point)
        if teller is None:
            return None
        if teller == point.me:
            return self._tally(point)
        call = point.receive(CALL).get(teller, 0)
        if call:
            point.state(VOTE, _vote(point, call))
        return None

    def _teller(self, point: Point) -> int | None:
        if not self.settings.teller:
            return min(point.team)
        asked = self.library[self.settings.teller]
        assert isinstance(asked, Decide)
        place = asked.ask(point.inner(len(point.team)))
        return None if place is None else point.team[max(0, min(place, len(point.team)) - 1)]

    def _tally(self, point: Point) -> int | None:
        if not point.enabled:
            return None if point.node.own.wait else 0
        point.state(CALL, point.enabled)
        votes = {**point.receive(VOTE), point.me: point.first_enabled}
        called = point.memory.setdefault("called", point.now)
        silent = [robot for robot in point.team if robot not in votes]
        if silent and point.now - called < self.window_s(point):
            return None
        cast = [votes[robot] for robot in point.team if robot in votes]
        return max(numbers_of(point.enabled), key=lambda choice: (cast.count(choice), -choice))


def _vote(point: Point, call: int) -> int:
    """The first candidate that this robot senses enabled, else the first of all."""
    own = point.enabled & call or call
    return (own & -own).bit_length()
