"""Push a little at one end of a long box, after changing ends if need be (paper 001, section 3.2).

The set of each end applies once the other end has been pushed since it last began a push itself: what ends during
its own push counts for the next one. A teammate's push at its own end does its work, and then the other end must be
pushed anew. At the start it takes the end that it faces for the one whose turn it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field

from behaviors import parts
from behaviors.parts import Behavior, BehaviorSet, Drive, Felt, Out
from behaviors.push_acquire import SEEN_M, Acquire
from robotd.model.beliefs import Beliefs
from robotd.model.facts import Fact
from robotd.model.tasks import Feedback, Task

OTHER = {"left": "right", "right": "left"}
UNKNOWN = -2  # no count of pushes yet
LOOKS = 3.0  # rad/s of turning per metre between what the two front sensors aside see: settles in a second


def pushed(end: str) -> str:
    """The fact that counts the pushes at an end."""
    return f"pushed-{end}"


@dataclass(slots=True)
class Pushes:
    """What a set remembers: pushes at the other end that are used up, and those at its own that it knows of."""

    end: str = ""
    here: bool = False  # it faces the box at this set's end
    spent: int = UNKNOWN
    own: int = 0
    told: bool = False  # this push is over
    listens_since: float = -1.0  # since when it stands on its wheels (-1: it does not)


@dataclass(slots=True)
class Shove:
    """One push: how long it has pushed, when it last did, and the pushes at the other end when it began."""

    lasted_s: float = 0.0
    at: float = -1.0
    other: int = UNKNOWN


class Shoving(Behavior[Shove]):
    """Drives into the box, square to it, for the prescribed time of contact."""

    name = "shoving"

    def __init__(self, group: Push, settings: Push.Settings) -> None:
        super().__init__(Shove())
        self._group, self._settings = group, settings

    def enter(self, now: float, task: Task | None) -> None:
        """Every push begins anew."""
        self.state = Shove()

    def act(self, i: Felt, beliefs: Beliefs) -> Out | None:
        """One tick; the count of this end's pushes rises when it is over."""
        shove, memory, s = self.state, self._group.memory, self._settings
        if shove.other == UNKNOWN:
            shove.other = beliefs.count(pushed(OTHER[memory.end]))
        if memory.told or i.wanted is not None or i.senses.lifted:
            shove.at = -1.0
            return None
        touches = i.eyes.front <= s.contact_m
        if touches and shove.at >= 0.0:
            shove.lasted_s += i.now - shove.at
        shove.at = i.now if touches else -1.0
        if shove.lasted_s < s.push_s:
            return Out(drive=Drive(s.speed, _squarely(i)))
        memory.told, memory.spent = True, shove.other
        memory.own = beliefs.count(pushed(memory.end)) + 1
        return Out(facts=(Fact(pushed(memory.end), (float(memory.own),)),))


def _squarely(i: Felt) -> float:
    """The turn rate that brings it square to what both front sensors aside see; 0 while one sees nothing."""
    left, right = i.eyes.ahead_left, i.eyes.ahead_right
    return LOOKS * (right - left) if max(left, right) < SEEN_M else 0.0


class Push(BehaviorSet[Pushes]):
    """The behavior set of one end, `task.arg("end")`: left or right as seen by who pushes."""

    class Settings(parts.Settings):
        """Its table in the mission file."""

        push_s: float = Field(default=3.0, gt=0, le=60, description="how long one push lasts, s of contact")
        speed: float = Field(
            default=0.2, gt=0, le=1, description="pushing speed, share of the body's greatest speed"
        )
        contact_m: float = Field(
            default=0.06, gt=0, le=0.5, description="the box is touched where the front sees it so near, m"
        )
        changes_ends: bool = Field(default=True, description="it can acquire the other end")
        listen_s: float = Field(
            default=12.0, ge=0, le=600,
            description="so long after it was put there it takes nobody's silence for absence at the other end, s",
        )
        recent_s: float = Field(
            default=float("inf"), gt=0, description="an older push at the other end calls for none at this one, s"
        )

    needs = ("mobile", "positioning", "front-range")

    def __init__(self, settings: Settings) -> None:
        super().__init__(Pushes())
        self.settings = settings
        self._shoving = Shoving(self, settings)
        self._acquire = Acquire(self)
        self.behaviors = (self._acquire, self._shoving)

    def lacking(self, i: Felt) -> tuple[str, ...]:
        """It changes ends by the range at its sides."""
        return i.capabilities.lacking(self.needs if self.memory.here else (*self.needs, "side-range"))

    def enter(self, now: float, task: Task) -> None:
        """A push at this end begins, with the way there."""
        self.memory.told = False
        super().enter(now, task)

    def assess(self, i: Felt, beliefs: Beliefs, task: Task) -> Feedback:
        """Whether it is this end's turn."""
        memory = self.memory
        memory.end = task.arg("end")
        memory.here = here = self._at_end(i)
        if i.pose is None or i.senses.lifted:
            memory.listens_since = -1.0
            return Feedback(applicable=False)
        if memory.listens_since < 0.0:
            memory.listens_since = i.now
        other, own = beliefs.count(pushed(OTHER[memory.end])), beliefs.count(pushed(memory.end))
        if memory.spent == UNKNOWN:
            memory.spent = -1 if here else 0
        if own > memory.own:  # a teammate's push: ours are counted as they end
            memory.own = own
            if beliefs.facts[pushed(memory.end)].since >= memory.listens_since:
                memory.spent = other
        listened = i.now - memory.listens_since >= self.settings.listen_s
        able = here or (self.settings.changes_ends and listened and not self._taken(beliefs, task))
        return Feedback(
            applicable=other > memory.spent and able and self._recent(i, beliefs, other),
            done=memory.told,
            progress=min(1.0, self._shoving.state.lasted_s / self.settings.push_s),
            fitness=1.0 if here else 0.3,
        )

    def _at_end(self, i: Felt) -> bool:
        """Whether it faces the box at this set's end: there the outer diagonal sensor sees past the box.

        Where both see it, or neither, it is where it was; who changes no ends is where it was put.
        """
        if i.eyes.front >= SEEN_M:
            return False
        if not self.settings.changes_ends:
            return True
        left, right = i.eyes.left_diagonal < SEEN_M, i.eyes.right_diagonal < SEEN_M
        if left == right:
            return self.memory.here
        return right if self.memory.end == "left" else left

    def _taken(self, beliefs: Beliefs, task: Task) -> bool:
        """On the way to the end: whether a teammate has begun to push there meanwhile."""
        way = self._acquire.state
        return bool(way.step) and any(
            mate.task == task.id and mate.claimed_at > way.left_at for mate in beliefs.mates.values()
        )

    def _recent(self, i: Felt, beliefs: Beliefs, other: int) -> bool:
        fact = beliefs.facts.get(pushed(OTHER[self.memory.end]))
        return other == 0 or fact is None or i.now - fact.since <= self.settings.recent_s
