"""When tasks change hands at the latest: what rates, patience and time-outs come to in seconds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from robotd.advice.coverage import Coverage
from robotd.model.coordinator_plugin import SetTiming


@dataclass(frozen=True)
class Takeover:
    """One robot and one task, s; inf for never. Each time holds for a robot that does nothing else.

    `unattended_s`: from the need to the start while nobody is on the task. By teammate: `silent_s`, from the last
    statement of one that then falls silent; `announcing_s`, from the first statement of one that goes on stating
    it, attempt after attempt. `yields_s`: after so long at work it yields to a newer claim. `gives_up_s`: after so
    long it gives up.
    """

    unattended_s: float
    silent_s: dict[str, float]
    announcing_s: dict[str, float]
    yields_s: float
    gives_up_s: float

    def as_json(self) -> dict[str, Any]:
        """For `--json`: null for never."""
        return {
            "unattended_s": _finite(self.unattended_s),
            "silent_s": {mate: _finite(time) for mate, time in self.silent_s.items()},
            "announcing_s": {mate: _finite(time) for mate, time in self.announcing_s.items()},
            "yields_s": _finite(self.yields_s),
            "gives_up_s": _finite(self.gives_up_s),
        }


def _finite(time: float) -> float | None:
    return time if math.isfinite(time) else None


def takeover_s(threshold: float, fast: float, slow: float, held_s: float) -> float:
    """From a reset to the threshold, s: `held_s` at the slow rate, then at the fast one (000, equation 1)."""
    if slow > 0.0 and slow * held_s >= threshold:
        return threshold / slow
    return held_s + (threshold - (slow * held_s if slow > 0.0 else 0.0)) / fast


def by_mate(value: float | Mapping[str, float], mate: str) -> float:
    """What holds for a teammate of a number for all, or of a table by name with a default."""
    return float(value.get(mate, value["default"]) if isinstance(value, Mapping) else value)


def beside_claim_s(threshold: float, own: SetTiming, mate: str, timeout_s: float = math.inf) -> float:
    """From a teammate's claim to its takeover by a set with the motivation `own`, s; silent after that claim.

    Without `timeout_s` the teammate goes on stating its claim. An exclusive set does not grow while it is held.
    """
    slow = 0.0 if own.exclusive else by_mate(own.slow_rate, mate)
    return takeover_s(threshold, own.fast_rate, slow, min(by_mate(own.patience_s, mate), timeout_s))


def beside_attempts_s(
    threshold: float, own: SetTiming, mate: str, mates: Iterable[str], gives_up_s: float
) -> float:
    """The same beside a teammate that gives up after `gives_up_s` and tries again at once, without end.

    Each attempt restarts patience; if it never runs out only the slow rate gets there, of an exclusive set once it
    has waited for the patience with all `mates` together.
    """
    if gives_up_s >= by_mate(own.patience_s, mate):
        return beside_claim_s(threshold, own, mate)
    waits = sum(by_mate(own.patience_s, each) for each in mates) if own.exclusive else 0.0
    return waits + threshold / by_mate(own.slow_rate, mate)


def takeovers(
    who: Mapping[str, Coverage],
    motivations: Mapping[str, Mapping[str, SetTiming]],
    threshold: float,
    timeout_s: float,
) -> dict[str, dict[str, Takeover]]:
    """By task and robot, of those that can do it. `motivations`: by robot and behavior set."""
    found: dict[str, dict[str, Takeover]] = {}
    for task, of in who.items():
        able = {robot: [motivations[robot][name] for name in names] for robot, names in sorted(of.able.items())}
        gives_up = {robot: min(each.give_up_time_s for each in own) for robot, own in able.items()}
        found[task] = {
            robot: _takeover(
                own,
                threshold,
                timeout_s,
                {mate: time for mate, time in gives_up.items() if mate != robot},
                set(motivations) - {robot},
            )
            for robot, own in able.items()
        }
    return found


def _takeover(
    own: list[SetTiming], threshold: float, timeout_s: float, gives_up: Mapping[str, float], mates: set[str]
) -> Takeover:
    """Of several sets for one task the soonest takes it up; how long each of them then stays is not known.

    `gives_up`: of the `mates` those that can do it, and when at the soonest each of them gives up.
    """
    return Takeover(
        unattended_s=min(threshold / each.fast_rate for each in own),
        silent_s={mate: min(beside_claim_s(threshold, e, mate, timeout_s) for e in own) for mate in gives_up},
        announcing_s={
            mate: min(beside_attempts_s(threshold, each, mate, mates, after) for each in own)
            for mate, after in gives_up.items()
        },
        yields_s=max(each.yield_time_s for each in own),
        gives_up_s=max(each.give_up_time_s for each in own),
    )


def takeover_warnings(of: Mapping[str, Mapping[str, Takeover]], time_limit_s: float) -> Iterator[str]:
    """Tasks on which a robot that states its claim and gets nowhere is not replaced within a mission's time."""
    for task, robots in of.items():
        soonest = {
            holder: min(times.announcing_s[holder] for robot, times in robots.items() if robot != holder)
            for holder in robots
            if len(robots) > 1
        }
        late = {holder: time for holder, time in soonest.items() if time > time_limit_s}
        if late:
            first = min(late.values())
            when = f"taken over only after {first:.0f} s" if math.isfinite(first) else "never taken over"
            yield (
                f"{task!r} is {when} from {' or '.join(late)} while that robot states it and gets nowhere; the "
                f"mission's time limit is {time_limit_s:g} s: lower patience_s of the others"
            )


def crossings(of: Mapping[str, Mapping[str, Takeover]], beat_s: float) -> Iterator[str]:
    """Tasks that the two keenest robots begin within a beat of each other, before either has heard the other."""
    pairs: dict[str, list[str]] = {}
    for task, robots in of.items():
        keen = sorted((times.unattended_s, robot) for robot, times in robots.items())[:2]
        if len(keen) == 2 and keen[1][0] - keen[0][0] < beat_s:
            pairs.setdefault(" and ".join(sorted(robot for _, robot in keen)), []).append(repr(task))
    for pair, tasks in pairs.items():
        yield (
            f"{pair} reach the threshold for {', '.join(tasks)} within one beat ({beat_s:g} s) of each other: if "
            "both are idle both may begin, and one lets go when it hears the other"
        )


def overlaps(of: Mapping[str, Mapping[str, Takeover]]) -> Iterator[str]:
    """Tasks on which two robots may be at work at once: taken over before whoever is on it would yield."""
    for task, robots in of.items():
        both = [
            min(robots[mate].yields_s, robots[mate].gives_up_s) - time
            for times in robots.values()
            for mate, time in times.announcing_s.items()
            if math.isfinite(time)
        ]
        most = max(both, default=0.0)
        if most > 0.0:
            long = f"up to {most:.0f} s" if math.isfinite(most) else "as long as both like"
            yield f"after a takeover of {task!r} two robots may be on it for {long}, until one yields or gives up"
