"""MURDOCH as a coordinator: every robot bids and works, and is the auctioneer of what it introduces (paper 002).

Messages are addressed to resources. On the air everybody receives everything; a robot derives from its board, its
declared capabilities and its state what it subscribes to, and bids only where that covers a task's resources. The
numbers of robots that statements carry take the place of the fresh subject of each auction.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from motivation.events import Silence
from motivation.keeping import opened, sealed
from motivation.murdoch.auctioneer import Auctioneer
from motivation.murdoch.bidder import Bidder, BidderState
from motivation.murdoch.introducer import Introducer
from motivation.murdoch.judge import Judge, Offer, Robot
from motivation.murdoch.lots import AuctioneerState
from motivation.murdoch.metrics import METRICS, Metric
from motivation.murdoch.settings import HOLDING, IDLE, MurdochSettings, RobotTerms, TaskTerms, faults, remarks
from motivation.nesting import NUMBERS
from motivation.settings import terms_of
from robotd.model.beliefs import Beliefs, silence_s
from robotd.model.choice import Assess, Choice, Event, Level, MissionTerms
from robotd.model.coordinator_plugin import Fault, Remarks, TeamSettings, Timing
from robotd.model.inputs import Inputs
from robotd.model.plain import Json, from_plain, to_plain
from robotd.model.statements import MAX_PENDING, Heard, Sent, Statement
from robotd.model.table import Member, NumberTable
from robotd.model.tasks import Assignment, Feedback, Task

SILENCES = 2.0  # times the silence after which a radio counts as gone: frames are lost now and then
FOR_ONE = ("bid", "acknowledgement")  # statements whose first field names their receiver


class Murdoch:
    """One robot's part. An own metric is added by a subclass with more `metrics`: docs/murdoch.md."""

    Settings = MurdochSettings
    TaskSettings = TaskTerms
    RobotSettings = RobotTerms
    memory_name = "contracts"
    memory_of_run = True
    metrics: ClassVar[dict[str, Metric]] = METRICS

    @classmethod
    def agrees(cls, settings: MurdochSettings) -> Json:
        """All settings, and which metrics there are."""
        return {**settings.model_dump(), "metrics": sorted(cls.metrics)}

    @classmethod
    def check(cls, settings: MurdochSettings, terms: MissionTerms) -> Iterator[Fault]:
        """Names that are not there, trees that are none, and times that no statement can say."""
        return faults(settings, terms, cls.metrics)

    @staticmethod
    def remarks(settings: MurdochSettings, team: TeamSettings, table: NumberTable) -> Remarks:
        """What no robot introduces by itself."""
        return remarks(settings, table)

    @staticmethod
    def is_node(terms: TaskTerms) -> bool:
        """Whether its introducer auctions its children in its place."""
        return terms.is_node

    @staticmethod
    def resources_of(terms: TaskTerms | RobotTerms) -> frozenset[str]:
        """What a task needs besides its behavior set's needs, or a robot has besides what its board reports."""
        return frozenset(terms.resources) - {IDLE, HOLDING}

    @staticmethod
    def timing(settings: MurdochSettings) -> Timing:
        """A winner that falls silent is given up within its acknowledgements and its contract."""
        return Timing(settings.missed_acknowledgements + settings.contract_beats)

    def __init__(
        self, settings: MurdochSettings, sets: Sequence[tuple[str, str, Any]], table: NumberTable,
        decision_s: float, *, own: RobotTerms | None = None,
    ) -> None:  # fmt: skip
        """`sets`: name and task of each behavior set of this robot, in declared order."""
        self._settings, self._table, self._terms = settings, table, terms_of(table, TaskTerms)
        self._sets = {task: tuple(name for name, one, _ in sets if one == task) for _, task, _ in sets}
        self._own = (own or RobotTerms()).resources

    def begin(self, now: float, me: int, tasks: Sequence[Task], team: Sequence[Member], instance: int) -> None:
        """See `Coordinator.begin`; one inside another coordinator has sixteen numbers for its auctions."""
        self._me, self._now = me, now
        self._robot = Robot(self._sets, {task.id: task for task in tasks}, self._terms, self._own, self.metrics)
        numbers = range(NUMBERS * instance, NUMBERS * (instance + 1)) if instance else range(256)
        state = AuctioneerState(began=now, last=now)
        self._auctioneer = Auctioneer(self._settings, self._table, self._terms, me, numbers, state)
        given = {task.id: self._terms[task.id] for task in tasks}
        self._introducer = Introducer(self._settings, self._table, given, me, state)
        self._bidder = Bidder(self._table, self._terms, me)
        self._to_itself: tuple[Statement, ...] = ()
        self._silence = Silence(team, me, frees=False)
        self._numbers_by_name = {name: number for number, name in self._table.robots.items()}

    def step(
        self, i: Inputs, beliefs: Beliefs, assess: Assess, heard: Sequence[Heard], sent: Sequence[Sent]
    ) -> Choice:
        """See `Coordinator.step`."""
        now, beat_s = i.now, beliefs.beat_s(i.now)
        self._now = now
        events = self._hear(beliefs, heard, now, beat_s)
        self._auctioneer.note_sent(sent)
        work = self._bidder.state.work
        judge = Judge(self._robot, i, beliefs, assess, {work.set: work.task} if work else {})
        received = beliefs.teammates
        ended, finished = self._bidder.go_on(now, judge.feedback[work.set], received) if work else ([], [])
        begun = self._bidder.accept(now, lambda template, task: judge.offer(template, task, busy=self._is_busy))
        offers, closed = self._offers(judge, beat_s)
        work = self._bidder.state.work
        events += ended + begun + closed
        events += self._introducer.step(i, beliefs, work.template if work else "")
        if beliefs.running:
            since = now - silence_s(beat_s)
            reach = [k for k, teammate in beliefs.teammates.items() if teammate.last_received > since]
            events += self._auctioneer.step(now, beliefs, reach, beat_s)
        own = judge.feedback[work.set] if work else None
        return Choice(
            run=(Assignment(work.set, work.task),) if work else (),
            statements=self._statements(now, beat_s, offers, own),
            events=(*self._silences(beliefs, beat_s, any_heard=bool(heard)), *events),
            levels=tuple(self._levels(judge, beliefs, beat_s)),
            finished=tuple(finished),
            jobs=tuple(lot.listed for lot in self._auctioneer.state.lots.values()),
        )

    def _hear(self, beliefs: Beliefs, heard: Sequence[Heard], now: float, beat_s: float) -> list[Event]:
        """Take in the frames, in order, and what this robot stated to itself in its last decision."""
        events: list[Event] = []
        mine = Heard(now, self._me, beliefs.run, beliefs.running, same_mission=True, statements=self._to_itself)
        me, run, bidder, auctioneer = self._me, beliefs.run, self._bidder, self._auctioneer
        for frame in (*heard, mine):
            if not frame.same_mission or frame.run != run:
                continue
            for one in frame.statements:
                kind = one.kind
                if kind == "announcement":
                    bidder.hear_announcement(frame.sender, one, frame.at, beat_s)
                elif kind == "contract":
                    events += bidder.hear_contract(frame.sender, one, frame.at)
                elif kind not in FOR_ONE:
                    continue
                elif one.fields[0] != me:
                    if kind == "bid" and frame.sender != me:
                        bidder.overhear(frame.sender, one)
                elif kind == "bid":
                    events += auctioneer.hear_bid(frame.sender, one, now)
                else:
                    events += auctioneer.hear_acknowledgement(frame.sender, one, frame.at)
        return events

    def _offers(self, judge: Judge, beat_s: float) -> tuple[Mapping[int, Offer], list[Event]]:
        """The answers to the auctions that are open; which have closed unanswered."""
        window_s = self._auctioneer.window_s(beat_s)
        closed = self._bidder.forget(self._now, beat_s, window_s)
        calls = self._bidder.open_calls(self._now, beat_s, window_s)
        busy = self._is_busy
        return {key: judge.offer(call.template, call.task, busy=busy) for key, call in calls.items()}, closed

    # -- what is said of it

    def _silences(self, beliefs: Beliefs, beat_s: float, *, any_heard: bool) -> Iterator[Event]:
        """Teammates that fall silent, or are back; of an auctioneer also what that means for its contract."""
        timeout_s, work = SILENCES * silence_s(beat_s), self._bidder.state.work
        for event in self._silence.look(self._now, timeout_s, beliefs.teammates, any_heard=any_heard):
            if work and event.kind == "teammate-silent" and event.data["robot"] == self._table.name(work.key >> 8):
                more = f"the contract of {work.task.id} that it awarded to this robot runs out unless it is back"
                event = replace(event, cause=f"{event.cause}; {more}")  # noqa: PLW2901
            yield event

    def _levels(self, judge: Judge, beliefs: Beliefs, beat_s: float) -> Iterator[Level]:
        since, state = self._now - SILENCES * silence_s(beat_s), self._bidder.state
        open_ = {call.template for call in state.calls.values()}

        def is_silent(robot: int) -> bool:
            teammate = beliefs.teammates.get(robot)
            return robot != self._me and teammate is not None and teammate.last_received <= since

        def auction(task: str) -> str:
            if task in open_:
                return "bids in the auction that is open"
            name = self._terms[task].by or self._settings.introducer
            silent = name in self._numbers_by_name and is_silent(self._numbers_by_name[name])
            return f"no auction of it is open{f': {name}, which introduces it, is silent' if silent else ''}"

        busy = works = working = ""
        if state.work is not None:
            name, works, auctioneer = state.work.task.id, state.work.set, state.work.key >> 8
            busy, working = f"busy with {name}", f"works on {name}"
            if is_silent(auctioneer):
                working += f"; {self._table.name(auctioneer)}, which renews its contract, is silent"
        elif state.held is not None:
            auctioneer = state.held.key >> 8
            busy = f"waits until {self._table.name(auctioneer)} confirms its contract of {state.held.task.id}"
        yield from judge.levels(busy, works, working, auction)

    @property
    def _is_busy(self) -> bool:
        """A contract of a former life that is not confirmed yet keeps a robot busy too."""
        return self._bidder.state.work is not None or self._bidder.state.held is not None

    def _statements(
        self, now: float, beat_s: float, offers: Mapping[int, Offer], own: Feedback | None
    ) -> tuple[Statement, ...]:
        """What concerns a running contract goes first: there may be more than the radio takes.

        What is meant for this robot itself is not sent; it reaches it in the next decision.
        """
        bidder = self._bidder
        said = [
            *bidder.answers(now, beat_s, own), *self._auctioneer.contracts(now), *bidder.bids(offers),
            *self._auctioneer.announcements(),
        ]  # fmt: skip
        alone = [one for one in said if _receiver(one) == self._me]
        sent = [one for one in said if _receiver(one) != self._me]
        self._to_itself = (*alone, *(one for one in sent if one.kind == "announcement"))
        return (bidder.claim(now), *sent)[:MAX_PENDING]

    # -- what lasts

    @property
    def memory_version(self) -> int:
        """See `Keeper`; it grows when a task changes its state, not at renewals."""
        return self._auctioneer.state.version + self._bidder.state.version

    def memory(self) -> Json:
        """See `Keeper`."""
        kept = to_plain((self._auctioneer.state, self._bidder.memory(self._now)))
        return sealed(kept, self._table, self._me)

    def recall(self, memory: Json) -> None:
        """See `Keeper`."""
        found = opened(memory, self._table, self._me)
        if not isinstance(found, list) or len(found) != 2:
            raise ValueError(f"expected auctions and contracts of murdoch, found {found!r:.80}")
        auctions, contracts = found
        kept, held = from_plain(AuctioneerState, auctions), from_plain(BidderState, contracts)
        beat_s = self._table.beat_s
        longest_s = max(self._settings.contract_s, self._settings.contract_beats * beat_s)
        self._auctioneer.recall(kept, self._now, beat_s)
        self._bidder.recall(held, self._now, longest_s)

    def freeze(self) -> Json:
        """See `Coordinator.freeze`."""
        return to_plain((self._auctioneer.state, self._bidder.state, self._to_itself, self._silence.freeze()))

    def thaw(self, state: Json) -> None:
        """See `Coordinator.thaw`; `begin` comes first."""
        assert isinstance(state, list)
        auctions, contracts, mine, silent = state
        self._auctioneer.state = self._introducer.state = from_plain(AuctioneerState, auctions)
        self._bidder.state = from_plain(BidderState, contracts)
        self._to_itself = tuple(from_plain(Statement, one) for one in mine)
        self._silence.thaw(silent)


def _receiver(one: Statement) -> int:
    """The robot that a statement names; 0 where it is for everybody."""
    place = {"bid": 0, "acknowledgement": 0, "contract": 1}.get(one.kind)
    return int(one.fields[place]) if place is not None else 0  # type: ignore[arg-type]
