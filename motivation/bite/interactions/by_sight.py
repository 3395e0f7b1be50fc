"""Allocation by sight: each robot judges its place from what it senses, without messages, and may be wrong."""

from motivation.bite.interactions.contract import Allocate, Point, Shares


class BySight(Allocate):
    """The child that the own behavior sets report the greatest fitness for; of equal ones the first.

    Two robots may take one child, and a child may be left without a robot: the paper's failures (Lesson 2).
    """

    steps = ("take what fits best as it is seen",)
    talks = False

    def allocate(self, point: Point) -> Shares | None:
        """Known once one child was the best in so many decisions in a row; it is judged once.

        A robot goes on where it is until its chain has ended.
        """
        if on := point.on.get(point.me, 0):
            return Shares(on, {})
        able = [
            child for child, node in enumerate(point.children, 1)
            if point.enabled >> child - 1 & 1 and not point.done >> child - 1 & 1
            and (not node.is_joint or point.me in node.team)
        ]  # fmt: skip
        best = max(able, key=lambda child: (point.fitness(child), -child), default=0)
        memory = point.memory
        memory["looks"] = memory.get("looks", 0.0) + 1.0 if memory.get("best") == best else 1.0
        memory["best"] = float(best)
        return None if best and memory["looks"] < self.settings.looks else Shares(best, {})
