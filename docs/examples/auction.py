"""A coordinator in one file: a greedy auction. docs/own-coordinator.md explains it piece by piece.

Tasks of the mission: whoever is idle bids with the fitness that its behavior set reports; of the robots that are
heard, oneself included, the one of the lowest number awards once a round the highest bid, then the highest of the
rest. A task of run time is announced by the robot that introduced it, which awards it by a contract; the winner
acknowledges until it is done, and a winner that falls silent or takes too long loses it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from robotd.model.beliefs import Beliefs
from robotd.model.choice import Assess, Choice, Event, Job, MissionTerms
from robotd.model.facts import SHARE_PARTS, Fact, FactKind
from robotd.model.inputs import Inputs
from robotd.model.plain import Json, from_plain, to_plain
from robotd.model.statements import MAX_PENDING, Heard, Sent, Statement, StatementKind
from robotd.model.table import Member, NumberTable
from robotd.model.tasks import Assignment, Feedback, Task

BID = StatementKind("auction-bid", fields=(("task", "task"), ("score", "fixed8")), key=1, priority=4)
AWARD = StatementKind("auction-award", fields=(("task", "task"), ("robot", "robot")), key=1, priority=3)
BIDS, LACKS, BUSY, HELD = 0, 1, 2, 4  # answers of the built-in statement `bid`
ANSWERS = {LACKS: "lacks a resource", BUSY: "busy", HELD: "cannot now"}
MOST_JOBS = 64  # open at once; numbers are a byte, so that one comes again after 192 others at the earliest
AT_ONCE = 6  # jobs announced at once: a frame carries one announcement beside the activity, a round is two beats
MOST_TRIES = 5  # after each that nobody wins the pause doubles, up to 32 rounds
MOST_CLOSED = 16  # jobs that have ended and are still shown
ANSWER_BEATS = 4.5  # for an acknowledgement: an award and its answer, each lost once
OPEN = ("waiting", "announced", "awarded")
Offers = Mapping[str, tuple[float, int]]
"""This robot's score and answer by task."""


class AuctionSettings(BaseModel):
    """What all robots must agree on. Keys of other coordinators in [coordinator.parameters] are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    silence_timeout_beats: float = Field(default=6.0, ge=3, description="beats after which a teammate is gone")
    round_beats: float = Field(default=2.0, gt=0, description="beats from one round of awards to the next")
    rest_s: float = Field(
        default=240.0, ge=0, description="a recurring task is bid for so long after it was done, s"
    )


class TaskTerms(BaseModel):
    """What holds for one task, and for each of its kind that is added at run time."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    reserve: float = Field(default=0.0, ge=0, le=1, description="a lower bid wins nothing")
    length_s: float = Field(default=600.0, gt=0, description="a task of run time is awarded anew after it, s")


class RobotTerms(BaseModel):
    """What holds for one robot or type of robot."""

    model_config = ConfigDict(extra="forbid", frozen=True)

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
    tries: int = 0
    bids: Mapping[int, tuple[float, int]] = field(default_factory=dict)


@dataclass(slots=True)
class Market:
    """All that the auction remembers; by task, robot or `ROBOT.NUMBER`."""

    next_round: float
    count: int
    bids: dict[str, dict[int, tuple[float, float]]] = field(default_factory=dict)  # score, when it was received
    awards: dict[str, tuple[int, float]] = field(default_factory=dict)  # robot, when it was awarded
    mine: tuple[str, float] | None = None  # the task awarded to this robot, and when
    work: Work | None = None
    lots: dict[int, Lot] = field(default_factory=dict)
    calls: dict[str, tuple[str, float]] = field(default_factory=dict)  # task announced, when it was received
    contracts: dict[str, tuple[str, float, float]] = field(default_factory=dict)  # task, received, runs until
    done: tuple[int, int, float] | None = None  # owner, number and time of the job that was done last


