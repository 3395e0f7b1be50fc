"""The robot that introduced a task: it announces, closes, awards, watches and renews (002, section V-B).

A first-price auction of one round. The contract statement is the close; a close without a winner is the absence of
the announcement. What is awarded is awarded anew only when the old contract has run out or was given back, so that
no two robots work on it while every frame arrives.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

from motivation.murdoch.lots import (
    ANNOUNCED,
    AWARDED,
    DONE,
    ENDED,
    NEVER,
    REFUSED,
    WAITING,
    AuctioneerState,
    Lot,
    mark_of,
)
from motivation.murdoch.settings import MurdochSettings, TaskTerms
from motivation.murdoch.words import BIDS, BUSY, GAVE, GIVES_BACK, HELD, OWN_JOB, why_no_bid
from robotd.model.beliefs import Beliefs
from robotd.model.choice import Event
from robotd.model.facts import BEAT_PARTS, LONGEST_BEATS, SHARE_PARTS
from robotd.model.statements import Sent, Statement
from robotd.model.streams import draw
from robotd.model.table import NumberTable

AT_ONCE = 8  # auctions that are open together: announcements take turns in the frames
NOT_SENT_BEATS = 4.0  # an announcement that has not left by then is taken for sent: the radio sends nothing
ASKS = 3  # announcements, or windows, after which an auction closes though a robot in reach has not answered
RENEWED_AT = 0.75  # of a term: a contract with less left is renewed
LEAST_ACK_S = 1.0  # a network pauses for some tenths of a second
A_FRAME = 2.0  # contracts that a frame carries besides the rest: with more the terms grow
MOST_FORMER = 4  # contracts that are over whose winners may still report a task done
FAILURES = 2  # awards without any work in a row that leave a robot out of the job
REBOOT = 127  # terms that a restarted auctioneer skips: more than it renews between two memories
SAVED_TERMS = 64


class Auctioneer:
    """One robot's auctions and contracts."""

    def __init__(
        self, settings: MurdochSettings, table: NumberTable, terms: Mapping[str, TaskTerms], me: int,
        numbers: Sequence[int], state: AuctioneerState,
    ) -> None:  # fmt: skip
        """`numbers`: those that its auctions may have."""
        self._settings, self._table, self._terms, self._me = settings, table, terms, me
        self._numbers, self.state = numbers, state

    def window_s(self, beat_s: float) -> float:
        """How long an auction is open, s."""
        return max(self._settings.auction_s, self._settings.auction_beats * beat_s)

    def _term_s(self, lot: Lot, beat_s: float) -> float:
        """The term of a contract, s: longer where so many run that their frames take turns."""
        running = sum(one.state == AWARDED and one.who != self._me for one in self.state.open())
        turns = max(1, math.ceil(running / A_FRAME))
        least_s = self._settings.contract_beats * beat_s * turns
        return min(max(lot.contract_s, least_s), LONGEST_BEATS * self._table.beat_s)

    # -- what it receives

    def hear_bid(self, sender: int, statement: Statement, now: float) -> list[Event]:
        """A bid, a reason for none, or a contract given back."""
        _, number, score, answer = statement.fields
        for lot in self.state.open():
            if lot.number != number:
                continue
            answered = int(answer)  # type: ignore[arg-type]
            if lot.state == ANNOUNCED and answered < GIVES_BACK:
                lot.bids[sender] = (float(score), answered)  # type: ignore[arg-type]
            elif lot.state == AWARDED and lot.who == sender and answered >= GIVES_BACK:
                reason = answered - GIVES_BACK
                if reason == HELD:
                    lot.failed[sender] = lot.failed.get(sender, 0) + 1
                return self._reassign(lot, now, GAVE.get(reason, "gives it back"))
        return []

    def hear_acknowledgement(self, sender: int, statement: Statement, at: float) -> list[Event]:
        """The winner works, or is done; done counts of the winner of a contract that ran out here too."""
        _, number, progress = statement.fields
        for lot in self.state.open():
            if lot.number == number and lot.state == AWARDED and lot.who == sender:
                lot.acked, lot.progress = at, float(progress)  # type: ignore[arg-type]
                lot.failed.pop(sender, None)
                if lot.progress >= 1.0:
                    return [self._end(lot, DONE, at, f"{self._table.name(sender)} reports it done")]
                lot.why = f"{self._table.name(sender)} works on it"
            elif lot.former.get(int(number)) == sender and float(progress) >= 1.0:  # type: ignore[arg-type]
                return [self._end(lot, DONE, at, f"{self._table.name(sender)} reports it done, late")]
        return []

    def note_sent(self, sent: Sequence[Sent]) -> None:
        """An auction's time begins when its announcement has left."""
        numbered = {lot.number: lot for lot in self.state.open() if lot.state in (ANNOUNCED, AWARDED)}
        for frame in sent:
            for one in frame.statements:
                lot = numbered.get(int(one.fields[0])) if one.kind in ("announcement", "contract") else None  # type: ignore[arg-type]
                if lot is None:
                    continue
                lot.said = frame.at
                if one.kind == "announcement" and lot.state == ANNOUNCED:
                    lot.sent = frame.at if lot.sent == NEVER else lot.sent
                    lot.times += 1

    # -- one decision

    def step(self, now: float, beliefs: Beliefs, reach: Collection[int], beat_s: float) -> list[Event]:
        """Close, renew and announce; `reach`: the teammates that were received lately."""
        s, events = self.state, []
        lapse, s.last = now - s.last, now
        for lot in s.open():
            entry = self._table.task_entries.get(lot.template)
            if entry is not None and entry.completion and mark_of(beliefs, entry) != lot.mark:
                events.append(self._end(lot, DONE, now, f"{entry.completion} is known"))
            elif lot.state == ANNOUNCED:
                events += self._close(lot, now, reach, beat_s)
            elif lot.state == AWARDED:
                events += self._watch(lot, now, lapse, beat_s)
        for lot in sorted(s.open(), key=lambda lot: lot.rank if lot.asked else -1):
            if lot.state == WAITING and now >= lot.not_before and self._may_announce(lot):
                self._announce(lot, now)
                words = "asks for bids" if lot.task.id == lot.template else f"asks for bids on {lot.task.id}"
                data = {"task": lot.task.id, "auction": lot.number}
                events.append(Event("announced", "", lot.template, words, data))
        return events

    @property
    def _taken(self) -> set[int]:
        """The numbers of its auctions and contracts that are open."""
        return {one.number for one in self.state.open() if one.state in (ANNOUNCED, AWARDED)}

    def _may_announce(self, lot: Lot) -> bool:
        """While a number is free, not too many at once; subtasks as asked, once what they replace has run out."""
        open_ = [one for one in self.state.open() if one.state == ANNOUNCED]
        if len(open_) >= min(AT_ONCE, len(self._numbers) // 2) or len(self._taken) >= len(self._numbers):
            return False
        if not lot.asked:
            return True
        siblings = [one for one in self.state.open() if one.asked and one is not lot]
        if any(one.state == AWARDED and not one.wanted for one in siblings):
            return False
        return not (self._settings.sequential and any(one.state == ANNOUNCED for one in siblings))

    def _announce(self, lot: Lot, now: float) -> None:
        s, taken = self.state, self._taken
        while self._numbers[s.numbers % len(self._numbers)] in taken:
            s.numbers += 1
        lot.number = self._numbers[s.numbers % len(self._numbers)]
        s.numbers = (s.numbers + 1) % len(self._numbers)
        lot.bids, lot.sent, lot.said, lot.times, lot.who = {}, NEVER, NEVER, 0, 0
        lot.turn(ANNOUNCED, now, "bids are awaited")

    def _close(self, lot: Lot, now: float, reach: Collection[int], beat_s: float) -> list[Event]:
        window_s = self.window_s(beat_s)
        opened = lot.sent
        if opened == NEVER:
            opened = lot.since + NOT_SENT_BEATS * beat_s
        complete = self._settings.close_early and all(k in lot.bids for k in (*reach, self._me))
        if now - opened < window_s and not complete:
            return []
        out = self.state.out_of(lot.task.kind, now)
        taken = {one.who for one in self.state.open() if one.state == AWARDED}
        good = [
            (-score, k) for k, (score, answer) in lot.bids.items()
            if answer == BIDS and score >= lot.reserve and k not in taken and k not in out
            and lot.failed.get(k, 0) < FAILURES
        ]  # fmt: skip
        if good:
            score, who = min(good)
            return [self._award(lot, now, who, -score, beat_s)]
        silent = any(k not in lot.bids for k in reach)
        if silent and lot.times < ASKS and now - opened < ASKS * window_s:
            return []  # it may be that a frame was lost
        out = {**out, **{k: "it did not take up its contracts" for k, n in lot.failed.items() if n >= FAILURES}}
        answers = {k: (0.0, BUSY) if k in taken and bid[1] == BIDS else bid for k, bid in lot.bids.items()}
        why = why_no_bid(self._terms[lot.template].resources, answers, self._table.robots, out)
        return self._no_bid(lot, now, f"{lot.template}: {why}", reach)

    def _no_bid(self, lot: Lot, now: float, why: str, reach: Collection[int]) -> list[Event]:
        """An error to its introducer (002, step 4), or another announcement after a growing pause (ours)."""
        pause_s = self._settings.reannounce_s
        lot.failed.clear()
        if not pause_s:
            return [self._end(lot, REFUSED, now, why, reach=[self._table.name(k) for k in sorted(reach)])]
        jitter = 0.5 + draw(0, self._table.name(self._me), f"murdoch-{lot.job}", lot.tries)
        lot.not_before = now + min(pause_s * 2.0**lot.tries, self._settings.reannounce_max_s) * jitter
        lot.tries = min(lot.tries + 1, 30)
        lot.turn(WAITING, now, why)
        self.state.version += 1
        return [Event("waits", "", lot.template, why, {"task": lot.task.id})]

    def _award(self, lot: Lot, now: float, who: int, score: float, beat_s: float) -> Event:
        bids = {self._table.name(k): bid for k, (bid, answer) in sorted(lot.bids.items()) if answer == BIDS}
        name = self._table.name(who)
        others = "; ".join(f"{other} {bid:.2f}" for other, bid in bids.items() if other != name)
        lot.turn(AWARDED, now, f"{name} bid {score:.2f}" + (f"; {others}" if others else ""))
        lot.who, lot.acked, lot.renews, lot.least, lot.tries = who, NEVER, True, None, 0
        lot.term = (lot.term + 1) % 256
        lot.until = now + self._term_s(lot, beat_s)
        self.state.version += 1
        data = {"task": lot.task.id, "winner": name, "bids": bids}
        return Event("awarded", "", lot.template, f"{lot.task.id} to {lot.why}", data)

    def _watch(self, lot: Lot, now: float, lapse: float, beat_s: float) -> list[Event]:
        """Renew while it is acknowledged, wanted and goes forward; else it runs out and is awarded anew."""
        name = self._table.name(lot.who)
        if now >= lot.until:
            if not lot.wanted:
                return [self._end(lot, ENDED, now, "it is no longer asked for")]
            if lot.acked == NEVER:
                lot.failed[lot.who] = lot.failed.get(lot.who, 0) + 1
            return self._reassign(lot, now, "does not acknowledge" if lot.renews else "made no progress")
        if self.state.is_stalled(lot, lapse, self._terms[lot.template].progress_least):
            return [self._exclude(lot, now)]
        ack_s = max(LEAST_ACK_S, (self._settings.missed_acknowledgements + 0.5) * beat_s)
        acknowledged = lot.acked != NEVER and now - lot.acked < ack_s
        term_s = self._term_s(lot, beat_s)
        if lot.wanted and lot.renews and acknowledged and lot.until - now <= RENEWED_AT * term_s:
            lot.term = (lot.term + 1) % 256
            lot.until = now + term_s
            self.state.version += lot.term % SAVED_TERMS == 0
        elif lot.acked != NEVER and not acknowledged:
            lot.why = f"{name} does not acknowledge; its contract has {lot.until - now:.1f} s left"
        return []

    def _exclude(self, lot: Lot, now: float) -> Event:
        lot.renews = False
        self.state.excluded.setdefault(lot.task.kind, {})[lot.who] = now + self._settings.exclude_s
        self.state.version += 1
        name = self._table.name(lot.who)
        words = f"{name}: no progress for {lot.no_progress_s:g} s of contract"
        return Event("excluded", "", lot.template, words, {"task": lot.task.id, "robot": name})

    def _reassign(self, lot: Lot, now: float, why: str) -> list[Event]:
        """The contract is over and the task is not done: another auction."""
        words = f"{self._table.name(lot.who)} {why}"
        if not lot.wanted:
            return [self._end(lot, ENDED, now, words)]
        lot.turn(WAITING, now, words)
        lot.former = dict([*lot.former.items(), (lot.number, lot.who)][-MOST_FORMER:])
        lot.not_before, lot.who = now, 0
        self.state.version += 1
        return [Event("reassigned", "", lot.template, f"{lot.task.id}: {words}")]

    def _end(self, lot: Lot, state: str, now: float, why: str, **data: object) -> Event:
        lot.turn(state, now, why)
        self.state.version += 1
        return Event(state, "", lot.template, f"{lot.task.id}: {why}", {"task": lot.task.id, **data})

    # -- what it states

    def contracts(self, now: float) -> Iterator[Statement]:
        """The contracts that run, the longest unsaid first; each says what is left of it."""
        lots = [lot for lot in self.state.open() if lot.state == AWARDED]
        for lot in sorted(lots, key=lambda lot: lot.said):
            left = (lot.until - now) / self._table.beat_s
            if left >= 1.0 / BEAT_PARTS:
                yield Statement("contract", (lot.number, lot.who, lot.term, left), lot.until)

    def announcements(self) -> Iterator[Statement]:
        """The auctions that are open, the longest unsaid first."""
        lots = [lot for lot in self.state.open() if lot.state == ANNOUNCED]
        for lot in sorted(lots, key=lambda lot: lot.said):
            terms, args = self._terms[lot.template], dict(lot.task.args)
            share = float(args.get(terms.argument, 0.0)) / terms.argument_most if terms.argument else 0.0
            x, y = (float(args.get(key, 0.0)) if terms.place else 0.0 for key in ("x", "y"))
            left_s = lot.length_s * (1.0 - lot.progress) if lot.length_s else 0.0
            yield Statement("announcement", (
                lot.number, lot.template, OWN_JOB if lot.own else lot.job, left_s / self._table.beat_s, x, y,
                round(max(0.0, min(1.0, share)) * SHARE_PARTS),
            ))  # fmt: skip

    # -- what lasts

    def recall(self, kept: AuctioneerState, now: float, beat_s: float) -> None:
        """Take up the memory of a former life.

        A contract is stated once more, for one term: its winner acknowledges it, or says how it ended, or is gone.
        """
        s = self.state
        s.jobs, s.fired, s.lots = kept.jobs, kept.fired, kept.lots
        s.numbers = (kept.numbers + 2 * AT_ONCE) % len(self._numbers)
        s.excluded = {
            kind: dict.fromkeys(robots, now + self._settings.exclude_s) for kind, robots in kept.excluded.items()
        }
        for lot in s.open():
            lot.since = lot.not_before = now
            if lot.state == ANNOUNCED:
                lot.turn(WAITING, now, "its auctioneer restarted")
            elif lot.state == AWARDED:
                lot.term = (lot.term + REBOOT) % 256
                lot.until, lot.acked = now + self._term_s(lot, beat_s), NEVER
                lot.said = NEVER
