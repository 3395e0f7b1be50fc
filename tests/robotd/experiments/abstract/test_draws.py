"""Draws for whole batches."""

import numpy as np

from robotd.experiments.abstract.draws import Purpose, keys, uniform


def test_a_draw_is_the_same_in_every_batch() -> None:
    together = uniform(keys(range(1, 9), "a")[:, None], Purpose.LOSS, np.arange(5))
    alone = uniform(keys([6], "a"), Purpose.LOSS, 3)
    assert alone.tolist() == [together[5, 3]]


def test_another_seed_name_purpose_or_index_is_another_draw() -> None:
    one = uniform(keys([1], "a"), Purpose.LOSS, 3, 4)
    others = [
        uniform(keys([2], "a"), Purpose.LOSS, 3, 4), uniform(keys([1], "b"), Purpose.LOSS, 3, 4),
        uniform(keys([1], "a"), Purpose.ABLE, 3, 4), uniform(keys([1], "a"), Purpose.LOSS, 4, 3),
        uniform(keys([1], "a"), Purpose.LOSS, 3, 5),
    ]  # fmt: skip
    assert len({float(draw[0]) for draw in (one, *others)}) == 6


def test_draws_are_spread_evenly_and_neighbours_are_independent() -> None:
    found = uniform(keys(range(100), "a")[:, None], Purpose.LOSS, np.arange(1000))
    assert 0 <= found.min() < 0.001 < 0.999 < found.max() < 1
    assert np.abs(np.histogram(found, 10)[0] - 10_000).max() < 500  # five deviations
    for there in (found[:, 1:] * found[:, :-1], found[1:] * found[:-1]):
        assert abs(there.mean() - 0.25) < 0.005
