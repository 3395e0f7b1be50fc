import json
import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robotd.motivate.scenario import parse, run

from .oracle import Oracle

TASKS = ("a", "b")
MATES = ("blue", "gold", "red")
# Offsets of an instant from the grid: equal to within the tolerance, and clearly not.
OFFSETS = (0.0, 0.0, 0.0, 4e-10, -4e-10, 3e-9, -3e-9)


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    return json.dumps(value) if isinstance(value, str | bool) else repr(value)


def text_of(scenario: dict[str, Any]) -> bytes:
    return "\n".join(f"{key} = {toml(value)}" for key, value in scenario.items()).encode()


def per_teammate(values: st.SearchStrategy[float]) -> st.SearchStrategy[Any]:
    tables = st.dictionaries(st.sampled_from((*MATES, "default")), values, min_size=1, max_size=3)
    return values | st.tuples(values, tables).map(lambda pair: {"default": pair[0], **pair[1]})


def ticks(*counts: float) -> st.SearchStrategy[float]:
    return st.sampled_from(counts)


# All times are drawn in ticks, few values each, and rates as ticks to the threshold: almost everything collides.
SETS = st.fixed_dictionaries(
    {
        "task": st.sampled_from(TASKS),
        "fast_rate": ticks(1, 1, 2, 3),
        "slow_rate": per_teammate(ticks(4, 7, 20)),
        "patience_s": per_teammate(ticks(2, 6, 12, math.inf)),
        "yield_time_s": ticks(1, 3, 8, math.inf),
        "give_up_time_s": ticks(6, 15, 30, math.inf, math.inf),
        "applicable": st.sampled_from((True, True, True, False)),
        "preempts": st.sampled_from((False, False, True)),
    }
)
EVENTS = st.tuples(
    st.integers(-2, 40) | st.integers(-2, 95),  # half ticks
    st.sampled_from(OFFSETS),
    st.sampled_from(("heard", "heard", "heard", "heard", "done", "off", "on", "on")),
    st.sampled_from((*TASKS, *TASKS, "unheard of")),
    st.sampled_from(MATES),
    st.sampled_from((None, None, 0, 0.5, 1, 2, 3, 4, 5, 6, 10, 11, 20)),
)
RAW = st.fixed_dictionaries(
    {
        "tick_s": st.sampled_from((0.1, 0.2, 0.3, 0.5, 1.0)),
        "threshold": st.sampled_from((1.0, 3.0, 10.0)),
        "silence_timeout_s": ticks(3, 10, 25),
        "beat_s": ticks(5, 10),  # a fifth of it lies on the grid
        "ranks": st.dictionaries(st.sampled_from(MATES), st.sampled_from((1, 1, 2, 3)), max_size=3),
        "set": st.lists(SETS, min_size=1, max_size=4),
        "event": st.lists(EVENTS, min_size=4, max_size=24),
    }
)


def scaled(raw: dict[str, Any]) -> dict[str, Any]:
    """A scenario in seconds and motivation per second."""
    tick, threshold = raw["tick_s"], raw["threshold"]

    def each(value: Any, change: Callable[[float], float]) -> Any:
        return {k: change(v) for k, v in value.items()} if isinstance(value, dict) else change(value)

    sets = []
    for i, spec in enumerate(raw["set"]):
        changed = {key: each(spec[key], lambda v: threshold / (v * tick)) for key in ("fast_rate", "slow_rate")}
        times = {key: each(spec[key], lambda v: v * tick) for key in spec if key.endswith("_s")}
        sets.append({**spec, **changed, **times, "name": f"s{i}"})
    events = []
    for half, offset, kind, task, teammate, elapsed in raw["event"]:
        event: dict[str, Any] = {"at_s": half * tick / 2 + offset}
        if kind == "heard":
            event["heard"] = {"from": teammate, "task": task}
            if elapsed is not None:
                event["heard"]["elapsed_s"] = elapsed * tick
        elif kind == "done":
            event["done"] = {"task": task, "by": teammate}
        else:
            event["applicable"] = {f"s{half % len(sets)}": kind == "on"}
        events.append(event)
    return {
        **raw,
        "duration_s": 45 * tick,
        "silence_timeout_s": raw["silence_timeout_s"] * tick,
        "beat_s": raw["beat_s"] * tick,
        "rank": 2,
        "set": sets,
        "event": events,
    }


RULES = {
    "gives up", "yields", "yields by rank", "reset", "older claim", "crossing claim", "interrupts", "resumes",
    "taken", "tie",
}  # fmt: skip


def compare(scenario: dict[str, Any], *, literal_paper_rule: bool) -> Oracle:
    oracle = Oracle(scenario, literal_paper_rule=literal_paper_rule)
    expected = list(oracle.rows())
    found = list(run(parse(text_of(scenario)), literal_paper_rule=literal_paper_rule))
    assert [(row.time_s, row.active) for row in found] == [(time_s, active) for time_s, _, active in expected]
    levels = np.array([row.levels for row in found])
    np.testing.assert_allclose(levels, [list(levels.values()) for _, levels, _ in expected], rtol=0, atol=1e-9)
    return oracle


def search(count: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


def test_the_arrays_and_the_diary_agree_on_every_level_and_choice() -> None:
    reached: Counter[str] = Counter()

    @search(300)
    @given(RAW.map(scaled))
    def agree(scenario: dict[str, Any]) -> None:
        reached.update(compare(scenario, literal_paper_rule=False).reached)

    agree()
    assert set(reached) == RULES


@search(50)
@given(RAW.map(scaled))
def test_they_agree_literal_paper_rule_too(scenario: dict[str, Any]) -> None:
    compare(scenario, literal_paper_rule=True)
