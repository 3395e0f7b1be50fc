"""How a team ends a behavior: waiting for all, by the first to finish, alone, or with another child to do."""

from motivation.bite.interactions.contract import Point, Terminate


class WaitForAll(Terminate):
    """A robot that has ended waits for all that are present (figure 1-c, Wait)."""

    steps = ("end", "wait for all")

    def may_leave(self, point: Point) -> bool:
        """Once all have ended, and its own end has left: the last one leaves together with those that wait."""
        return not point.behind and (point.sent or len(point.team) == 1)


class First(Terminate):
    """The first to finish ends it for all: they leave when they receive that it has gone on."""

    steps = ("end", "the others follow")

    def may_leave(self, point: Point) -> bool:
        """At once."""
        return True


class Alone(Terminate):
    """Each robot by itself: the others go on."""

    steps: tuple[str, ...] = ("end",)
    talks = False
    is_alone = True

    def may_leave(self, point: Point) -> bool:
        """At once."""
        return True


class Reallocate(Alone):
    """A robot that has ended a chain gets another child of its parent, while one is left (algorithm 1, line 7)."""

    steps = ("end", "take another child")
    reallocates = True
