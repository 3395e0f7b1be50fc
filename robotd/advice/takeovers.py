"""When tasks change hands at the latest, s, by the rates, patience and time-outs of a mission."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from robotd.advice.coverage import Coverage
from robotd.model.coordinator_plugin import SetTiming


@dataclass(frozen=True)
class Takeover:
    """One robot and one task, s; inf for never. Each time holds for a robot that does nothing else.

    `unattended_s`: from the need to the start while no robot is on the task. `silent_s`, by teammate: from the
    last statement of one that then falls silent. `announcing_s`, by teammate: from the first of one that
    repeats it, attempt after attempt. `yields_s`: after so long at work it yields to a newer claim. `gives_up_s`:
    after so long it gives up.
    """

    unattended_s: float
    silent_s: dict[str, float]
    announcing_s: dict[str, float]
    yields_s: float
    gives_up_s: float

    def as_json(self) -> dict[str, Any]:
        """For `--json`: null for never."""
        return {key: _finite(value) for key, value in vars(self).items()}


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    return value if math.isfinite(value) else None


def takeovers(
    tasks: Mapping[str, Coverage], timings: Mapping[str, Mapping[str, SetTiming]], timeout_s: float
) -> dict[str, dict[str, Takeover]]:
    """By task and robot, of those that can do it. `timings`: by robot and behavior set."""
    found: dict[str, dict[str, Takeover]] = {}
    for task, of in tasks.items():
        able = {robot: [timings[robot][name] for name in names] for robot, names in sorted(of.able.items())}
        gives_up = {robot: min(each.gives_up_s for each in own) for robot, own in able.items()}
        found[task] = {
            robot: _takeover(robot, own, timeout_s, gives_up, set(timings)) for robot, own in able.items()
        }
    return found


def _takeover(
    robot: str, own: list[SetTiming], timeout_s: float, gives_up: Mapping[str, float], team: set[str]
) -> Takeover:
    """Of several sets for one task the first takes it up; how long each of them then stays is not known.

    `gives_up`: the first time at which each robot of the team that can do the task gives up.
    """
    others = {teammate: time for teammate, time in gives_up.items() if teammate != robot}
    teammates = team - {robot}
    return Takeover(
        unattended_s=min(each.unattended_s for each in own),
        silent_s={teammate: min(each.beside_claim_s(teammate, timeout_s) for each in own) for teammate in others},
        announcing_s={
            teammate: min(each.beside_attempts_s(teammate, teammates, after) for each in own)
            for teammate, after in others.items()
        },
        yields_s=max(each.yields_s for each in own),
        gives_up_s=max(each.gives_up_s for each in own),
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
    """Tasks that the two keenest robots begin within a beat of each other, before either receives the other's."""
    pairs: dict[str, list[str]] = {}
    for task, robots in of.items():
        keen = sorted((times.unattended_s, robot) for robot, times in robots.items())[:2]
        if len(keen) == 2 and keen[1][0] - keen[0][0] < beat_s:
            pairs.setdefault(" and ".join(sorted(robot for _, robot in keen)), []).append(repr(task))
    for pair, tasks in pairs.items():
        yield (
            f"{pair} reach the threshold for {', '.join(tasks)} within one beat ({beat_s:g} s) of each other: if "
            "both are idle both may begin, and one lets go when it receives the other's claim"
        )


def overlaps(of: Mapping[str, Mapping[str, Takeover]]) -> Iterator[str]:
    """Tasks on which two robots may be at work at once: taken over before the robot on it would yield."""
    for task, robots in of.items():
        both = [
            min(robots[teammate].yields_s, robots[teammate].gives_up_s) - time
            for times in robots.values()
            for teammate, time in times.announcing_s.items()
            if math.isfinite(time)
        ]
        most = max(both, default=0.0)
        if most > 0.0:
            long = f"up to {most:.0f} s" if math.isfinite(most) else "as long as both like"
            yield f"after a takeover of {task!r} two robots may be on it for {long}, until one yields or gives up"
