"""A second reading of the motivations, against which the first is held: dictionaries and a diary, no arrays.

Everything that happened is kept in one list, and each question of a tick (when a teammate was heard, when its
patience started, what was said since the last tick) is answered by reading that list.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

TOLERANCE = 1e-9


def before(a: float, b: float) -> bool:
    """a < b, where nearly equal is equal."""
    return a < b and not same(a, b)


def until(a: float, b: float) -> bool:
    """a <= b, where nearly equal is equal."""
    return a <= b or same(a, b)


def same(a: float, b: float) -> bool:
    return a == b or abs(a - b) <= TOLERANCE


@dataclass
class Said:
    at: float
    teammate: str
    task: str
    began: float
    kind: str  # "first", "attempt" or "again"
    tick: int


@dataclass
class Finished:
    at: float
    task: str


class Oracle:
    def __init__(self, scenario: dict[str, Any], *, literal_paper_rule: bool = False) -> None:
        self.scenario = scenario
        self.literal_paper_rule = literal_paper_rule
        self.diary: list[Said | Finished] = []
        self.sets: list[dict[str, Any]] = scenario["set"]
        self.level = {s["name"]: 0.0 for s in self.sets}
        self.applicable = {s["name"]: s.get("applicable", False) for s in self.sets}
        self.active: str | None = None
        self.suspended: tuple[str, float] | None = None
        self.claimed_at: dict[str, float] = {}
        self.activated_at: dict[str, float] = {}
        self.beat = scenario.get("beat_s", 3.0)
        self.tau = scenario["silence_timeout_s"]
        self.theta = scenario["threshold"]
        self.reached: set[str] = set()

    def rows(self) -> Iterator[tuple[float, dict[str, float], str | None]]:
        tick_s = self.scenario["tick_s"]
        numbered = list(enumerate(self.scenario.get("event", [])))
        waiting = [event for _, event in sorted(numbered, key=lambda pair: (pair[1]["at_s"], pair[0]))]
        for n in range(1, math.floor(self.scenario["duration_s"] / tick_s + 1e-9) + 1):
            while waiting and until(waiting[0]["at_s"], n * tick_s):
                self.happen(waiting.pop(0), n)
            self.tick(n, n * tick_s, tick_s)
            yield n * tick_s, dict(self.level), self.active

    # -- what happens between ticks

    def happen(self, event: dict[str, Any], n: int) -> None:
        if "applicable" in event:
            self.applicable.update(event["applicable"])
        elif "done" in event:
            self.diary.append(Finished(event["at_s"], event["done"]["task"]))
        else:
            self.listen(event["at_s"], event["heard"], n)

    def listen(self, at: float, heard: dict[str, Any], n: int) -> None:
        teammate, task = heard["from"], heard["task"]
        previous = self.last(teammate, task)
        if "elapsed_s" in heard:
            began = at - heard["elapsed_s"]
        elif previous is not None and before(at - previous.at, self.tau):
            began = previous.began
        else:
            began = at
        if teammate not in {entry.teammate for entry in self.occasion(task)}:
            kind = "first"
        elif previous is not None and before(previous.began + self.beat, began):
            kind = "attempt"
        else:
            kind = "again"
        self.diary.append(Said(at, teammate, task, began, kind, n))

    # -- reading the diary

    def teammates(self) -> list[str]:
        return sorted({entry.teammate for entry in self.diary if isinstance(entry, Said)})

    def occasion(self, task: str) -> list[Said]:
        """What was said about the task after it was last done."""
        found: list[Said] = []
        for entry in self.diary:
            if entry.task == task:
                found = [] if isinstance(entry, Finished) else [*found, entry]
        return found

    def last(self, teammate: str, task: str) -> Said | None:
        said = [e for e in self.diary if isinstance(e, Said) and (e.teammate, e.task) == (teammate, task)]
        return said[-1] if said else None

    def last_done(self, task: str) -> float:
        done = [e.at for e in self.diary if isinstance(e, Finished) and e.task == task]
        return done[-1] if done else -math.inf

    def recent(self, teammate: str, task: str, now: float) -> bool:
        last = self.last(teammate, task)
        return last is not None and before(now - last.at, self.tau)

    def patience_start(self, teammate: str, task: str) -> float:
        begun = {(teammate, "first"), (teammate, "attempt")}
        own = (entry for entry in reversed(self.diary) if entry.task == task)
        return next(one.at for one in own if isinstance(one, Finished) or (one.teammate, one.kind) in begun)

    def fresh(self, teammate: str, task: str, n: int, *kinds: str) -> bool:
        return any(e.teammate == teammate and e.tick == n and e.kind in kinds for e in self.occasion(task))

    def outranks(self, teammate: str) -> bool:
        ranks = self.scenario.get("ranks", {})
        return teammate in ranks and ranks[teammate] < self.scenario.get("rank", 1)

    # -- one tick

    def tick(self, n: int, now: float, dt: float) -> None:
        active = self.active
        uncapped: dict[str, float] = {}
        for spec in self.sets:
            name = spec["name"]
            stopped = (
                not self.applicable[name]
                or self.is_suppressed(spec)
                or self.is_reset(spec, n, now)
                or self.acquiesces(spec, now)
            )
            uncapped[name] = 0.0 if stopped else self.level[name] + self.rate(spec, now) * dt
        for name, value in uncapped.items():
            self.level[name] = min(self.theta, value)
        ended = active is not None and self.level[active] == 0
        if ended:
            self.end(now)
        self.choose(active, ended, uncapped, now)

    def spec(self, name: str) -> dict[str, Any]:
        return next(s for s in self.sets if s["name"] == name)

    def preempts(self, name: str) -> bool:
        return bool(self.spec(name).get("preempts", False))

    def task(self, spec: dict[str, Any]) -> str:
        return str(spec.get("task", spec["name"]))

    def is_suppressed(self, spec: dict[str, Any]) -> bool:
        if self.active is None or self.active == spec["name"]:
            return False
        return self.preempts(self.active) if spec.get("preempts", False) else True

    def per_teammate(self, value: Any, teammate: str) -> float:
        return float(value.get(teammate, value["default"]) if isinstance(value, dict) else value)

    def rate(self, spec: dict[str, Any], now: float) -> float:
        task, slow = self.task(spec), []
        for teammate in self.teammates():
            if self.recent(teammate, task, now):
                waited = now - self.patience_start(teammate, task)
                if until(waited, self.per_teammate(spec["patience_s"], teammate)):
                    slow.append(self.per_teammate(spec["slow_rate"], teammate))
        return min(slow) if slow else float(spec["fast_rate"])

    def is_reset(self, spec: dict[str, Any], n: int, now: float) -> bool:
        name, task = spec["name"], self.task(spec)
        if name != self.active or self.literal_paper_rule:
            resets = any(self.fresh(teammate, task, n, "first") for teammate in self.teammates())
            return resets and self.noted("reset")
        claimed = self.claimed_at[name]
        if not before(now - claimed, 3 * self.beat):
            return False
        for teammate in self.teammates():
            if self.fresh(teammate, task, n, "first", "attempt"):
                began = self.last(teammate, task).began  # type: ignore[union-attr]
                if before(began, claimed - self.beat / 5):
                    return self.noted("older claim")
                if until(abs(began - claimed), self.beat / 5) and self.outranks(teammate):
                    return self.noted("crossing claim")
        return False

    def acquiesces(self, spec: dict[str, Any], now: float) -> bool:
        name, task = spec["name"], self.task(spec)
        if name != self.active:
            return False
        active_s = now - self.activated_at[name]
        if before(spec["give_up_time_s"], active_s):
            return self.noted("gives up")
        if not before(spec["yield_time_s"], active_s):
            return False
        claimed = self.claimed_at[name]
        for teammate in self.teammates():
            if self.recent(teammate, task, now):
                began = self.last(teammate, task).began  # type: ignore[union-attr]
                if before(claimed + self.beat, began) or self.literal_paper_rule:
                    return self.noted("yields")
                if until(abs(began - claimed), self.beat) and self.outranks(teammate):
                    return self.noted("yields by rank")
        return False

    def end(self, now: float) -> None:
        assert self.active is not None
        was, self.active = self.active, None
        if not self.preempts(was) or self.suspended is None:
            return
        (name, since), self.suspended = self.suspended, None
        task = self.task(self.spec(name))
        taken = any(
            said is not None
            and before(since, said.at)
            and before(self.last_done(task), said.at)
            and before(now - said.at, self.tau)
            for said in (self.last(teammate, task) for teammate in self.teammates())
        )
        if taken:
            self.noted("taken")
        if self.applicable[name] and not taken:
            self.noted("resumes")
            self.active = name
            self.level[name] = self.theta
            self.activated_at[name] += now - since

    def choose(self, was: str | None, ended: bool, uncapped: dict[str, float], now: float) -> None:
        if was is None:
            names = list(uncapped)
        elif not ended and not self.preempts(was):
            names = [name for name in uncapped if self.preempts(name)]
        else:
            return
        names = [name for name in names if uncapped[name] >= self.theta * (1 - 1e-9)]
        if not names:
            return
        highest = max(uncapped[name] for name in names)
        chosen = next(name for name in names if uncapped[name] >= highest - 1e-9)
        if len(names) > 1:
            self.noted("tie")
        if was is not None:
            self.noted("interrupts")
            self.suspended = (was, now)
        self.active = chosen
        self.claimed_at[chosen] = self.activated_at[chosen] = now

    def noted(self, rule: str) -> bool:
        """Keep which rules a scenario reached, so that a test can see that its scenarios reach them all."""
        self.reached.add(rule)
        return True
