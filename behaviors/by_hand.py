"""What a person who drives a robot by hand puts below its layers, in place of a behavior set."""

from behaviors.parts import Behavior, Drive, Nothing, Out, Percept
from robotd.model.beliefs import Beliefs


class ByHand(Behavior[Nothing]):
    """Wants `drive`, which is set in each tick: the layers above it bend it as they do any set's."""

    name = "by-hand"

    def __init__(self) -> None:
        super().__init__(Nothing())
        self.drive = Drive(0.0, 0.0)

    def act(self, i: Percept, beliefs: Beliefs) -> Out | None:
        return Out(drive=self.drive)
