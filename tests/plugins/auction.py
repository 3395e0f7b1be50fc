"""A coordinator in one file: a greedy auction whose bids and awards are statements of kinds of its own.

Whoever is idle bids for every task that it could begin, with the fitness that its behavior set reports. The robot
of the lowest number that is heard, oneself included, is the auctioneer: once a round it awards the highest bid,
then the highest of the rest, one task a robot, and states each award until its robot is heard at work. An award is
good for one round; a task whose robot falls silent is bid for again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict, Field

from robotd.model.beliefs import Beliefs
from robotd.model.choice import Assess, Choice, Event
from robotd.model.inputs import Inputs
from robotd.model.plain import Json
from robotd.model.statements import Heard, Sent, Statement, StatementKind
from robotd.model.table import Member, NumberTable
from robotd.model.tasks import Assignment, Feedback, Task

BID = StatementKind("auction-bid", fields=(("task", "task"), ("score", "fixed8")), key=1, priority=4)
AWARD = StatementKind("auction-award", fields=(("task", "task"), ("robot", "robot")), key=1, priority=3)
Bid = tuple[str, int]
"""A task, and the number of the robot that bids for it."""


class AuctionSettings(BaseModel):
    """What holds for all behavior sets; the keys of other coordinators may stand beside these."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    silence_timeout_beats: float = Field(default=6.0, ge=3, description="beats after which a teammate is gone")
    round_beats: float = Field(default=2.0, gt=0, description="beats from one round of awards to the next")
    rest_s: float = Field(
        default=240.0, ge=0, description="a recurring task is bid for so long after it was done, s"
    )


