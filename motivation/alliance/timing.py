"""When ALLIANCE takes tasks up and leaves them, by its rates and times (000, equation 1); what defeats them."""

import difflib
import math
from collections.abc import Collection, Iterator, Mapping

from robotd.model.coordinator_plugin import Remarks
from robotd.model.value import value

BELOW_FAST = 0.9  # of the fast rate: the highest slow rate that is still clearly slower
ByTeammate = float | Mapping[str, float]  # one number for all teammates, or a table by name with a default


def takeover_s(threshold: float, fast: float, slow: float, held_s: float) -> float:
    """From a reset to the threshold, s: `held_s` at the slow rate, then at the fast one (000, equation 1)."""
    if slow > 0.0 and slow * held_s >= threshold:
        return threshold / slow
    return held_s + (threshold - (slow * held_s if slow > 0.0 else 0.0)) / fast


def by_teammate(value: ByTeammate, teammate: str) -> float:
    return float(value.get(teammate, value["default"]) if isinstance(value, Mapping) else value)


@value
class Times:
    """The `SetTiming` of one behavior set. `learns`: whether experience changes its rates."""

    threshold: float
    fast_rate: float
    slow_rate: ByTeammate
    patience_s: ByTeammate
    yields_s: float
    gives_up_s: float
    exclusive: bool = False
    learns: bool = False

    @property
    def unattended_s(self) -> float:
        return self.threshold / self.fast_rate

    def beside_claim_s(self, teammate: str, timeout_s: float = math.inf) -> float:
        """See `SetTiming`. An exclusive set does not grow while it is held back."""
        slow = 0.0 if self.exclusive else by_teammate(self.slow_rate, teammate)
        held_s = min(by_teammate(self.patience_s, teammate), timeout_s)
        return takeover_s(self.threshold, self.fast_rate, slow, held_s)

    def beside_attempts_s(self, teammate: str, teammates: Collection[str], gives_up_s: float) -> float:
        """See `SetTiming`.

        Each attempt restarts patience; if it never runs out only the slow rate gets there, of an exclusive set
        once it has waited for the patience with all `teammates` together.
        """
        if gives_up_s >= by_teammate(self.patience_s, teammate):
            return self.beside_claim_s(teammate)
        waits = sum(by_teammate(self.patience_s, each) for each in teammates) if self.exclusive else 0.0
        return waits + self.threshold / by_teammate(self.slow_rate, teammate)


def remarks(team: Mapping[str, Mapping[str, Times]], beat_s: float, max_delay_s: float | None = None) -> Remarks:
    """All relations between rates and times of a team, by robot and set; each once, with the robots concerned.

    `max_delay_s`, where rates are learned: the longest time to the threshold.
    """
    found = Remarks()
    owners: dict[str, list[str]] = {}
    for robot, sets in team.items():
        teammates = [teammate for teammate in sorted(team) if teammate != robot]
        for name, own in sets.items():
            for words in _of_set(own, beat_s, teammates, team, max_delay_s):
                owners.setdefault(f"behavior set {name!r} {words}", []).append(robot)
    for words, robots in owners.items():
        found.warnings.append(words + ("" if len(robots) == len(team) else f" ({', '.join(robots)})"))
    _compare_rates(team, found)
    if max_delay_s is not None:
        _describe_learning(max_delay_s, found)
    return found


def _of_set(
    own: Times, beat_s: float, teammates: list[str], team: Collection[str], max_delay_s: float | None
) -> Iterator[str]:
    give_up, yields = own.gives_up_s, own.yields_s
    if give_up < beat_s:
        yield f"gives up after {give_up:g} s, within one beat ({beat_s:g} s): teammates may never hear of its work"
    if give_up < yields:
        yield f"gives up after {give_up:g} s, before it would ever yield ({yields:g} s)"
    takeover = min((own.beside_claim_s(teammate) for teammate in teammates), default=math.inf)
    if takeover < beat_s:
        yield (
            f"takes its task over {takeover:.3g} s after a teammate's claim, within one beat ({beat_s:g} s): "
            "the claim cannot be repeated in time to hold it back"
        )
    for key, given in (("slow_rate", own.slow_rate), ("patience_s", own.patience_s)):
        for name in sorted(given) if isinstance(given, Mapping) else ():
            if name not in ("default", *team):
                near = difflib.get_close_matches(name, team, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                yield f"has a {key} for {name!r}, whom the team does not have{hint}"
    if max_delay_s is not None and own.learns and yields * BELOW_FAST < max_delay_s:
        yield (
            f"may learn a delay longer than its task, if that takes about yield_time_s, {yields:g} s: "
            f"choose max_delay_s below {BELOW_FAST * yields:.3g}"
        )


def _compare_rates(team: Mapping[str, Mapping[str, Times]], found: Remarks) -> None:
    """fast > slow for every robot, behavior set and teammate (000, III-D.5), and by how much."""
    for robot, sets in team.items():
        teammates = [teammate for teammate in team if teammate != robot]
        slowest = {name: max((by_teammate(own.slow_rate, teammate) for teammate in teammates), default=0.0)
                   for name, own in sets.items()}  # fmt: skip
        found.ratios[robot] = {name: sets[name].fast_rate / slow for name, slow in slowest.items() if slow}
        for name, ratio in found.ratios[robot].items():
            if ratio <= 1.0:
                found.warnings.append(
                    f"{robot}'s {name!r} grows no slower while a teammate is on its task: slow_rate must be below "
                    f"fast_rate, {sets[name].fast_rate:g}"
                )
    ratios = ((ratio, robot, name) for robot, of in found.ratios.items() for name, ratio in of.items())
    least = min(ratios, default=None)
    if least is not None and least[0] > 1.0:
        found.notes.append(
            "fast_rate is above slow_rate for every robot, behavior set and teammate; the least of all is "
            f"{least[0]:.3g} times as high ({least[1]}'s {least[2]!r})"
        )


def _describe_learning(delay: float, found: Remarks) -> None:
    """Learned rates: fast = theta / delay, slow = theta / task time, so a delay must be below every task time."""
    least = delay / BELOW_FAST
    found.learning = {"max_delay_s": delay, "least_task_time_s": least}
    found.notes.append(
        "rates and times hold until something is learned; learned rates keep fast_rate above slow_rate for tasks "
        f"that take {least:.3g} s or more (max_delay_s / {BELOW_FAST:g}); of a quicker task the slow rate is "
        f"lowered, and a takeover may take {delay:g} s and a tenth of its time instead of its time"
    )
