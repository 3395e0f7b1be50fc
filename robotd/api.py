"""The Python interface (docs/python.md): `simulate` runs a mission's team, `live` shows one in a notebook."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from robotd.config.load import ConfigError, Mission
from robotd.sim.activity_trace import Outcome
from robotd.sim.parts import Parts
from robotd.sim.records import RunRecords, read_records
from robotd.sim.simulation import Files, Texts, files_of, keys_of, listed, simulate

if TYPE_CHECKING:
    from robotd.live.notebook import LivePage

__all__ = ["ConfigError", "Mission", "Outcome", "Parts", "RunRecords", "live", "read_records", "simulate"]


def live(
    mission: str | os.PathLike[str] = "cleanup",
    seed: int = 1,
    coordinator: str = "",
    *,
    events: Texts = (),
    plugins: Files = (),
    speed: float | None = 10.0,
    bind: str = "127.0.0.1:0",
    allow_hosts: Sequence[str] = (),
    height_px: int = 900,
    **changes: Any,
) -> LivePage:
    """Serve the live page of a simulated team until its `close`; a notebook shows it below the cell.

    `mission` (a name or a file) to `plugins`, and `changes`, are as those of `simulate`. `speed`: simulated s per
    real s, None: as fast as possible; the page changes it. `bind`: ADDRESS or ADDRESS:PORT, by default any free
    port. `allow_hosts`: further names by which browsers reach this computer. `height_px`: of a notebook's frame.

    ConfigError: a fault of the mission, its changes or events. ValueError: any other argument that cannot be used.
    OSError: it cannot listen there.
    """
    from robotd.live.notebook import LivePage  # with aiohttp, which a simulation does not need
    from robotd.live.runs import Run

    run = Run(
        os.fspath(mission), seed, coordinator, keys_of(changes), tuple(listed(events)), tuple(files_of(plugins)),
        speed,
    )  # fmt: skip
    return LivePage(run, bind, allow_hosts, height_px)
