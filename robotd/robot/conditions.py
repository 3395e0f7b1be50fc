"""Conditions that go before every task: a robot with a low battery charges, whatever its coordinator plans."""

from collections.abc import Mapping
from dataclasses import replace

from robotd.config.mission import ConditionFile
from robotd.model.choice import Choice, Event
from robotd.model.plain import Json
from robotd.model.senses import Senses
from robotd.model.tasks import Assignment, Feedback, Task

Path = tuple[Assignment, ...]


class Conditions:
    """A robot's conditions by name, of which the first in declared order that holds acts. Pure.

    One holds from its sense below `below` until that has reached `until`; a sense that is absent changes nothing.
    Its set takes over when the active set holds no object any more; with `between_tasks`, when that set has ended.
    """

    def __init__(self, conditions: Mapping[str, ConditionFile]) -> None:
        self._conditions = dict(conditions)
        self._hold: dict[str, str] = {}  # those that hold, and the reading in words
        self._set = ""  # that acts for one
        self._holding = False  # the active path has reported in this decision that it holds an object

    def update(self, senses: Senses) -> None:
        """Take in the senses of a decision, before the coordinator's step."""
        self._holding = False
        for name, one in self._conditions.items():
            value = getattr(senses, one.sense)
            if name in self._hold and value is None:
                self._hold[name] = f"no {one.sense} reading"
            elif value is not None and value < (one.until if name in self._hold else one.below):
                self._hold[name] = f"{one.sense} {value:.2f}"
            elif value is not None:
                self._hold.pop(name, None)

    @property
    def _first(self) -> ConditionFile | None:
        if not self._hold:
            return None
        return next((one for name, one in self._conditions.items() if name in self._hold), None)

    def judge(self, set: str, task: Task, path: Path, feedback: Feedback) -> Feedback:
        """What the coordinator may know of `feedback`: while a condition holds only the active `path` applies."""
        one = self._first
        if one is None:
            return feedback
        if any(step.set == set and step.task == task for step in path):
            self._holding = self._holding or feedback.holding
            if one.between_tasks or feedback.holding:
                return feedback
        why = f"{one.sense} was below {one.below:g}; {one.set} until {one.until:g}"
        return Feedback(applicable=False, missing=(one.sense,), over=feedback.over, why=why)

    def override(self, choice: Choice, path: Path) -> Choice:
        """`choice` with the condition's set in place of `run`, unless the active `path` is to end first."""
        one, before = self._first, self._set
        if one is not None and choice.run and choice.run == path:
            ended = any(step.task in choice.finished for step in path)
            if not ended and (one.between_tasks or self._holding):
                return choice
        self._set = one.set if one is not None else ""
        events: list[Event] = []
        if before and before != self._set:
            events.append(Event("condition-ended", before, "", "it holds no more"))
        if one is not None and before != one.set:
            events.append(Event("condition-began", one.set, "", self.reason))
        run = (Assignment(one.set, Task(one.set)),) if one is not None else choice.run
        return replace(choice, run=run, events=(*choice.events, *events)) if one or events else choice

    @property
    def reason(self) -> str:
        """The condition that holds and why, in words; '' where none does."""
        one = self._first
        if one is None:
            return ""
        first = "has ended" if one.between_tasks else "holds no object"
        waits = "" if self._set == one.set else f" once the active set {first}"
        name, reading = next((name, self._hold[name]) for name in self._conditions if name in self._hold)
        return f"{name}: {reading}, was below {one.below:g}; {one.set} until {one.until:g}{waits}"

    def reset(self) -> None:
        """A new run has opened: no set acts for a condition; those that hold still hold."""
        self._set, self._holding = "", False

    def freeze(self) -> Json:
        return [dict(self._hold), self._set]

    def thaw(self, state: Json) -> None:
        assert isinstance(state, list)
        hold, self._set = state
        self._hold = dict(hold)
