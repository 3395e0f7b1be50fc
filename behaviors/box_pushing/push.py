"""Push a little at one end of a long box, after changing ends if need be (paper 001, section 3.2).

The set of an end applies once the other end has been pushed since the last push at this end began, by any robot:
what ends during a push counts for the next one. A robot that was put to an end takes the other for pushed until it
knows of a push at its own (3.2.1: each is programmed to think so at the start).
"""

import math
from dataclasses import dataclass
from types import MappingProxyType

from behaviors import parts
from behaviors.box_pushing.acquire import LONG_AGO, OTHER, Acquire, Pushes, find_last_push, name_count
from behaviors.parts import BehaviorSet, Drive, Out, Part, Percept
from behaviors.steering import BOX_M, clip, turn_square
from behaviors.whereabouts import wrap
from robotd.model.beliefs import Beliefs
from robotd.model.facts import Fact
from robotd.model.tasks import Feedback, Task

AWAY_BEATS = 3.5  # a teammate that is received after so much silence has come: three lost frames in a row are rare
STATED_BEATS = 1.5  # what was stated so lately holds: the next frame may be a jitter late
AT_HAND_S = 4.5  # a push of 3 s at the present end, with the approach
CHANGE_S = 35.0  # a change of ends and a push take 25 s: a robot that claims one for longer is stuck
AWAY = math.pi / 2  # the heading in which the box is pushed: to the back of the room
WELL_AHEAD = 0.15  # rad: an end so much ahead pushes as gently as it does at all
SQUARE_M = 0.03  # what both front sensors aside see differs by less: square to within about 7 degrees


@dataclass(slots=True)
class Shove:
    """One push: how long it has pushed, and when it last did (-1: it does not touch the box)."""

    lasted_s: float = 0.0
    at: float = -1.0


class Shoving(Part[Shove, "Push"]):
    """Drives into the box, square to it, for the prescribed time of contact."""

    name = "shoving"
    initial = Shove

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        shove, memory, s = self.state, self.settings.memory, self.settings.settings
        if memory.reported or i.wanted is not None or i.senses.lifted:
            shove.at = -1.0
            return None
        touches = i.eyes.front <= s.contact_m
        if touches and shove.at >= 0.0:
            shove.lasted_s += i.now - shove.at
        shove.at = i.now if touches else -1.0
        if shove.lasted_s < s.push_s:
            return Out(drive=Drive(s.speed * (1.0 - s.trim * self._lead(i)), turn_square(i)))
        memory.reported = True
        name = name_count(memory.end)
        return Out(facts=(Fact(name, (float(beliefs.count(name) + 1),)),))

    def _lead(self, i: Percept) -> float:
        """How far this end is ahead of the other, by its own heading, from -1 (behind) to 1."""
        turned = wrap(i.pose.heading - AWAY) if i.pose is not None else 0.0
        return clip((turned if self.settings.memory.end == "right" else -turned) / WELL_AHEAD, 1.0)


def _on_its_way(now: float, beliefs: Beliefs, task: Task) -> bool:
    """Whether a teammate, by its last statement, has claimed the task for longer than a push at hand takes.

    One that changes ends needs longer than others have patience for; one that claims it for too long is stuck.
    """
    return any(
        teammate.task == task.id
        and teammate.last_received - teammate.claimed_at > AT_HAND_S
        and now - teammate.last_received < STATED_BEATS * beliefs.beat_s(now)
        and now - teammate.claimed_at < CHANGE_S
        for teammate in beliefs.teammates.values()
    )


