"""The robot that works: it answers announcements, takes up what it has won, and stops when a contract ends.

Steps 2, 3 and 5 of the auction (002, section V-B). A contract is soft state: without renewal it runs out here, so
that a robot out of reach stops by itself. Everything is kept by auctioneer and number (`key_of`).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from motivation.murdoch.judge import Offer
from motivation.murdoch.settings import TaskTerms
from motivation.murdoch.words import BIDS, BUSY, CHARGING, GIVES_BACK, HELD, LACKS, OWN_JOB
from robotd.model.beliefs import Teammate
from robotd.model.choice import Event
from robotd.model.facts import SHARE_PARTS
from robotd.model.statements import Statement
from robotd.model.table import NumberTable
from robotd.model.tasks import Feedback, Task

DONE = -1  # how a contract ended here; else GIVES_BACK with the reason
SILENT_S = 2.0  # an auctioneer that was received later than that is there
UNDONE = 254 / SHARE_PARTS  # the greatest progress of a task that is not done
LATE_BEATS = 10.0  # no frame is so late: an announcement after it is another auction of the same number
KEPT_S, KEPT_BEATS, KEPT = 60.0, 30.0, 32  # how long, and how many, ended contracts are remembered
ANSWERED_BEATS = 2.5  # so long it states how a contract ended, after it ended or was last received


def key_of(auctioneer: int, number: int) -> int:
    """One number for an auction or contract; lower for a lower (auctioneer, number)."""
    return auctioneer << 8 | number


def is_newer(term: int, than: int) -> bool:
    """Whether a renewal's count, a byte that goes round, comes after another."""
    return 0 < (term - than) % 256 < 128


@dataclass(slots=True)
class Call:
    """An auction that was announced: its task with the arguments that travelled, and when it was received."""

    task: Task
    template: str
    length_s: float
    last: float
    offered: bool = False  # this robot has stated a bid
    bid: float = 0.0  # the last one
    others: dict[int, float] = field(default_factory=dict)  # bids of others that it received, by robot


@dataclass(slots=True)
class Work:
    """The contract at hand; `until` is when it runs out, `worked_s` the time at work of a former life."""

    key: int
    set: str
    task: Task
    template: str
    length_s: float
    since: float
    term: int
    until: float
    worked_s: float = 0.0
    quarter: int = 0  # of its length that is over


@dataclass(frozen=True, slots=True)
class Award:
    """A contract received and not yet taken up."""

    term: int
    until: float


@dataclass(frozen=True, slots=True)
class Ending:
    """How and when a contract ended here, and when its auctioneer last stated it."""

    how: int
    at: float
    heard: float


@dataclass(slots=True)
class BidderState:
    """All that it remembers, by key. `held`: a former life's contract, until its auctioneer states it again."""

    calls: dict[int, Call] = field(default_factory=dict)
    awards: dict[int, Award] = field(default_factory=dict)
    ended: dict[int, Ending] = field(default_factory=dict)
    work: Work | None = None
    held: Work | None = None
    version: int = 0


def _event(kind: str, set: str, of: Call | Work, cause: str) -> Event:
    """An event of the mission's task that it is, with the name that it was introduced by."""
    return Event(kind, set, of.template, cause, {"task": of.task.id} if of.task.id != of.template else {})


