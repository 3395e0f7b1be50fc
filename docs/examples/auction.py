"""A coordinator in one file: a greedy auction. docs/own-coordinator.md explains it piece by piece.

Tasks of the mission: each idle robot states as its bid the fitness that its behavior set reports. Once a round it
gives each task to the highest bid that it knows, and begins the one that it has won itself; of two robots on one
task the one with the higher number stops. Tasks of run time are jobs: a robot announces those that it introduced
and awards them by contracts; the winner acknowledges until it is done, and one that falls silent loses the job.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from robotd.model.beliefs import Beliefs
from robotd.model.choice import Assess, Choice, Event, Job, Level, MissionTerms
from robotd.model.facts import SHARE_PARTS, Fact, FactKind
from robotd.model.inputs import Inputs
from robotd.model.plain import Json, from_plain, to_plain
from robotd.model.statements import MAX_PENDING, Heard, Sent, Statement, StatementKind
from robotd.model.table import Member, NumberTable
from robotd.model.tasks import Assignment, Feedback, Task

BID = StatementKind("auction-bid", fields=(("task", "task"), ("score", "fixed8")), key=1, priority=4)
BIDS, LACKS, BUSY, HELD, SILENT = 0, 1, 2, 4, -1  # answers of the built-in statement `bid`, and none
ANSWERS = {BIDS: "bids {:.2f}", LACKS: "lacks a resource", BUSY: "busy", HELD: "cannot now", SILENT: "silent"}
MOST_CLOSED = 16  # jobs that have ended and are still shown
ANSWER_BEATS = 4.5  # for an acknowledgement: an award and its answer, each lost once
OPEN = ("waiting", "announced", "awarded")
Offers = Mapping[str, tuple[float, int, str]]  # by task this robot's score and answer, and its best set for it


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AuctionSettings(_Table):
    """What all robots must agree on. Those of the file's own coordinator are passed over."""

    model_config = ConfigDict(extra="ignore")

    silence_timeout_beats: float = Field(default=6.0, ge=3, description="beats after which a teammate is gone")
    round_beats: float = Field(default=2.0, gt=0, description="beats from one round of awards to the next")
    rest_s: float = Field(default=240.0, ge=0, description="pause before a recurring task is bid for again, s")


class TaskTerms(_Table):
    """What holds for one task, and for each of its kind that is added at run time."""

    reserve: float = Field(default=0.0, ge=0, le=1, description="a lower bid wins nothing")
    length_s: float = Field(default=600.0, gt=0, description="a task of run time is awarded anew after it, s")


class RobotTerms(_Table):
    """What holds for one robot or type of robot."""

    eagerness: float = Field(default=1.0, ge=0, le=1, description="its bids are multiplied by it")


@dataclass(frozen=True, slots=True)
class Work:
    """What this robot works on, since when; `owner` awarded it as `number` (owner 0: a task of the mission)."""

    set: str
    task: Task
    since: float
    owner: int = 0
    number: int = 0


@dataclass(frozen=True, slots=True)
class Lot:
    """A job that this robot introduced.

    `since`: when it took its state; of a waiting one when it may be announced, of an announced one when that was
    first sent (0: not yet). `who`: the winner, `answered`: when it last acknowledged, `bids`: score and answer.
    """

    task: Task
    reserve: float
    length_s: float
    since: float
    state: str = "waiting"
    who: int = 0
    why: str = "its turn comes"
    answered: float = 0.0
    bids: Mapping[int, tuple[float, int]] = field(default_factory=dict)


@dataclass(slots=True)
class Market:
    """All that the auction remembers; by task, or by a job's `OWNER.NUMBER`."""

    next_round: float
    count: int = 0
    bids: dict[str, dict[int, tuple[float, float]]] = field(default_factory=dict)  # score, when it was received
    work: Work | None = None
    lots: dict[int, Lot] = field(default_factory=dict)
    calls: dict[str, tuple[str, float]] = field(default_factory=dict)  # task announced, when it was received
    contracts: dict[str, tuple[str, float, float]] = field(default_factory=dict)  # task ('' if done), when, until


