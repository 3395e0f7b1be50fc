"""What a robot subscribes to, and how it answers for a task now (002, sections V-A.2 and V-B, steps 1 and 2)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from motivation.murdoch.metrics import Candidate, Metric, score
from motivation.murdoch.settings import HOLDING, TaskTerms
from motivation.murdoch.words import BIDS, BUSY, CHARGING, HELD, LACKS, mask_of, unmask
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Assess, Level
from robotd.model.facts import SHARE_PARTS
from robotd.model.inputs import Inputs
from robotd.model.tasks import Feedback, Task


@dataclass(frozen=True, slots=True)
class Offer:
    """How this robot answers an announcement now, and with which set it would do the task."""

    answer: int
    score: float
    set: str


@dataclass(frozen=True, slots=True)
class Robot:
    """What of a robot does not change: sets by task, terms by task, capabilities that it was given, metrics."""

    sets: Mapping[str, tuple[str, ...]]
    tasks: Mapping[str, Task]
    terms: Mapping[str, TaskTerms]
    resources: tuple[str, ...]
    metrics: Mapping[str, Metric]


class Judge:
    """One robot in one decision. Every set is judged once on the mission's task, or on the task at hand."""

    def __init__(
        self, robot: Robot, i: Inputs, beliefs: Beliefs, assess: Assess, active: Mapping[str, Task]
    ) -> None:
        """`active`: by set the task that it works on."""
        self._robot, self._i, self._beliefs, self._assess = robot, i, beliefs, assess
        self.feedback = {
            name: assess(i, beliefs, name, active.get(name, robot.tasks[task]))
            for task, names in robot.sets.items()
            for name in names
        }
        holding = [HOLDING] if any(own.holding for own in self.feedback.values()) else []
        self._offers: dict[tuple[str, tuple[tuple[str, str], ...], bool], Offer] = {}
        self.subscribed = frozenset([*i.capabilities.resources, *robot.resources, *holding])

    def offer(self, template: str, task: Task, *, busy: bool) -> Offer:
        """Its answer for a task of the mission with the arguments that travelled; a busy robot is not idle."""
        key = template, task.args, busy
        if key not in self._offers:
            self._offers[key] = self._offer(template, task, busy=busy)
        return self._offers[key]

    def _offer(self, template: str, task: Task, *, busy: bool) -> Offer:
        """A dead camera is no resource, and a condition that asks for the battery lets no set apply: either
        unsubscribes the robot by itself.
        """
        names, resources = self._robot.sets.get(template, ()), self._robot.terms[template].resources
        lacking = [name for name in resources if name not in self.subscribed]
        if lacking or not names:
            return Offer(LACKS, mask_of(resources, lacking) / SHARE_PARTS, "")
        found = {name: self._judge(name, template, task, busy=busy) for name in names}
        if all("battery" in own.missing for own in found.values()):
            return Offer(CHARGING, 0.0, names[0])
        if busy:
            return Offer(BUSY, 0.0, names[0])
        if all(own.missing for own in found.values()):
            missing = [name for own in found.values() for name in own.missing]
            return Offer(LACKS, mask_of(resources, missing) / SHARE_PARTS, "")
        able = {name: own for name, own in found.items() if own.applicable and not own.missing}
        scores = {name: self._score(template, task, own) for name, own in able.items()}
        best = max(scores, key=scores.__getitem__, default="")
        return Offer(BIDS, scores[best], best) if best else Offer(HELD, 0.0, names[0])

    def levels(self, busy: str, works: str, working: str, auction: Callable[[str], str]) -> Iterator[Level]:
        """What it would bid for each task of the mission, and why it does or does not.

        `busy`: with what, in words, '' for nothing; of the set `works` that is at work `working` says so.
        `auction`: what is to be said of the auctions of a task.
        """
        for task, names in self._robot.sets.items():
            offer = self.offer(task, self._robot.tasks[task], busy=bool(busy))
            for name in names:
                bid = offer.score if offer.answer == BIDS and offer.set == name else 0.0
                why = working if name == works else self._why(task, name, offer, busy, auction)
                yield Level(name, {"bid": bid}, 1.0, why)

    def _why(self, task: str, name: str, offer: Offer, busy: str, auction: Callable[[str], str]) -> str:
        own = self.feedback[name]
        if offer.answer == LACKS:
            lacks = unmask(self._robot.terms[task].resources, round(offer.score * SHARE_PARTS))
            return f"lacks {', '.join(lacks or own.missing) or 'what it needs'}"
        if offer.answer == CHARGING:
            return "its battery is charged first"
        if offer.answer == BUSY:
            return busy
        return own.why or "it does not apply now" if offer.answer == HELD else auction(task)

    def _judge(self, name: str, template: str, task: Task, *, busy: bool) -> Feedback:
        if busy or task.args == self._robot.tasks[template].args:
            return self.feedback[name]
        return self._assess(self._i, self._beliefs, name, task)

    def _score(self, template: str, task: Task, own: Feedback) -> float:
        candidate = Candidate(self._i, self._beliefs, task, own, self._robot.terms[template])
        return score(candidate, self._robot.metrics)
