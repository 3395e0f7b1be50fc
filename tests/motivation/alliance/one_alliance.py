"""One coordinator on virtual time: frames, own frames, own facts and behavior sets are scripted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from motivation.alliance.alliance import Alliance
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Choice, Event
from robotd.model.facts import Fact, FactKind
from robotd.model.inputs import Inputs
from robotd.model.senses import Capabilities, Senses
from robotd.model.statements import Heard, Sent, Statement
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Feedback, Task

DECISION_S = 0.5
BEAT_S = 3.0
THETA = 10.0
NUMBERS = {"red": 1, "blue": 2, "gold": 3}
TABLE = NumberTable(
    team=tuple(Member(name, number, "r2") for name, number in NUMBERS.items()),
    tasks=(
        TaskEntry(Task("find", (), "find"), 1, "found"),
        TaskEntry(Task("push", (), "push"), 2, "pushes", recurring=True),
        TaskEntry(Task("report", (), "report"), 3, "reports", recurring=True),
    ),
    facts=(FactKind("found", 1, "flag"), FactKind("pushes", 2, "count"), FactKind("reports", 3, "count")),
    beat_s=BEAT_S,
)
PLAIN: dict[str, Any] = {
    "fast_rate": 2.0,  # 5 s to the threshold
    "slow_rate": 0.5,  # 20 s
    "patience_s": 30.0,
    "yield_time_s": 60.0,
    "give_up_time_s": 300.0,
}
APPLIES, NOT = Feedback(applicable=True), Feedback(applicable=False)


def activity(task: str = "", claimed: float = 0.0, held: str = "") -> Statement:
    """`claimed` in beats."""
    return Statement("activity", (task, held, claimed))


def reported(fact: str, value: int = 0, age: float = 0.0) -> Statement:
    """A fact of a frame; `age` in beats."""
    return Statement("fact", (fact, value, age))


class Lone:
    """Red's coordinator, deciding twice a second; all sets apply unless stated."""

    kind: type[Alliance] = Alliance

    def __init__(self, sets: Mapping[str, Mapping[str, Any]] | None = None, **settings: Any) -> None:
        """`sets`: the changes to `PLAIN` by set; a set works on the task of its own name, or on `task`."""
        own = []
        for name, changes in (sets if sets is not None else {"push": {}}).items():
            values = {**PLAIN, **changes}
            own.append((name, values.pop("task", name), self.kind.SetSettings(**values)))
        self._own = own
        self._settings = self.kind.Settings(**{"threshold": THETA, "silence_timeout_beats": 4.0, **settings})
        self.beliefs = Beliefs(TABLE, 1, run=1, running=True)
        self.coordinator = self.made()
        self.feedback = {name: APPLIES for name, _, _ in own}
        self.n = 0
        self.choice = Choice()
        self.events: list[tuple[float, Event]] = []
        self._heard: list[Heard] = []
        self._sent: list[Sent] = []

    def made(self) -> Alliance:
        """A coordinator as it begins, of the same settings."""
        coordinator = self.kind(self._settings, self._own, TABLE, DECISION_S)
        coordinator.begin(0.0, 1, [entry.task for entry in TABLE.tasks], TABLE.team, 0)
        return coordinator

    @property
    def now(self) -> float:
        return self.n * DECISION_S

    @property
    def active(self) -> str:
        return self.choice.run[-1].set if self.choice.run else ""

    @property
    def stated(self) -> tuple[Any, ...]:
        """Task, task held, and beats claimed."""
        (statement,) = self.choice.statements
        assert statement.kind == "activity"
        return statement.fields

    def level(self, name: str = "push") -> float:
        return next(level.scores["motivation"] for level in self.choice.levels if level.set == name)

    def why(self, name: str = "push") -> str:
        return next(level.why for level in self.choice.levels if level.set == name)

    def kinds(self, name: str = "push") -> list[str]:
        """The kinds of all events of a set so far."""
        return [event.kind for _, event in self.events if event.set == name]

    def causes(self, kind: str) -> list[str]:
        return [event.cause for _, event in self.events if event.kind == kind]

    def hears(self, *statements: Statement, sender: str = "blue", **other: Any) -> Lone:
        """A frame that arrives now, and is taken in at the next decision."""
        frame = {
            "at": self.now, "sender": {**NUMBERS, "base station": 0}.get(sender, 9), "run": 1, "running": True,
            "same_mission": True,
        }  # fmt: skip
        self._heard.append(Heard(**{**frame, **other}, statements=statements))
        return self

    def sends(self, *statements: Statement, at: float | None = None) -> Lone:
        """An own frame leaves."""
        self._sent.append(Sent(self.now if at is None else at, statements))
        return self

    def asserts(self, fact: str, value: float = 0.0) -> Lone:
        """The own behaviors know something now."""
        self.beliefs = self.beliefs.learn([Fact(fact, (value,) if value else (), self.now)])
        return self

    def applies(self, **feedback: Feedback | bool) -> Lone:
        """What the sets report from now on; "_" stands for "-"."""
        for name, given in feedback.items():
            own = given if isinstance(given, Feedback) else (APPLIES if given else NOT)
            self.feedback[name.replace("_", "-")] = own
        return self

    def step(self, now: float | None = None) -> Choice:
        """The next decision."""
        self.n += 1
        heard, self._heard = tuple(self._heard), []
        sent, self._sent = tuple(self._sent), []
        self.beliefs = self.beliefs.learn(heard)
        at = self.now if now is None else now
        i = Inputs(at, self.n, Senses(), Capabilities())
        self.choice = self.coordinator.step(
            i, self.beliefs, lambda i, b, name, task: self.feedback[name], heard, sent
        )
        self.events += [(at, event) for event in self.choice.events]
        return self.choice

    def until(self, time: float, sends: Statement | None = None, sender: str = "blue") -> Lone:
        """Decide up to and at `time`; a teammate may send something once a beat meanwhile."""
        while self.now < time:
            self.step()
            if sends is not None and self.now % BEAT_S == 0:
                self.hears(sends, sender=sender)
        return self

    def rethought(self) -> None:
        """Go on with a fresh coordinator that took the frozen state up, by way of text."""
        frozen = json.loads(json.dumps(self.coordinator.freeze(), allow_nan=False))
        self.coordinator = self.made()
        self.coordinator.thaw(frozen)