class Push(BehaviorSet[Pushes]):
    """The behavior set of one end, `task.arg("end")`: left or right as the pushing robot sees it."""

    class Settings(parts.Settings):
        push_s: float = parts.setting(3.0, "how long one push lasts, s of contact", gt=0, le=60)
        speed: float = parts.setting(0.2, "pushing speed, share of the body's greatest speed", gt=0, le=1)
        trim: float = parts.setting(
            0.3,
            "share by which it pushes more gently where its end is ahead, harder where it is behind",
            ge=0,
            le=0.9,
        )
        contact_m: float = parts.setting(
            0.06, "the box is touched where the front sees it so near, m", gt=0, le=0.5
        )
        changes_ends: bool = parts.setting(default=True, meaning="it can acquire the other end")
        listen_s: float = parts.setting(
            45.0,  # twice what it takes to come back from half-way to the other end
            "so long after it was put there, or a teammate came, it stays at its end of the box, s",
            ge=0,
            le=600,
        )
        recent_s: float = parts.setting(
            float("inf"), "an older push at the other end calls for none at this one, s", gt=0
        )

    needs = ("mobile", "positioning", "front-range")
    args = MappingProxyType({"end": tuple(OTHER)})

    def __init__(self, settings: Settings) -> None:
        super().__init__(Pushes())
        self.settings = settings
        self._shoving = Shoving(self)
        self.behaviors = (Acquire(self), self._shoving)

    def lacking(self, i: Percept) -> tuple[str, ...]:
        """It changes ends by the range at its sides."""
        return i.capabilities.lacking(self.needs if self.memory.here else (*self.needs, "side-range"))

    def enter(self, now: float, task: Task) -> None:
        self.memory.reported = False
        super().enter(now, task)

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        memory = self.memory
        memory.end = task.arg("end")
        self._look(i)
        self._listen(i.now, beliefs)
        here = memory.here
        if i.pose is None or i.senses.lifted:
            memory.put_at = -1.0
            return Feedback(applicable=False, why="its pose is not known" if i.pose is None else parts.LIFTED)
        if memory.put_at < 0.0:
            memory.put_at = i.now
        settled = i.now - max(memory.put_at, memory.came_at) >= self.settings.listen_s
        free = memory.mine or (settled and not _on_its_way(i.now, beliefs, task))
        able = here or (self.settings.changes_ends and free)
        progress = min(1.0, self._shoving.state.lasted_s / self.settings.push_s)
        why = f"waits for a push at the {OTHER[memory.end]} end" if able else f"it is not at the {memory.end} end"
        return Feedback(
            able and self._due(i.now, beliefs), memory.reported, progress, 1.0 if here else 0.3, why=why
        )

    def _look(self, i: Percept) -> None:
        """Whether it faces the box at this set's end: there the outer diagonal sensor sees past the box.

        Where both see it, or neither, or it is not square to it, it is where it was; a robot that changes no ends
        is where it was put.
        """
        memory, eyes = self.memory, i.eyes
        faces = eyes.front < BOX_M
        left, right = eyes.left_diagonal < BOX_M, eyes.right_diagonal < BOX_M
        if not self.settings.changes_ends:
            memory.mine = True
        elif faces and left != right and abs(eyes.ahead_left - eyes.ahead_right) < SQUARE_M:
            memory.mine = right if memory.end == "left" else left
        memory.here = faces and memory.mine

    def _listen(self, now: float, beliefs: Beliefs) -> None:
        """Notice a teammate that comes, or comes back."""
        memory = self.memory
        for number, teammate in beliefs.teammates.items():
            before = memory.heard.get(str(number), LONG_AGO)
            if teammate.last_received - before > AWAY_BEATS * beliefs.beat_s(now):
                memory.came_at = max(memory.came_at, teammate.last_received)
            memory.heard[str(number)] = teammate.last_received

    def _due(self, now: float, beliefs: Beliefs) -> bool:
        """Whether the other end has been pushed and this one has not, since then; lately, if that matters."""
        memory, s = self.memory, self.settings
        own, other = find_last_push(beliefs, memory.end), find_last_push(beliefs, OTHER[memory.end])
        if memory.here and own < memory.put_at:
            return now - max(other, memory.put_at) <= s.recent_s
        return other > own - s.push_s and now - other <= s.recent_s