class Auction:
    """One robot's part in the auction. A robot keeps a task until it is done or no longer applies."""

    Settings = AuctionSettings
    TaskSettings = TaskTerms
    RobotSettings = RobotTerms
    own_kinds = (BID, AWARD)

    @staticmethod
    def own_facts(settings: AuctionSettings, table: NumberTable) -> tuple[FactKind, ...]:
        """A page of each robot: how many of its jobs wait, are announced, awarded, done, refused."""
        return tuple(FactKind(f"jobs-of-{member.name}", kind="page") for member in table.team)

    @staticmethod
    def agrees(settings: AuctionSettings) -> Json:
        """The settings enter the digest: robots with others cannot read each other's bids."""
        return settings.model_dump()

    @staticmethod
    def check(settings: AuctionSettings, terms: MissionTerms) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
        """A job must last longer than a round, or nobody ever begins it."""
        round_s = settings.round_beats * terms.table.beat_s
        for task, own in terms.tasks.items():
            if own.length_s <= round_s:
                yield (
                    ("tasks", task, "length_s"),
                    f"a round takes {round_s:g} s; expected a longer time",
                    f"above {round_s:g}",
                )

    def __init__(
        self,
        settings: AuctionSettings,
        sets: Sequence[tuple[str, str, Any]],
        table: NumberTable,
        decision_s: float,
        *,
        own: RobotTerms | None = None,
    ) -> None:
        """`sets`: name and task of each behavior set of this robot, in declared order."""
        self._settings, self._table, self._eagerness = settings, table, (own or RobotTerms()).eagerness
        self._sets = [(name, task) for name, task, _ in sets]
        self._silence_s = (settings.silence_timeout_beats + 0.5) * table.beat_s
        self._round_s = settings.round_beats * table.beat_s
        self._answer_s = ANSWER_BEATS * table.beat_s
        self._terms = {
            entry.task.id: TaskTerms(**json.loads(entry.terms)) if entry.terms else TaskTerms()
            for entry in table.tasks
        }

    def begin(self, now: float, me: int, tasks: Sequence[Task], team: Sequence[Member], instance: int) -> None:
        """See `Coordinator.begin`."""
        self._me, self._name = me, self._table.name(me)
        self._tasks = {task.id: task for task in tasks}
        self._m = Market(now + self._round_s, 16 * instance)

    def step(
        self, i: Inputs, beliefs: Beliefs, assess: Assess, heard: Sequence[Heard], sent: Sequence[Sent]
    ) -> Choice:
        """See `Coordinator.step`."""
        m, now = self._m, i.now
        there = [k for k, mate in sorted(beliefs.mates.items()) if now - mate.last_heard < self._silence_s]
        auctioneer = min([self._me, *there])
        for frame in heard:
            if frame.same_mission and frame.run == beliefs.run:
                self._hear(frame, auctioneer)
        events = self._introduce(i)
        feedback = {name: assess(i, beliefs, name, self._task_of(name, task)) for name, task in self._sets}
        busy = {beliefs.mates[k].task: k for k in reversed(there)}
        ended, finished = self._go_on(now, feedback, busy)
        can = self._can(feedback, beliefs, busy, now) if m.work is None else {}
        events += ended + self._begin_work(now, can, feedback, auctioneer)
        bids = {task: self._score(feedback[name]) for task, name in can.items()} if m.work is None else {}
        if auctioneer == self._me and now >= m.next_round:
            m.next_round = now + self._round_s
            self._award(now, bids, [k for k in there if not beliefs.mates[k].task], busy)
        offers = self._offers(feedback)
        self._tend_lots(now, sent, offers)
        return self._choice(now, bids, offers, busy, events, finished)

    def _task_of(self, name: str, task: str) -> Task:
        """What set `name` is judged by: its job while it has one, else its task of the mission."""
        work = self._m.work
        return work.task if work is not None and work.set == name else self._tasks[task]

    def _hear(self, frame: Heard, auctioneer: int) -> None:
        m = self._m
        for statement in frame.statements:
            fields: tuple[Any, ...] = statement.fields
            if statement.kind == BID.name:
                m.bids.setdefault(fields[0], {})[frame.sender] = (fields[1], frame.at)
            elif statement.kind == AWARD.name and (frame.sender, fields[1]) == (auctioneer, self._me):
                m.mine = (fields[0], frame.at)
            elif statement.kind == "announcement":
                m.calls[f"{frame.sender}.{fields[0]}"] = (fields[1], frame.at)
            elif statement.kind == "bid" and fields[0] == self._me and fields[1] in m.lots:
                lot = m.lots[fields[1]]
                if lot.state == "announced":
                    m.lots[fields[1]] = replace(lot, bids={**lot.bids, frame.sender: (fields[2], fields[3])})
            elif statement.kind == "contract" and fields[1] == self._me:
                key = f"{frame.sender}.{fields[0]}"
                task = m.contracts.get(key, m.calls.get(key, ("",)))[0]
                m.contracts[key] = (task, frame.at, frame.at + fields[3] * self._table.beat_s)
            elif statement.kind == "acknowledgement" and fields[0] == self._me:
                self._acknowledged(fields[1], frame.sender, fields[2], frame.at)

    def _acknowledged(self, number: int, sender: int, progress: float, at: float) -> None:
        lot = self._m.lots.get(number)
        if lot is not None and lot.state == "awarded" and lot.who == sender:
            words = f"{self._table.name(sender)} reports {progress:.0%}"
            state = "done" if progress >= 1.0 else "awarded"
            self._m.lots[number] = replace(lot, state=state, why=words, answered=at)

    # -- the robot that introduces jobs

    def _introduce(self, i: Inputs) -> list[Event]:
        """New lots of what people ordered and of the subtasks that the behaviors ask for."""
        events = []
        for order in i.orders:
            if order.kind == "task-add":
                name = " ".join(order.args[:1])
                try:
                    job = self._add(i.now, order.args)
                    events.append(Event("introduced", "", name, f"as {job}, ordered by {order.by or 'somebody'}"))
                except ValueError as error:
                    events.append(Event("refused", "", name, str(error)))
        wanted = {task.id for task in i.subtasks}
        known = {lot.task.id for lot in self._m.lots.values() if lot.state in (*OPEN, "refused")}
        for task in i.subtasks:
            if task.id not in known:
                self._add_subtask(i.now, task)
        for number, lot in self._m.lots.items():
            if "/" in lot.task.id and lot.state in OPEN and lot.task.id not in wanted:
                self._m.lots[number] = replace(lot, state="ended", why="it is no longer asked for")
        return events

    def _add_subtask(self, now: float, task: Task) -> None:
        try:
            words = (self._table.template(task), *(f"{key}={value}" for key, value in task.args))
            self._add(now, words, task.id)
        except (KeyError, ValueError) as error:  # of a kind that the mission has not, or one too many
            self._m.lots[self._number()] = Lot(task, 0.0, 0.0, now, "refused", why=str(error))

    def _add(self, now: float, words: Sequence[str], id: str = "") -> str:
        task = self._table.introduced(words, id)
        own = self._terms[words[0]].model_dump()
        given = {key: value for key, value in task.args if key in own}
        terms = TaskTerms(**{**own, **given})
        m = self._m
        if sum(lot.state in OPEN for lot in m.lots.values()) >= MOST_JOBS:
            raise ValueError(f"{MOST_JOBS} jobs are open already")
        number = self._number()
        job = replace(task, id=id or f"{self._name}.{number}")
        m.lots[number] = Lot(job, terms.reserve, terms.length_s, now)
        return job.id

    def _number(self) -> int:
        """The next number that no open job has, free for a new one, which comes last."""
        m = self._m
        while m.count in m.lots and m.lots[m.count].state in OPEN:
            m.count = (m.count + 1) % 256
        number, m.count = m.count, (m.count + 1) % 256
        m.lots.pop(number, None)
        return number

    def _tend_lots(self, now: float, sent: Sequence[Sent], offers: Offers) -> None:
        """Announce what waits, in order; award what was out for a round; take back what nobody works on."""
        m = self._m
        out = {s.fields[0]: frame.at for frame in sent for s in frame.statements if s.kind == "announcement"}
        announced = sum(lot.state == "announced" for lot in m.lots.values())
        for number, lot in tuple(m.lots.items()):
            if lot.state == "waiting" and now >= lot.since and announced < AT_ONCE:
                announced += 1
                m.lots[number] = replace(lot, state="announced", since=0.0, why="bids are awaited", bids={})
            elif lot.state == "announced" and not lot.since and number in out:
                m.lots[number] = replace(lot, since=out[number])  # the round begins when it has left
            elif lot.state == "announced" and lot.since and now - lot.since >= self._round_s:
                del m.lots[number]  # what nobody won goes behind the others
                m.lots[number] = self._awarded(now, number, lot, offers)
            elif lot.state == "awarded" and (why := self._lost(now, lot)):
                m.lots[number] = replace(lot, state="waiting", since=now, who=0, why=why)
        closed = [number for number, lot in m.lots.items() if lot.state not in OPEN]
        for number in closed[: max(0, len(closed) - MOST_CLOSED)]:
            del m.lots[number]

    def _awarded(self, now: float, number: int, lot: Lot, offers: Offers) -> Lot:
        task = self._table.template(lot.task)
        bids = {**lot.bids, self._me: offers[task]} if task in offers else dict(lot.bids)
        taken = {other.who for other in self._m.lots.values() if other.state == "awarded"}
        good = [(-score, k) for k, (score, answer) in bids.items()
                if answer == BIDS and score >= lot.reserve and k not in taken]  # fmt: skip
        if not good:
            again_at, why = now + self._round_s * 2**lot.tries, "; ".join(self._answers(bids))
            return replace(lot, state="waiting", since=again_at, tries=min(lot.tries + 1, MOST_TRIES), why=why)
        score, who = min(good)
        if who == self._me:
            self._m.contracts[f"{self._me}.{number}"] = (task, now, now + lot.length_s)
        why = f"the highest of {len(good)} bids, {-score:.2f}"
        return replace(lot, state="awarded", since=now, who=who, why=why, answered=now)

    def _answers(self, bids: Mapping[int, tuple[float, int]]) -> Iterator[str]:
        """What each robot answered, in words."""
        for member in sorted(self._table.team, key=lambda member: member.number):
            score, answer = bids.get(member.number, (0.0, -1))
            words = {BIDS: f"bids {score:.2f}", -1: "silent", **ANSWERS}
            yield f"{member.name}: {words.get(answer, f'answer {answer}')}"

    def _lost(self, now: float, lot: Lot) -> str:
        """Why an awarded job must be awarded anew, in words; '' where its winner works on it."""
        name = self._table.name(lot.who)
        if now - lot.since >= lot.length_s:
            return f"{name} took longer than {lot.length_s:g} s"
        mine = self._m.work is not None and self._m.work.owner == self._me
        if now - lot.answered >= self._answer_s and not (lot.who == self._me and mine):
            return f"{name} does not work on it"
        return ""

    # -- the robot that works

    def _score(self, own: Feedback) -> float:
        """A bid as it travels, so that all robots compare the same numbers."""
        return round(own.fitness * self._eagerness * SHARE_PARTS) / SHARE_PARTS

    def _offers(self, feedback: Mapping[str, Feedback]) -> Offers:
        """For each task that it has sets for, the best of them."""
        offers: dict[str, tuple[float, int]] = {}
        for name, task in self._sets:
            own = feedback[name]
            answer = BUSY if self._m.work else LACKS if own.missing else BIDS if own.applicable else HELD
            offer = (self._score(own) if answer == BIDS else 0.0, answer)
            offers[task] = max(offer, offers.get(task, offer), key=lambda one: (one[1] == BIDS, one[0]))
        return offers

    def _begin_work(
        self, now: float, can: dict[str, str], feedback: Mapping[str, Feedback], auctioneer: int
    ) -> list[Event]:
        """Take up what was awarded: a contract before a task of the mission, of several the lowest owner's."""
        m = self._m
        m.contracts = {key: one for key, one in m.contracts.items() if now < one[2]}
        for owner, number in sorted(tuple(map(int, key.split("."))) for key in m.contracts):
            task, at, _ = m.contracts[f"{owner}.{number}"]
            sets = [name for name, own in self._sets if own == task and feedback[name].applicable]
            over = m.done is not None and m.done[:2] == (owner, number)
            if m.work is None and sets and now - at < self._answer_s and not over:
                id = f"{self._table.name(owner)}.{number}"
                job = m.lots[number].task if owner == self._me else replace(self._tasks[task], id=id)
                m.work, m.mine = Work(sets[0], job, now, owner, number), None
                return [Event("activated", sets[0], job.id, f"contract of {self._table.name(owner)}")]
        if m.work is None and m.mine is not None and now - m.mine[1] < self._round_s and m.mine[0] in can:
            task = m.mine[0]
            m.work, m.mine = Work(can[task], self._tasks[task], now), None
            return [Event("activated", can[task], task, f"awarded by {self._table.name(auctioneer)}")]
        return []

    def _go_on(
        self, now: float, feedback: Mapping[str, Feedback], busy: Mapping[str, int]
    ) -> tuple[list[Event], list[Task]]:
        """What becomes of the task at hand: done, over, left to a mate of lower number, or gone on with."""
        m, work = self._m, self._m.work
        if m.done is not None and now - m.done[2] >= self._answer_s:
            m.done = None
        if work is None:
            return [], []
        key, why = f"{work.owner}.{work.number}", ""
        if feedback[work.set].done:
            m.work, m.done = None, (work.owner, work.number, now) if work.owner else None
            m.contracts.pop(key, None)
            if work.owner == self._me:
                self._acknowledged(work.number, self._me, 1.0, now)
            return [Event("done", work.set, work.task.id, f"after {now - work.since:.1f} s of work")], [work.task]
        if work.owner and key not in m.contracts:
            why = "the contract ran out"
        elif not work.owner and busy.get(work.task.id, self._me) < self._me:
            why = f"{self._table.name(busy[work.task.id])} is on it"
        elif not feedback[work.set].applicable:
            why = "it no longer applies"
        if not why:
            return [], []
        m.work = None
        m.contracts.pop(key, None)
        return [Event("ended", work.set, work.task.id, why)], []

    def _can(
        self, feedback: Mapping[str, Feedback], beliefs: Beliefs, busy: Mapping[str, int], now: float
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

    def _award(self, now: float, own: Mapping[str, float], idle: Sequence[int], busy: Mapping[str, int]) -> None:
        """One round: the highest bid wins, of equal ones the lower number's, then the task that comes first."""
        m = self._m
        m.bids = {task: {k: bid for k, bid in bids.items() if now - bid[1] < self._round_s}
                  for task, bids in m.bids.items()}  # fmt: skip
        scores = {(task, k): bid[0] for task, bids in m.bids.items() for k, bid in bids.items()}
        scores |= {(task, self._me): score for task, score in own.items()}
        idlers, m.awards = {*idle, self._me}, {}
        ranked = sorted((-score, k, task) for (task, k), score in scores.items() if k in idlers)
        for negative, robot, task in ranked:
            free = task not in busy and task not in m.awards and all(robot != k for k, _ in m.awards.values())
            if free and -negative >= self._terms[task].reserve:
                m.awards[task] = (robot, now)
                if robot == self._me:
                    m.mine = (task, now)

    # -- what it states

    def _choice(
        self, now: float, bids: Mapping[str, float], offers: Offers,
        busy: Mapping[str, int], events: list[Event], finished: list[Task],
    ) -> Choice:  # fmt: skip
        m, table, beat_s, work = self._m, self._table, self._table.beat_s, self._m.work
        task = table.template(work.task) if work and work.owner else work.task.id if work else ""
        stated = [Statement("activity", (task, "", (now - work.since) / beat_s if work else 0.0))]
        if work and work.owner not in (0, self._me):
            stated.append(Statement("acknowledgement", (work.owner, work.number, 0.0)))
        if m.done and m.done[0] != self._me:
            stated.append(Statement("acknowledgement", (m.done[0], m.done[1], 1.0)))
        stated += [
            Statement("contract", (number, lot.who, 0, (lot.since + lot.length_s - now) / beat_s))
            for number, lot in m.lots.items() if lot.state == "awarded" and lot.who != self._me
        ]  # fmt: skip
        for key, (announced, at) in sorted(m.calls.items()):
            owner, number = map(int, key.split("."))
            if now - at < self._round_s + beat_s and announced in offers:
                stated.append(Statement("bid", (owner, number, *offers[announced])))
        stated += [
            Statement(AWARD.name, (task, robot), at + self._round_s)
            for task, (robot, at) in sorted(m.awards.items()) if robot != self._me and task not in busy
        ]  # fmt: skip
        stated += [Statement(BID.name, (task, score)) for task, score in sorted(bids.items())]
        stated += [
            Statement("announcement", (number, table.template(lot.task), 0, lot.length_s / beat_s, 0.0, 0.0, 0))
            for number, lot in m.lots.items() if lot.state == "announced"
        ]  # fmt: skip
        run = (Assignment(work.set, work.task),) if work else ()
        jobs = tuple(Job(lot.task, lot.state, lot.who, lot.why) for lot in m.lots.values())
        return Choice(
            run=run, statements=tuple(stated[:MAX_PENDING]), events=tuple(events), finished=tuple(finished),
            facts=self._page(jobs), jobs=jobs,
        )  # fmt: skip

    def _page(self, jobs: Sequence[Job]) -> tuple[Fact, ...]:
        """The page that all robots know of this one's jobs; none before the first."""
        counts = [sum(job.state == state for job in jobs) for state in (*OPEN, "done", "ended")]
        page = tuple(float(count) for count in (*counts, 0, 0))
        return (Fact(f"jobs-of-{self._name}", page),) if jobs else ()

    def freeze(self) -> Json:
        """See `Coordinator.freeze`."""
        return to_plain(self._m)

    def thaw(self, state: Json) -> None:
        """See `Coordinator.thaw`; `begin` comes first."""
        self._m = from_plain(Market, state)


ROBOTD = {"robotd.coordinators": {"auction": Auction}}
