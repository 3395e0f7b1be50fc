"""One mission file whose two tasks are divided by different protocols, exchanged by a word each."""

from pathlib import Path

import pytest

from robotd.api import simulate

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "exchange.toml"
ROUNDS = ("sweep-left", "sweep-middle", "sweep-right", "guard-door", "guard-gate", "guard-yard")
SHORT = {f"sets__{name}__parameters__round_s": 6.0 for name in ROUNDS}


@pytest.mark.parametrize("words", [("market", "alliance"), ("alliance", "market")])
def test_either_protocol_divides_either_task_and_a_removed_robot_is_replaced(words: tuple[str, str]) -> None:
    sweep, guard = (f"coordinator__parameters__graph__{name}__allocate" for name in ("sweep", "guard"))
    slow = {"control__tick_hz": 5.0, "control__ticks_per_decision": 1}
    changes = {**SHORT, **slow, sweep: words[0], guard: words[1]}
    outcome = simulate(EXAMPLE, 1, events=["14 remove amber"], **changes)
    assert outcome.accomplished
    done = {task: {robot for _, robot in occasions} for task, occasions in outcome.story.done.items()}
    assert set(done) >= set(ROUNDS)
    assert all("amber" not in done[name] for name in ("back", *ROUNDS[3:]))
