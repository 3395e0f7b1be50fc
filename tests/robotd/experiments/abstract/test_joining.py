"""Missions of different shapes that go on as one batch."""

import numpy as np
import pytest

from robotd.experiments import termination
from robotd.experiments.abstract.joining import join
from robotd.experiments.abstract.missions import Missions
from robotd.experiments.abstract.running import Running
from robotd.experiments.termination import draw_keys, draw_missions, outcomes, rows_of


@pytest.fixture
def batches() -> list[Missions]:
    """Four missions of each of three shapes, drawn with losses and failures."""
    key, _, _ = draw_keys(range(12))
    shapes = (2, 6), (3, 2), (5, 3)
    return [draw_missions(key[4 * k : 4 * k + 4], *shape) for k, shape in enumerate(shapes)]


def test_joined_at_any_tick_or_never_missions_end_the_same(
    batches: list[Missions], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = []
    for few, ticks in ((0, 5000), (100, 50), (3, 50)):  # never, at the start, as they end
        monkeypatch.setattr(termination, "FEW", few)
        monkeypatch.setattr(termination, "ALONE_TICKS", ticks)
        found = outcomes(batches)
        rows.append([row for missions, own in zip(batches, found, strict=True) for row in rows_of(missions, own)])
        assert [own.left.shape for own in found] == [(4, 6), (4, 2), (4, 3)]
    assert rows[0] == rows[1] == rows[2]
    assert {row["robots_failing"] for row in rows[0]} > {0}
    assert {row["loss"] for row in rows[0]} > {0.1, 1.0}


def test_robots_and_tasks_that_are_not_there_do_nothing(batches: list[Missions]) -> None:
    parts = [Running(missions) for missions in batches]
    whole = join(parts)
    assert whole.missions.shape == (12, 5, 6)
    for _ in whole.ticks(60.0):
        pass
    assert whole.state.active[4:8, :3, :2].any()
    assert not whole.state.active[4:8, 3:].any()
    assert not whole.state.active[4:8, :, 2:].any()
    assert np.isneginf(whole.state.last_received[4:8, :, :, 2:]).all()


def test_batches_at_different_ticks_do_not_go_on_as_one(batches: list[Missions]) -> None:
    one, other = Running(batches[0]), Running(batches[1])
    one.tick()
    with pytest.raises(ValueError, match="different ticks"):
        join([one, other])
