"""Relations between the rates and times of behavior sets that make a team act otherwise than was meant."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from motivation.alliance.learning import BELOW_FAST
from robotd.advice.takeovers import beside_claim_s, by_mate
from robotd.config.lookup import Mission, settings_of
from robotd.files.nearest import nearest
from robotd.model.coordinator_plugin import SetTiming, Timing, hooks_of

Timings = Mapping[str, Mapping[str, SetTiming]]


@dataclass
class Rates:
    """`warnings` and `notes` in words. `ratios`: by robot and set the fast rate over the greatest slow one.

    `learning`: how long a task must take, s, for learned rates to be ones that no guard has to change.
    """

    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    ratios: dict[str, dict[str, float]] = field(default_factory=dict)
    learning: dict[str, Any] = field(default_factory=dict)


def set_timings(mission: Mission, coordinator: Any) -> Timings:
    """The times of each behavior set by robot and set; without those of which the coordinator states none."""
    kind, content, timing = (
        settings_of(coordinator, "SetSettings"),
        mission.content,
        hooks_of(coordinator).set_timing,
    )
    return {
        robot: {
            name: found
            for name, own in content.sets_of(robot).items()
            if kind is not None and (found := timing(kind(**content.terms_of_set(own)))) is not None
        }
        for robot in sorted(content.team)
    }


def check_rates(mission: Mission, timing: Timing | None, own: Timings) -> Rates:
    """All relations between rates and times; each once, with the robots that have the set."""
    rates = Rates()
    owners: dict[str, list[str]] = {}
    beat_s = mission.content.radio.beat_s
    for robot, sets in own.items():
        mates = [mate for mate in sorted(mission.content.team) if mate != robot]
        for name, each in sets.items():
            recurring = mission.content.tasks[mission.content.sets[name].task].recurring
            found = (
                _times(each, beat_s), _claims(each, timing, beat_s, mates), _names(each, mission.content.team),
                _learned(each, timing, recurring=recurring),
            )  # fmt: skip
            for words in (words for each_kind in found for words in each_kind):
                owners.setdefault(f"behavior set {name!r} {words}", []).append(robot)
    for words, robots in owners.items():
        who = "" if len(robots) == len(mission.content.team) else f" ({', '.join(robots)})"
        rates.warnings.append(words + who)
    _fast_above_slow(own, rates)
    _learning(timing, rates)
    return rates


def _times(own: SetTiming, beat_s: float) -> Iterator[str]:
    give_up, yields = own.give_up_time_s, own.yield_time_s
    if give_up < beat_s:
        yield f"gives up after {give_up:g} s, within one beat ({beat_s:g} s): teammates may never hear of its work"
    if give_up < yields:
        yield f"gives up after {give_up:g} s, before it would ever yield ({yields:g} s)"


def _claims(own: SetTiming, timing: Timing | None, beat_s: float, mates: list[str]) -> Iterator[str]:
    if timing is None:
        return
    takeover = min((beside_claim_s(timing.threshold, own, mate) for mate in mates), default=math.inf)
    if takeover < beat_s:
        yield (
            f"takes its task over {takeover:.3g} s after a teammate's claim, within one beat ({beat_s:g} s): "
            "the claim cannot be repeated in time to hold it back"
        )


def _names(own: SetTiming, team: Collection[str]) -> Iterator[str]:
    """Names in a table by teammate that are nobody's; a robot's own is of use to the others that have the set."""
    for key, value in (("slow_rate", own.slow_rate), ("patience_s", own.patience_s)):
        for name in sorted(value) if isinstance(value, Mapping) else ():
            if name not in ("default", *team):
                near = nearest(name, team)
                hint = f"; did you mean {near!r}?" if near else ""
                yield f"has a {key} for {name!r}, whom the team does not have{hint}"


def _fast_above_slow(own: Timings, rates: Rates) -> None:
    """fast > slow for every robot, behavior set and teammate (000, III-D.5), and by how much."""
    for robot, sets in own.items():
        mates = [mate for mate in own if mate != robot]
        of_robot = {
            name: each.fast_rate / max(by_mate(each.slow_rate, mate) for mate in mates)
            for name, each in sets.items()
            if mates
        }
        rates.ratios[robot] = of_robot
        for name, ratio in of_robot.items():
            if ratio <= 1.0:
                rates.warnings.append(
                    f"{robot}'s {name!r} grows no slower while a teammate is on its task: slow_rate must be below "
                    f"fast_rate, {sets[name].fast_rate:g}"
                )
    least = min(
        ((ratio, robot, name) for robot, of in rates.ratios.items() for name, ratio in of.items()), default=None
    )
    if least is not None and least[0] > 1.0:
        rates.notes.append(
            "fast_rate is above slow_rate for every robot, behavior set and teammate; the least of all is "
            f"{least[0]:.3g} times as high ({least[1]}'s {least[2]!r})"
        )


def _learned(own: SetTiming, timing: Timing | None, *, recurring: bool) -> Iterator[str]:
    """Whether what L-ALLIANCE may learn breaks fast > slow, if the task takes about as long as its yield time."""
    fixed = recurring if own.learns is None else not own.learns
    if timing is None or timing.max_delay_s is None or fixed:
        return
    if own.yield_time_s * BELOW_FAST < timing.max_delay_s:
        yield (
            f"may learn a delay longer than its task, if that takes about yield_time_s, {own.yield_time_s:g} s: "
            f"choose max_delay_s below {BELOW_FAST * own.yield_time_s:.3g}"
        )


def _learning(timing: Timing | None, rates: Rates) -> None:
    """Learned rates: fast = theta / delay, slow = theta / task time, so a delay must be below every task time."""
    delay = timing.max_delay_s if timing is not None else None
    if delay is None:
        return
    least = delay / BELOW_FAST
    rates.learning = {"max_delay_s": delay, "least_task_time_s": least}
    rates.notes.append(
        "rates and times hold until something is learned; learned rates keep fast_rate above slow_rate for tasks "
        f"that take {least:.3g} s or more (max_delay_s / {BELOW_FAST:g}); of a quicker task the slow rate is "
        f"lowered, and a takeover may take {delay:g} s and a tenth of its time instead of its time"
    )