class Auction:
    """One robot's part in the auction. A robot keeps a task until it is done or no longer applies."""

    Settings = AuctionSettings
    TaskSettings = TaskTerms
    RobotSettings = RobotTerms
    own_kinds = (BID,)

    @staticmethod
    def own_facts(settings: AuctionSettings, table: NumberTable) -> tuple[FactKind, ...]:
        """A page of each robot: how many of its jobs wait, are announced, awarded, done, ended."""
        return tuple(FactKind(f"jobs-of-{member.name}", kind="page") for member in table.team)

    @staticmethod
    def agrees(settings: AuctionSettings) -> Json:
        """The settings enter the digest: robots with others cannot read each other's bids."""
        return settings.model_dump()

    @staticmethod
    def check(settings: AuctionSettings, terms: MissionTerms) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
        """A job must last longer than a round, or no robot ever begins it."""
        round_s = settings.round_beats * terms.table.beat_s
        for task, own in terms.tasks.items():
            if own.length_s <= round_s:
                yield ("tasks", task, "length_s"), f"a round takes {round_s:g} s", f"above {round_s:g}"

    def __init__(
        self, settings: AuctionSettings, sets: Sequence[tuple[str, str, Any]], table: NumberTable,
        decision_s: float, *, own: RobotTerms | None = None,
    ) -> None:  # fmt: skip
        """`sets`: name and task of each behavior set of this robot, in declared order."""
        self._settings, self._table, self._eagerness = settings, table, (own or RobotTerms()).eagerness
        self._sets = [(name, task) for name, task, _ in sets]
        self._silence_s = (settings.silence_timeout_beats + 0.5) * table.beat_s
        self._round_s, self._answer_s = settings.round_beats * table.beat_s, ANSWER_BEATS * table.beat_s
        self._terms = {entry.task.id: TaskTerms(**json.loads(entry.terms or "{}")) for entry in table.tasks}

    def begin(self, now: float, me: int, tasks: Sequence[Task], team: Sequence[Member], instance: int) -> None:
        """See `Coordinator.begin`; one inside another coordinator has sixteen numbers for its jobs."""
        self._me, self._name = me, self._table.name(me)
        self._numbers = range(16 * instance, 16 * instance + 16) if instance else range(256)
        self._tasks = {task.id: task for task in tasks}
        self._m = Market(now + self._round_s)

    def step(
        self, i: Inputs, beliefs: Beliefs, assess: Assess, heard: Sequence[Heard], sent: Sequence[Sent]
    ) -> Choice:
        """See `Coordinator.step`."""
        m, now = self._m, i.now
        for frame in heard:
            if frame.same_mission and frame.run == beliefs.run:
                self._hear(frame)
        there = {k: one for k, one in beliefs.teammates.items() if now - one.last_received < self._silence_s}
        busy = {there[k].task: k for k in sorted(there, reverse=True)}
        events = self._introduce(i)
        jobs = {m.work.set: m.work.task} if m.work else {}  # a set is judged by its job while it has one
        feedback = {name: assess(i, beliefs, name, jobs.get(name, self._tasks[task])) for name, task in self._sets}
        ended, finished = self._go_on(now, feedback, busy)
        offers = self._offers(feedback)
        bids, idle = self._bids(now, offers, beliefs, busy), [k for k, one in there.items() if not one.task]
        events += ended + self._begin_work(now, offers, bids, idle)
        offers = self._offers(feedback)
        self._tend_lots(now, sent, offers)
        listed = tuple(Job(lot.task, lot.state, lot.who, lot.why) for lot in m.lots.values())
        levels = (Level(name, {"bid": score}, 1.0, ANSWERS[k].format(score)) for score, k, name in offers.values())
        page = [float(sum(job.state == state for job in listed)) for state in (*OPEN, "done", "ended")]
        return Choice(
            run=(Assignment(m.work.set, m.work.task),) if m.work else (),
            statements=tuple(self._statements(now, bids if m.work is None else {}, offers))[:MAX_PENDING],
            events=tuple(events), levels=tuple(levels), finished=tuple(finished), jobs=listed,
            facts=(Fact(f"jobs-of-{self._name}", (*page, 0.0, 0.0)),) if listed else (),
        )  # fmt: skip

    def _hear(self, frame: Heard) -> None:
        m = self._m
        for statement in frame.statements:
            fields: tuple[Any, ...] = statement.fields
            key = f"{frame.sender}.{fields[0]}"  # of a job, in announcements and contracts
            if statement.kind == BID.name:
                m.bids.setdefault(fields[0], {})[frame.sender] = (fields[1], frame.at)
            elif statement.kind == "announcement":
                m.calls[key] = (fields[1], frame.at)
            elif statement.kind == "bid" and fields[0] == self._me and fields[1] in m.lots:
                lot = m.lots[fields[1]]
                answer = fields[3] if fields[3] in (BIDS, LACKS, BUSY) else HELD
                m.lots[fields[1]] = replace(lot, bids={**lot.bids, frame.sender: (fields[2], answer)})
            elif statement.kind == "contract" and fields[1] == self._me:
                task = m.contracts.get(key, m.calls.get(key, ("",)))[0]
                m.contracts[key] = (task, frame.at, frame.at + fields[3] * self._table.beat_s)
            elif statement.kind == "acknowledgement" and fields[0] == self._me:
                self._acknowledged(fields[1], frame.sender, fields[2], frame.at)

    def _acknowledged(self, number: int, sender: int, progress: float, at: float) -> None:
        lot = self._m.lots.get(number)
        if lot is not None and lot.state == "awarded" and lot.who == sender:
            state, why = (
                "done" if progress >= 1.0 else "awarded",
                f"{self._table.name(sender)} reports {progress:.0%}",
            )
            self._m.lots[number] = replace(lot, state=state, why=why, answered=at)

    # -- the robot that introduces jobs

    def _introduce(self, i: Inputs) -> list[Event]:
        """New lots of what people ordered and of the subtasks that the behaviors ask for."""
        m, events = self._m, []
        for order in (order for order in i.orders if order.kind == "task-add"):
            name = " ".join(order.args[:1])
            try:
                job = self._add(i.now, order.args)
                events.append(Event("introduced", "", name, f"as {job}, ordered by {order.by or 'a person'}"))
            except ValueError as error:
                events.append(Event("refused", "", name, str(error)))
        asked = {task.id for task in i.subtasks}
        known = {lot.task.id for lot in m.lots.values() if lot.state in (*OPEN, "refused")}
        for task in (task for task in i.subtasks if task.id not in known):
            try:
                self._add(i.now, (self._table.template(task), *map("=".join, task.args)), task.id)
            except (KeyError, ValueError) as error:  # of a kind that the mission has not, or one too many
                m.lots[self._number()] = Lot(task, 0.0, 0.0, i.now, "refused", why=str(error))
        for number, lot in m.lots.items():
            if "/" in lot.task.id and lot.state in OPEN and lot.task.id not in asked:
                m.lots[number] = replace(lot, state="ended", why="it is no longer asked for")
        return events

    def _add(self, now: float, words: Sequence[str], id: str = "") -> str:
        task = self._table.introduced(words, id)
        own = self._terms[words[0]].model_dump()
        terms = TaskTerms(**own | {key: value for key, value in task.args if key in own})
        number = self._number()
        job = replace(task, id=id or f"{self._name}.{number}")
        self._m.lots[number] = Lot(job, terms.reserve, terms.length_s, now)
        return job.id

    def _number(self) -> int:
        """The next number that no open job has, free for a new one, which comes last."""
        m, size = self._m, len(self._numbers)
        for k in range(m.count, m.count + size):
            number = self._numbers[k % size]
            if number not in m.lots or m.lots[number].state not in OPEN:
                m.count = (k + 1) % size
                m.lots.pop(number, None)
                return number
        raise ValueError(f"{size} jobs are open already")

    def _tend_lots(self, now: float, sent: Sequence[Sent], offers: Offers) -> None:
        """Announce what waits, in order; award what was out for a round; take back what no robot works on."""
        lots, work = self._m.lots, self._m.work
        own = {self._me} if work and work.owner == self._me else set()  # on its own job it need not answer
        out = {s.fields[0]: frame.at for frame in sent for s in frame.statements if s.kind == "announcement"}
        for number, lot in tuple(lots.items()):
            name = self._table.name(lot.who)
            if lot.state == "waiting" and now >= lot.since:
                lots[number] = replace(lot, state="announced", since=0.0, why="bids are awaited", bids={})
            elif lot.state == "announced" and not lot.since and number in out:
                lots[number] = replace(lot, since=out[number])  # the round begins when it has left
            elif lot.state == "announced" and lot.since and now - lot.since >= self._round_s:
                del lots[number]  # what no robot won goes behind the others
                lots[number] = self._awarded(now, number, lot, offers)
            elif lot.state == "awarded" and now - lot.since >= lot.length_s:
                lots[number] = replace(lot, state="waiting", since=now, who=0, why=f"{name} took too long")
            elif lot.state == "awarded" and lot.who not in own and now - lot.answered >= self._answer_s:
                lots[number] = replace(lot, state="waiting", since=now, who=0, why=f"{name} does not work on it")
        for number in [number for number, lot in lots.items() if lot.state not in OPEN][:-MOST_CLOSED]:
            del lots[number]

    def _awarded(self, now: float, number: int, lot: Lot, offers: Offers) -> Lot:
        task = self._table.template(lot.task)
        bids = {**lot.bids, **({self._me: offers[task][:2]} if task in offers else {})}
        taken = {other.who for other in self._m.lots.values() if other.state == "awarded"}
        good = [(-score, k) for k, (score, answer) in bids.items()
                if answer == BIDS and score >= lot.reserve and k not in taken]  # fmt: skip
        if not good:
            found = ((name, *bids.get(k, (0.0, SILENT))) for k, name in sorted(self._table.robots.items()))
            why = "; ".join(f"{name}: {ANSWERS[answer].format(score)}" for name, score, answer in found)
            return replace(lot, state="waiting", since=now + self._round_s, why=why)
        score, who = min(good)
        if who == self._me:
            self._m.contracts[f"{who}.{number}"] = (task, now, now + lot.length_s)
        return replace(lot, state="awarded", since=now, who=who, answered=now, why=f"the best bid, {-score:.2f}")

    # -- the robot that works

    def _offers(self, feedback: Mapping[str, Feedback]) -> Offers:
        """For each task that it has sets for; scores as they travel, equal for all robots."""
        offers: dict[str, tuple[float, int, str]] = {}
        for name, task in self._sets:
            own = feedback[name]
            answer = BUSY if self._m.work else LACKS if own.missing else BIDS if own.applicable else HELD
            score = round(own.fitness * self._eagerness * SHARE_PARTS) / SHARE_PARTS if answer == BIDS else 0.0
            best = offers.setdefault(task, (score, answer, name))
            if (answer == BIDS, score) > (best[1] == BIDS, best[0]):
                offers[task] = (score, answer, name)
        return offers

    def _bids(self, now: float, offers: Offers, beliefs: Beliefs, busy: Mapping[str, int]) -> dict[str, float]:
        """Its bids for tasks of the mission: those that it could begin and no robot is on."""

        def rested(task: str) -> bool:
            entry = self._table.task_entries[task]
            fact = beliefs.facts.get(entry.completion)
            return not entry.recurring or fact is None or now - fact.since >= self._settings.rest_s

        return {task: score for task, (score, answer, _) in offers.items()
                if answer == BIDS and task not in busy and rested(task)}  # fmt: skip

    def _begin_work(
        self, now: float, offers: Offers, bids: Mapping[str, float], idle: Sequence[int]
    ) -> list[Event]:
        """Take up what it has won: a contract before a task of the mission, of several the lowest owner's."""
        m = self._m
        m.contracts = {key: one for key, one in m.contracts.items() if now < one[2]}
        for owner, number in sorted(tuple(map(int, key.split("."))) for key in m.contracts):
            task, at, _ = m.contracts[f"{owner}.{number}"]
            if task in offers and offers[task][1] == BIDS and now - at < self._answer_s:
                job = replace(self._tasks[task], id=f"{self._table.name(owner)}.{number}")
                job = m.lots[number].task if owner == self._me and number in m.lots else job
                m.work = Work(offers[task][2], job, now, owner, number)
                return [Event("activated", m.work.set, job.id, f"contract of {self._table.name(owner)}")]
        if m.work is None and now >= m.next_round:
            m.next_round = now + self._round_s
            if won := self._won(now, bids, idle):
                m.work = Work(offers[won][2], self._tasks[won], now)
                return [Event("activated", m.work.set, won, f"the highest bid, {bids[won]:.2f}")]
        return []

    def _won(self, now: float, own: Mapping[str, float], idle: Sequence[int]) -> str:
        """The task that a round gives to this robot: the highest bid first, of equal ones the lower number's."""
        ranked = [(-score, k, task) for task, bids in self._m.bids.items() for k, (score, at) in bids.items()
                  if k in idle and now - at < self._round_s]  # fmt: skip
        ranked += [(-score, self._me, task) for task, score in own.items()]
        given: dict[str, int] = {}
        for negative, robot, task in sorted(ranked):
            if task not in given and robot not in given.values() and -negative >= self._terms[task].reserve:
                given[task] = robot
        return next((task for task, robot in given.items() if robot == self._me), "")

    def _go_on(
        self, now: float, feedback: Mapping[str, Feedback], busy: Mapping[str, int]
    ) -> tuple[list[Event], list[Task]]:
        """What becomes of the task at hand: done, over, left to a teammate of lower number, or gone on with."""
        m, work = self._m, self._m.work
        if work is None:
            return [], []
        key, own = f"{work.owner}.{work.number}", feedback[work.set]
        if own.done:
            kind, why = "done", f"after {now - work.since:.1f} s of work"
            if work.owner == self._me:
                self._acknowledged(work.number, self._me, 1.0, now)
        elif work.owner and key not in m.contracts:
            kind, why = "ended", "the contract ran out"
        elif not work.owner and busy.get(work.task.id, self._me) < self._me:
            kind, why = "ended", f"{self._table.name(busy[work.task.id])} is on it"
        elif not own.applicable:
            kind, why = "ended", "it no longer applies"
        else:
            return [], []
        m.work = None
        m.contracts.pop(key, None)
        if own.done and work.owner not in (0, self._me):  # acknowledged for as long as the contract is stated
            m.contracts[key] = ("", now, now + self._answer_s)
        return [Event(kind, work.set, work.task.id, why)], [work.task] if own.done else []

    def _statements(self, now: float, bids: Mapping[str, float], offers: Offers) -> Iterator[Statement]:
        """The most important first, as there may be more than the radio takes."""
        m, table, beat_s, work = self._m, self._table, self._table.beat_s, self._m.work
        task = table.template(work.task) if work and work.owner else work.task.id if work else ""
        yield Statement("activity", (task, "", (now - work.since) / beat_s if work else 0.0))
        if work and work.owner not in (0, self._me):
            yield Statement("acknowledgement", (work.owner, work.number, 0.0))
        for key, (named, _, _) in sorted(m.contracts.items()):
            if not named:
                yield Statement("acknowledgement", (*map(int, key.split(".")), 1.0))
        for number, lot in m.lots.items():
            if lot.state == "awarded" and lot.who != self._me:
                yield Statement("contract", (number, lot.who, 0, (lot.since + lot.length_s - now) / beat_s))
        for key, (announced, at) in sorted(m.calls.items()):
            if now - at < self._round_s + beat_s and announced in offers:
                yield Statement("bid", (*map(int, key.split(".")), *offers[announced][:2]))
        for name, score in sorted(bids.items()):
            yield Statement(BID.name, (name, score))
        for number, lot in m.lots.items():
            if lot.state == "announced":
                fields = (number, table.template(lot.task), 0, lot.length_s / beat_s, 0.0, 0.0, 0)
                yield Statement("announcement", fields)

    def freeze(self) -> Json:
        return to_plain(self._m)

    def thaw(self, state: Json) -> None:
        self._m = from_plain(Market, state)


ROBOTD = {"robotd.coordinators": {"auction": Auction}}
