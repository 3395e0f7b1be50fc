"""Move a spill, one object at a time: the behavior set of paper 000, section IV-B and figure 7.

Six phases: (1) `go` to the vicinity of the spill, (2) `scan`: straight legs through the area and a look round
at each end, (3) `zero-in` on an object, (4) `grasp` and lift it, (5) `carry` it to the vicinity of the goal,
(6) `release`: lower, let go, back off. Each phase is one small behavior; what they share is `Spill`.
"""

from types import MappingProxyType

from behaviors.cleanup.move_spill.carry import Carry
from behaviors.cleanup.move_spill.hand import BackOff, Grasp, Release
from behaviors.cleanup.move_spill.memory import CARRY, GO, GRASP, RELEASE, SpillSet, in_hand
from behaviors.cleanup.move_spill.scan import LookRound
from behaviors.cleanup.move_spill.search import Go, Leg
from behaviors.cleanup.move_spill.settings import SpillSettings
from behaviors.cleanup.move_spill.zero_in import ZeroIn
from behaviors.parts import Percept, is_known
from behaviors.steering import nearness
from robotd.model.beliefs import Beliefs
from robotd.model.tasks import Feedback, Task

WAITS = "waits for the fact located: where the spills and the goal are"
DELIVERING = ("mobile", "positioning", "gripper")


class MoveSpill(SpillSet):
    """The behavior set for the spill that its task's argument `spill` names: left or right."""

    Settings = SpillSettings
    needs = ("mobile", "positioning", "front-range", "gripper")
    args = MappingProxyType({"spill": ("left", "right")})

    def __init__(self, settings: SpillSettings) -> None:
        super().__init__(settings)
        self.behaviors = tuple(kind(self) for kind in (Go, Leg, LookRound, ZeroIn, Grasp, BackOff, Carry, Release))

    def lacking(self, i: Percept) -> tuple[str, ...]:
        """What is in hand can be brought home without seeing ahead."""
        delivers = in_hand(i) or self.memory.phase in (CARRY, RELEASE)
        return i.capabilities.lacking(DELIVERING if delivers else self.needs)

    def enter(self, now: float, task: Task) -> None:
        """Take up the task where it was left; what is in hand shows at the first tick."""
        self.memory.side = task.arg("spill")
        self.memory.concluded = False
        self.memory.begin(GO, now)
        super().enter(now, task)

    def leave(self, now: float, why: str) -> None:
        """Hibernate; where it searched is kept for the next time."""
        self.memory.concluded = False
        self.memory.begin(GO, now)
        super().leave(now, why)

    def assess(self, i: Percept, beliefs: Beliefs, task: Task) -> Feedback:
        """Applicable while the locations are known and the spill is not known moved, or an object is in hand."""
        side, memory = task.arg("spill"), self.memory
        holding, place = in_hand(i), beliefs.place(f"spill-{side}")
        known = beliefs.flag("located") and self.room(beliefs) is not None
        delivers = memory.phase in (CARRY, RELEASE)
        left = holding or delivers or not beliefs.flag(f"spill-{side}-moved")
        fitness = nearness(i.pose, *place, half_m=10.0) if place is not None else 0.5
        progress = 1.0 if memory.concluded else memory.delivered / (memory.delivered + 1.0)
        return Feedback(
            applicable=known and left, done=memory.concluded, progress=progress,
            fitness=fitness, holding=holding or delivers or memory.phase == GRASP,
            why=is_known(f"spill-{side}-moved") if known else WAITS,
        )  # fmt: skip
