"""Batches of abstract missions by their shapes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from robotd.experiments.abstract.missions import Wholes


def by_shape(robots: Wholes, tasks: Wholes) -> Iterator[tuple[Wholes, int, int]]:
    """The missions of equally many robots and tasks: their places in the batch, and the two numbers."""
    for shape in sorted(set(zip(robots.tolist(), tasks.tolist(), strict=True))):
        yield np.flatnonzero((robots == shape[0]) & (tasks == shape[1])), *shape
