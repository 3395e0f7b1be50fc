"""What a coordinator may implement besides `Coordinator`; a caller finds out at run time."""

from collections.abc import Collection
from typing import Protocol, runtime_checkable

from robotd.model.plain import Json


@runtime_checkable
class Closes(Protocol):
    """What a coordinator inside another has besides, if it does not see from its own sets which tasks are over."""

    def close(self, tasks: Collection[str]) -> None:
        """These tasks are over, by any robot; before each `step`."""


@runtime_checkable
class Keeper(Protocol):
    """What a coordinator has besides, if its memory shall outlive its process.

    `memory_name` names its document. `memory_of_run`: the memory is of one run, is not recalled in another, and
    `begin` drops it; else it outlives every run. `freeze` holds the memory too.
    """

    memory_name: str
    memory_of_run: bool

    @property
    def memory_version(self) -> int:
        """Grows whenever `memory()` must be saved: at changes of a task, not at each renewal."""

    def memory(self) -> Json:
        """All that shall be kept, with what it was learned under."""

    def recall(self, memory: Json) -> None:
        """Take up what `memory()` gave in a former life, after the first `begin` and before the first `step`.

        ValueError says in words why this is no memory of this mission's robot; then nothing has changed.
        """
