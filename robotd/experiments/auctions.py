"""What is counted of auctions in a simulated run: tasks, refusals, records on the air, robots on one task."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from motivation.murdoch.settings import TaskTerms
from motivation.murdoch.words import BIDS, BUSY, CHARGING, GIVES_BACK
from motivation.settings import terms_of
from radio.codec import Codec
from robotd.experiments.measure import Measure, Span
from robotd.experiments.rows import RunRow
from robotd.model.choice import Decision, Event
from robotd.model.inputs import Inputs
from robotd.model.statements import Sent, Statement
from robotd.model.table import NumberTable
from robotd.sim.activity_trace import ActivityTrace, Outcome

RECORDS = ("announcement", "bid", "contract", "acknowledgement")
COLUMNS = (
    "introduced", "done", "refused", "refused_busy", "refused_charging", "refused_else", "refused_wrongly", "open",
    "charges", "auctions", "not_best", "reassigned", "records", "bytes_per_record", "record_bytes_per_s",
    "record_bytes_peak", "overlap_s", "overlap_worst_s",
)  # fmt: skip
AGAIN_S = 30.0  # an announcement after such a pause is another auction of the same number
SHORTEST_S = 2.0  # a robot that is free for less need not be known to be


@dataclass(slots=True)
class Auction:
    """One auction as its frames show it: when it was announced first and last, and what each robot answered."""

    serial: int
    template: str
    job: int
    first: float
    last: float
    answers: dict[str, int] = field(default_factory=dict)
    term: int = -1  # of the contract that it led to


class Auctions(Measure):
    """Observes a run in which the robot `introducer` auctions tasks. Times in seconds from the start."""

    def __init__(self, table: NumberTable, introducer: str) -> None:
        super().__init__()
        self.introducer = introducer
        self.records: list[tuple[float, int]] = []  # when each left, its length, B
        self.counts: Counter[str] = Counter()
        self._terms, self._codec = terms_of(table, TaskTerms), Codec(table)
        self._names = dict(table.robots)
        self._auctions: dict[tuple[str, int], Auction] = {}
        self._by_job: dict[int, Auction] = {}
        self._seen: set[tuple[object, ...]] = set()
        self._free_since: dict[str, float] = {}
        self._able: dict[str, frozenset[str]] = {}  # by robot the tasks for which it has resources and a set
        self._resources: dict[str, tuple[str, ...]] = {}

    def tick(self, robot: str, i: Inputs, sent: tuple[Sent, ...], decision: Decision) -> None:
        super().tick(robot, i, sent, decision)
        now = self.elapsed(i.now)
        for frame in sent:
            for one in frame.statements:
                if one.kind in RECORDS:
                    self._record(robot, one, self.elapsed(frame.at))
        if decision.choice is None:
            return
        if decision.choice.run or decision.condition or not decision.state.may_move:
            self._free_since.pop(robot, None)
        else:
            self._free_since.setdefault(robot, now)
        if self._resources.get(robot) is not i.capabilities.resources:
            self._resources[robot] = i.capabilities.resources
            sets = {level.set for level in decision.choice.levels}
            self._able[robot] = frozenset(
                name for name, own in self._terms.items()
                if name in sets and set(own.resources) <= set(i.capabilities.resources)
            )  # fmt: skip
        for event in decision.choice.events:
            self._count(robot, event, now)

    def _count(self, robot: str, event: Event, now: float) -> None:
        self.counts["charges"] += event.kind == "condition-began"
        if robot != self.introducer:
            return
        self.counts[event.kind] += event.kind != "refused"
        if event.kind == "awarded":
            winner, bids = event.data["winner"], event.data["bids"]
            if winner in self._free_since:
                self._free_since[winner] = now  # it may have bid in other auctions of the same moment
            self.counts["not_best"] += bids[winner] < max(bids.values())
        if event.kind == "refused" and "reach" in event.data:
            self.counts["refused"] += 1
            job = int(str(event.data["task"]).rpartition(".")[2])
            self._judge_refusal(self._by_job[job], event.data["reach"], now)

    def _judge_refusal(self, auction: Auction, reach: Collection[str], now: float) -> None:
        """Count why no robot won it, and whether a capable one in reach was free all along: refused wrongly."""
        answers = auction.answers.values()
        why = "busy" if {BUSY, BIDS} & set(answers) else "charging" if CHARGING in answers else "else"
        self.counts[f"refused_{why}"] += 1
        free = [
            robot for robot, since in self._free_since.items()
            if robot in reach and auction.template in self._able.get(robot, ())
            and since < auction.first and now - since > SHORTEST_S
        ]  # fmt: skip
        self.counts["refused_wrongly"] += bool(free)

    def _record(self, robot: str, one: Statement, at: float) -> None:
        """Count what is no repetition: all that is stated is repeated until it is superseded."""
        fields: tuple[Any, ...] = one.fields
        of_introducer = one.kind in ("announcement", "contract")
        owner, number = (robot, fields[0]) if of_introducer else (self._names[fields[0]], fields[1])
        auction = self._auctions.get((owner, number))
        if one.kind == "announcement":
            _, template, job = fields[:3]
            if auction is None or auction.job != job or at - auction.last > AGAIN_S:
                auction = Auction(len(self._seen), template, job, at, at)
                self._auctions[robot, number] = self._by_job[job] = auction
            auction.last = at
        if auction is None:
            return
        what: tuple[object, ...] = ()
        if one.kind == "bid":
            what = fields[3:4]
            if fields[3] < GIVES_BACK:
                auction.answers[robot] = fields[3]
        elif one.kind == "contract":
            auction.term, what = fields[2], fields[1:3]
        elif one.kind == "acknowledgement":
            what = (auction.term, fields[2] == 1.0)
        key = (robot, one.kind, auction.serial, *what)
        if key not in self._seen:
            self._seen.add(key)
            self.records.append((at, self._codec.size(one.kind)))

    def columns(self, outcome: Outcome) -> RunRow:
        counts = self.counts
        total, duration_s = sum(size for _, size in self.records), outcome.duration_s
        peak = Counter[int]()
        for at, size in self.records:
            peak[int(at)] += size
        spans = overlaps(outcome.story, f"{self.introducer}.")
        left = counts["introduced"] - counts["done"] - counts["refused"]
        ended = f"{counts['done']} done, {counts['refused']} refused, {left} open"
        raised = outcome.extra.get("raised")
        return {
            "accomplished": left == 0 and not raised,
            "reason": f"{ended}; ticks raised: {raised}" if raised else ended,
            **{name: counts[name] for name in COLUMNS if name not in ("auctions", "open")},
            "auctions": counts["announced"], "open": left, "records": len(self.records),
            "bytes_per_record": round(total / len(self.records), 2) if self.records else 0.0,
            "record_bytes_per_s": round(total / duration_s, 2), "record_bytes_peak": max(peak.values(), default=0),
            "overlap_s": round(math.fsum(end - start for start, end in spans), 2),
            "overlap_worst_s": round(max((end - start for start, end in spans), default=0.0), 2),
        }  # fmt: skip


def overlaps(story: ActivityTrace, prefix: str) -> Sequence[Span]:
    """When two robots or more were on one task whose id begins with `prefix`."""
    by_task: dict[str, list[Span]] = {}
    for spells in story.spells.values():
        for one in spells:
            if one.task.startswith(prefix):
                by_task.setdefault(one.task, []).append((one.start, one.end))
    return [span for spans in by_task.values() for span in _doubled(spans)]


def _doubled(spans: Iterable[Span]) -> Iterable[Span]:
    edges = sorted([(start, 1) for start, _ in spans] + [(end, -1) for _, end in spans])
    count, since = 0, 0.0
    for at, step in edges:
        if count == 2 and step == -1 and at > since:
            yield since, at
        count += step
        if count == 2 and step == 1:
            since = at