class AnySet(BaseModel):
    """An auction needs no motivation: whatever other coordinators need may stand here."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Auction:
    """One robot's part in the auction. A robot keeps a task until it is done or no longer applies."""

    Settings = AuctionSettings
    SetSettings = AnySet
    own_kinds = (BID, AWARD)

    def __init__(
        self,
        settings: AuctionSettings,
        sets: Sequence[tuple[str, str, AnySet]],
        table: NumberTable,
        decision_s: float,
    ) -> None:
        """`sets`: name and task of each behavior set of this robot, in declared order."""
        self._settings, self._table = settings, table
        self._sets = [(name, task) for name, task, _ in sets]
        self._silence_s = (settings.silence_timeout_beats + 0.5) * table.beat_s
        self._round_s = settings.round_beats * table.beat_s

    def begin(self, now: float, me: int, tasks: Sequence[Task], team: Sequence[Member], instance: int) -> None:
        """See `Coordinator.begin`."""
        self._me = me
        self._tasks = {task.id: task for task in tasks}
        self._bids: dict[Bid, tuple[float, float]] = {}  # score, and when it was heard
        self._awards: dict[str, tuple[int, float]] = {}  # by task the robot, and when it was awarded
        self._mine: tuple[str, float] | None = None  # the task awarded to this robot, and when
        self._active: tuple[str, float] | None = None  # the set that acts, and since when
        self._next_round = now + self._round_s

    def step(
        self, i: Inputs, beliefs: Beliefs, assess: Assess, heard: Sequence[Heard], sent: Sequence[Sent]
    ) -> Choice:
        """See `Coordinator.step`."""
        there = [k for k, mate in sorted(beliefs.mates.items()) if i.now - mate.last_heard < self._silence_s]
        auctioneer = min([self._me, *there])
        for frame in heard:
            if frame.same_mission and frame.run == beliefs.run:
                self._hear(frame, auctioneer)
        feedback = {name: assess(i, beliefs, name, self._tasks[task]) for name, task in self._sets}
        busy = {beliefs.mates[k].task: k for k in reversed(there)}
        events, finished = self._go_on(i.now, feedback, busy)
        can = self._can(feedback, beliefs, busy, i.now) if self._active is None else {}
        if self._mine is not None and i.now - self._mine[1] < self._round_s and self._mine[0] in can:
            task, name = self._mine[0], can[self._mine[0]]
            self._active, self._mine, can = (name, i.now), None, {}
            events.append(Event("activated", name, task, f"awarded by {self._table.name(auctioneer)}"))
        bids = {task: feedback[name].fitness for task, name in can.items()}
        if auctioneer == self._me and i.now >= self._next_round:
            self._next_round = i.now + self._round_s
            self._award(i.now, bids, [k for k in there if not beliefs.mates[k].task], busy)
        return self._choice(i.now, bids, busy, events, finished)

    def _hear(self, frame: Heard, auctioneer: int) -> None:
        for statement in frame.statements:
            if statement.kind == BID.name:
                task, score = statement.fields
                assert isinstance(score, int | float)
                self._bids[str(task), frame.sender] = (score, frame.at)
            elif statement.kind == AWARD.name and frame.sender == auctioneer:
                task, robot = statement.fields
                if robot == self._me:
                    self._mine = (str(task), frame.at)

    def _go_on(
        self, now: float, feedback: dict[str, Feedback], busy: dict[str, int]
    ) -> tuple[list[Event], list[Task]]:
        """What becomes of the task at hand: done, over, left to a mate of lower number, or gone on with."""
        if self._active is None:
            return [], []
        name, since = self._active
        task = dict(self._sets)[name]
        if feedback[name].done:
            self._active = None
            return [Event("done", name, task, f"after {now - since:.1f} s of work")], [self._tasks[task]]
        if busy.get(task, self._me) < self._me:
            self._active = None
            return [Event("yielded", name, task, f"{self._table.name(busy[task])} is on it")], []
        if not feedback[name].applicable:
            self._active = None
            return [Event("ended", name, task, "it no longer applies")], []
        return [], []

    def _can(
        self, feedback: dict[str, Feedback], beliefs: Beliefs, busy: dict[str, int], now: float
    ) -> dict[str, str]:
        """By task that this robot could begin the set that would do it."""
        can: dict[str, str] = {}
        for name, task in self._sets:
            if feedback[name].applicable and task not in busy and self._rested(task, beliefs, now):
                can.setdefault(task, name)
        return can

    def _rested(self, task: str, beliefs: Beliefs, now: float) -> bool:
        entry = self._table.task_entries[task]
        fact = beliefs.facts.get(entry.completion)
        return not entry.recurring or fact is None or now - fact.since >= self._settings.rest_s

    def _award(self, now: float, own: dict[str, float], idle: Iterable[int], busy: dict[str, int]) -> None:
        """One round: the highest bid wins, of equal ones the lower number's, then the task that comes first."""
        fresh = {bid: score for bid, (score, at) in self._bids.items() if now - at < self._round_s}
        self._bids = {bid: entry for bid, entry in self._bids.items() if bid in fresh}
        idlers = {*idle, self._me}
        fresh |= {(task, self._me): score for task, score in own.items()}
        left = sorted((-score, robot, task) for (task, robot), score in fresh.items() if robot in idlers)
        self._awards = {}
        for _, robot, task in left:
            if task in busy or task in self._awards or any(robot == k for k, _ in self._awards.values()):
                continue
            self._awards[task] = (robot, now)
            if robot == self._me:
                self._mine = (task, now)

    def _choice(
        self, now: float, bids: dict[str, float], busy: dict[str, int], events: list[Event], finished: list[Task]
    ) -> Choice:
        name, since = self._active or ("", now)
        task = dict(self._sets).get(name, "")
        told = [Statement("activity", (task, "", (now - since) / self._table.beat_s))]
        told += [Statement(BID.name, (task, score)) for task, score in sorted(bids.items())]
        told += [
            Statement(AWARD.name, (task, robot), at + self._round_s)
            for task, (robot, at) in sorted(self._awards.items())
            if robot != self._me and task not in busy
        ]
        run = (Assignment(name, self._tasks[task]),) if name else ()
        return Choice(run=run, statements=tuple(told), events=tuple(events), finished=tuple(finished))

    def freeze(self) -> Json:
        """See `Coordinator.freeze`."""
        return {
            "bids": [[*bid, *entry] for bid, entry in sorted(self._bids.items())],
            "awards": [[task, *entry] for task, entry in sorted(self._awards.items())],
            "mine": self._mine,
            "active": self._active,
            "next_round": self._next_round,
        }

    def thaw(self, state: Json) -> None:
        """See `Coordinator.thaw`; `begin` comes first."""
        assert isinstance(state, dict)
        self._bids = {(task, robot): (score, at) for task, robot, score, at in state["bids"]}
        self._awards = {task: (robot, at) for task, robot, at in state["awards"]}
        self._mine = tuple(state["mine"]) if state["mine"] is not None else None
        self._active = tuple(state["active"]) if state["active"] is not None else None
        self._next_round = state["next_round"]


ROBOTD = {"robotd.coordinators": {"auction": Auction}}
