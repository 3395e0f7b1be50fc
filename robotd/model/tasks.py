"""Tasks, the robots that may do them, and how a behavior set judges one."""

from dataclasses import field

from robotd.model.value import value


@value
class Task:
    """Something to be done once or on recurring occasions. `id` is its name in the mission, or `robot.number`."""

    kind: str
    args: tuple[tuple[str, str], ...] = ()
    id: str = ""

    def arg(self, name: str) -> str:
        """The argument called `name`; KeyError if the task has none."""
        return dict(self.args)[name]

    @property
    def place(self) -> tuple[float, float]:
        """Where it is, m: its arguments `x` and `y`; KeyError if it lacks one, ValueError if one is no number."""
        return float(self.arg("x")), float(self.arg("y"))


@value
class Assignment:
    """A behavior set of this robot, and the task that it works on."""

    set: str
    task: Task


@value
class Feedback:
    """What a behavior set says of a task now.

    applicable: the sensory feedback of ALLIANCE's equation (1); done: an active set completed it in this decision;
    progress 0 to 1; fitness 0 to 1, how well placed this robot is; missing: resources that it lacks; why: where it
    does not apply, the fact, reading or order that it waits for, in words.
    """

    applicable: bool
    done: bool = False
    progress: float = 0.0
    fitness: float = 1.0
    missing: tuple[str, ...] = ()
    holding: bool = False  # an object is in hand: a preempting set waits for the end of the phase
    over: bool = False  # the set reports done, active or not
    why: str = field(default="", compare=False)