class Bidder:
    """One robot's part as a bidder and worker."""

    def __init__(self, table: NumberTable, terms: Mapping[str, TaskTerms], me: int) -> None:
        self._table, self._terms, self._me = table, terms, me
        self.state = BidderState()

    # -- what it receives

    def hear_announcement(self, sender: int, statement: Statement, at: float, beat_s: float) -> None:
        """Note an auction, unless it is one whose contract has ended here."""
        number, template, job, length, x, y, argument = statement.fields
        key, s = key_of(sender, int(number)), self.state  # type: ignore[arg-type]
        if template not in self._terms:
            return
        ended = s.ended.get(key)
        if ended is not None and at - max(ended.at, ended.heard) < LATE_BEATS * beat_s:
            return
        if s.work is not None and s.work.key == key:
            return
        s.ended.pop(key, None)
        entry, terms = self._table.task_entries[str(template)].task, self._terms[str(template)]
        args = dict(entry.args)
        if terms.argument:
            args[terms.argument] = f"{float(argument) / SHARE_PARTS * terms.argument_most:.4g}"  # type: ignore[arg-type]
        if terms.place:
            args |= {"x": f"{x:.2f}", "y": f"{y:.2f}"}
        id = str(template) if job == OWN_JOB else f"{self._table.name(sender)}.{job}"
        task = Task(entry.kind, tuple(sorted(args.items())), id)
        length_s = float(length) * self._table.beat_s  # type: ignore[arg-type]
        known = s.calls.get(key)
        if known is not None and known.task == task:
            known.last = max(known.last, at)
        else:
            s.calls[key] = Call(task, str(template), length_s, at)

    def overhear(self, sender: int, statement: Statement) -> None:
        """Another robot's bid in an auction that this one answers: it reports what it lost to."""
        call = self.state.calls.get(key_of(int(statement.fields[0]), int(statement.fields[1])))  # type: ignore[arg-type]
        if call is not None and statement.fields[3] == BIDS:
            call.others[sender] = float(statement.fields[2])  # type: ignore[arg-type]

    def hear_contract(self, sender: int, statement: Statement, at: float) -> list[Event]:
        """An award, a renewal, or the close of an auction that another robot has won."""
        number, robot, term = (int(x) for x in statement.fields[:3])  # type: ignore[arg-type]
        left_s = float(statement.fields[3]) * self._table.beat_s  # type: ignore[arg-type]
        key, s, award = key_of(sender, number), self.state, Award(term, at + left_s)
        if robot != self._me:
            call = s.calls.pop(key, None)
            return [self._not_won(call, sender, robot)] if call is not None and call.offered else []
        if s.work is not None and s.work.key == key:
            if is_newer(term, s.work.term):
                s.work.term, s.work.until = term, award.until
            elif term == s.work.term:  # what is left, restated: a late frame must not prolong it
                s.work.until = min(s.work.until, award.until)
        elif key in s.ended:
            s.ended[key] = replace(s.ended[key], heard=at)
        elif (s.held is not None and s.held.key == key) or (key in s.calls and s.calls[key].offered):
            known = s.awards.get(key)
            if known is None or is_newer(term, known.term):
                s.awards[key] = award
            elif term == known.term:
                s.awards[key] = replace(award, until=min(known.until, award.until))
        return []

    def _not_won(self, call: Call, auctioneer: int, robot: int) -> Event:
        name, bid = self._table.name(robot), call.others.get(robot)
        with_ = f"with a bid of {bid:.2f}" if bid is not None else "with a bid that was not received here"
        words = f"{name} won it from {self._table.name(auctioneer)} {with_}; own bid {call.bid:.2f}"
        bids = {"winner": name, "bid": call.bid} | ({"winning": bid} if bid is not None else {})
        return Event("not-won", "", call.template, words, {"task": call.task.id, **bids})

    # -- one decision

    def go_on(
        self, now: float, own: Feedback, received: Mapping[int, Teammate] = MappingProxyType({})
    ) -> tuple[list[Event], list[Task]]:
        """What becomes of the task at hand: done, out of time, given back, or continued.

        `received`: when each teammate last was.
        """
        work = self.state.work
        if work is None:
            return [], []
        worked_s = now - work.since + work.worked_s
        if own.done or 0.0 < work.length_s <= worked_s:
            self._end(now, work.key, DONE)
            return [_event("done", work.set, work, f"after {worked_s:.1f} s of work")], [work.task]
        if now >= work.until:
            reason = BIDS
        elif "battery" in own.missing:
            reason = CHARGING
        elif own.missing or not own.applicable:
            reason = LACKS if own.missing else HELD
        else:
            quarter = int(4 * worked_s / work.length_s) if work.length_s else 0
            self.state.version += quarter != work.quarter
            work.quarter = quarter
            return [], []
        self._end(now, work.key, GIVES_BACK + reason)
        if reason == BIDS:
            why = self._run_out(now, work, received)
        elif reason in (LACKS, CHARGING):
            why = f"given back: lacks {', '.join(own.missing)}"
        else:
            why = f"given back: {own.why or 'it does not apply any more'}"
        return [_event("ended", work.set, work, f"{why}; after {worked_s:.1f} s of work")], []

    def _run_out(self, now: float, work: Work, received: Mapping[int, Teammate]) -> str:
        auctioneer = work.key >> 8
        words, teammate = f"{self._table.name(auctioneer)} did not renew its contract", received.get(auctioneer)
        silent_s = now - teammate.last_received if teammate is not None else 0.0
        if silent_s < SILENT_S:
            return f"{words}: it does not want the task any more, or saw no progress"
        return f"{words}: nothing received from it for {silent_s:.1f} s"

    def accept(self, now: float, offer_of: Callable[[str, Task], Offer]) -> list[Event]:
        """Take up the award of the lowest (auctioneer, number) that it can, and give the others back."""
        s, events = self.state, []
        for key, award in sorted(s.awards.items()):
            held = s.held if s.held is not None and s.held.key == key else None
            call = Call(held.task, held.template, held.length_s, now) if held else s.calls[key]
            s.held = None if held else s.held  # else it would be busy with it
            if award.until <= now:
                self._end(now, key, GIVES_BACK)
                continue
            offer = Offer(BUSY, 0.0, "") if s.work is not None else offer_of(call.template, call.task)
            if offer.answer != BIDS:
                self._end(now, key, GIVES_BACK + offer.answer, keep=True)
                continue
            worked_s = held.worked_s if held else 0.0
            s.work = Work(
                key, offer.set, call.task, call.template, call.length_s, now, award.term, award.until, worked_s
            )
            s.calls.pop(key, None)
            s.held = None
            s.version += 1
            bids = "".join(f"; {self._table.name(k)} {bid:.2f}" for k, bid in sorted(call.others.items()))
            how = "goes on with its contract" if held else f"won the auction with a bid of {call.bid:.2f}{bids}"
            who = "itself" if key >> 8 == self._me else self._table.name(key >> 8)
            words = f"{how}; from {who}, for {award.until - now:.1f} s unless renewed"
            events.append(_event("activated", offer.set, call, words))
        s.awards.clear()
        return events

    def _end(self, now: float, key: int, how: int, *, keep: bool = False) -> None:
        s = self.state
        s.ended.pop(key, None)
        s.ended[key] = Ending(how, now, now)
        s.calls.pop(key, None)
        s.version += 1
        if not keep:
            s.work = None if s.work is not None and s.work.key == key else s.work

    def forget(self, now: float, beat_s: float, window_s: float) -> list[Event]:
        """Drop what no frame can refer to any more."""
        s = self.state
        if not s.calls and not s.ended and s.held is None:
            return []
        kept_s = max(KEPT_S, KEPT_BEATS * beat_s)
        late = [k for k, call in s.calls.items() if now - call.last >= window_s + LATE_BEATS * beat_s]
        events = [self._unanswered(k, call) for k in late if (call := s.calls[k]).offered and k >> 8 != self._me]
        s.calls = {k: call for k, call in s.calls.items() if k not in late}
        ended = {k: one for k, one in s.ended.items() if now - max(one.at, one.heard) < kept_s}
        s.ended = dict(list(ended.items())[-KEPT:])
        if s.held is not None and now >= s.held.until:
            s.held = None
        return events

    def _unanswered(self, key: int, call: Call) -> Event:
        name = self._table.name(key >> 8)
        words = f"{name} awarded it to no other robot: it took it itself, or no bid was enough"
        words += f"; own bid {call.bid:.2f}"
        return Event("not-won", "", call.template, words, {"task": call.task.id, "bid": call.bid})

    def open_calls(self, now: float, beat_s: float, window_s: float) -> dict[int, Call]:
        """The auctions that it answers: for a window and a beat after it last received them."""
        return {k: call for k, call in sorted(self.state.calls.items()) if now - call.last < window_s + beat_s}

    # -- what it states

    def claim(self, now: float) -> Statement:
        """The task at hand; only the name of the mission's task travels."""
        work = self.state.work
        since = (now - work.since) / self._table.beat_s if work is not None else 0.0
        return Statement("activity", (work.template if work is not None else "", "", since))

    def answers(self, now: float, beat_s: float, own: Feedback | None) -> Iterator[Statement]:
        """The acknowledgement of the contract at hand, then how others ended, the newest first."""
        work = self.state.work
        if work is not None:
            worked_s = now - work.since + work.worked_s
            share = worked_s / work.length_s if work.length_s else own.progress if own is not None else 0.0
            progress = max(0.0, min(UNDONE, share))
            yield Statement("acknowledgement", (work.key >> 8, work.key & 255, progress))
        for key, ended in reversed(self.state.ended.items()):
            if now - max(ended.at, ended.heard) >= ANSWERED_BEATS * beat_s:
                continue
            if ended.how == DONE:
                yield Statement("acknowledgement", (key >> 8, key & 255, 1.0))
            else:
                yield Statement("bid", (key >> 8, key & 255, 0.0, ended.how))

    def bids(self, offers: Mapping[int, Offer]) -> Iterator[Statement]:
        """Its answers to the auctions that are open."""
        for key, offer in offers.items():
            if key in self.state.calls:
                call = self.state.calls[key]
                call.offered = call.offered or offer.answer == BIDS
                call.bid = offer.score if offer.answer == BIDS else call.bid
                yield Statement("bid", (key >> 8, key & 255, offer.score, offer.answer))

    # -- what lasts

    def memory(self, now: float) -> BidderState:
        """What is kept: the contract at hand and how others ended; times as spans before now."""
        s = self.state
        work = s.work or s.held
        if work is not None:
            worked_s = work.worked_s + (now - work.since if s.work is not None else 0.0)
            work = replace(work, worked_s=worked_s, since=0.0)
        return BidderState(ended=s.ended, held=work)

    def recall(self, kept: BidderState, now: float, hold_s: float) -> None:
        """Take up the memory of a former life: the contract waits `hold_s` for its auctioneer's statement."""
        self.state.ended = {key: Ending(one.how, now, now) for key, one in kept.ended.items()}
        if kept.held is not None:
            self.state.held = replace(kept.held, since=now, until=now + hold_s)
