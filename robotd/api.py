"""For programs: run a mission's team in a simulated world."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from robotd.config.load import Mission, find_mission, load_mission
from robotd.model.plain import Json
from robotd.record.log import FileSink, NoSink, RunLog, about_run
from robotd.robot.robot import LEARNED
from robotd.sim.activity_trace import Outcome
from robotd.sim.airs import air
from robotd.sim.attach import attach
from robotd.sim.host import Cut, Host, Progress
from robotd.sim.observer import Observer, WatchedLog
from robotd.sim.parts import Parts
from robotd.sim.script import script_of
from robotd.sim.station import station_of
from robotd.sim.team import Team, build_world
from robotd.storage.store import MemoryStore
from robotd.timing.gc_control import rarely_collected
from robotd.timing.virtual_loop import run_virtual


def simulate(
    mission: str | Mission,
    seed: int = 1,
    coordinator: str | None = None,
    *,
    events: Sequence[str] = (),
    duration_s: float = float("inf"),
    speed: float | None = None,
    log: Path | None = None,
    parts: Parts | None = None,
    progress: Progress | None = None,
    learned: Mapping[str, Json] | None = None,
    watch: Observer | None = None,
    **changes: Any,
) -> Outcome:
    """Run `mission` (a name, a file, or loaded) to its end on virtual time.

    `changes` are laid over the mission file, with "__" for ".": `radio__loss=0.1`. `events` are written
    "AT VERB WHO [ARG]". `learned` are documents by robot as an earlier run's `Outcome.learned` has them: what
    those robots know at the start. `speed` None runs as fast as it goes. `watch` sees every tick and changes
    nothing. ConfigError tells what is wrong with any of it, ValueError that the world holds not all its objects.
    """
    if isinstance(mission, str):
        laid = {key.replace("__", "."): value for key, value in changes.items()}
        if coordinator is not None:
            laid["coordinator.name"] = coordinator
        mission = load_mission(find_mission(mission), laid)
    script = script_of(mission, events)
    parts = parts or Parts()
    world, airs, said = build_world(mission, seed), air(mission, seed, parts.airs), about(mission, seed)
    stores = {name: MemoryStore() for name in sorted(mission.content.team)}
    for name, document in (learned or {}).items():
        stores[name].save(LEARNED, document)
    sink = FileSink(log) if log is not None else NoSink()  # last: what cannot run leaves an earlier log as it is
    run_log = RunLog(sink, said) if watch is None else WatchedLog(sink, said, watch)
    station = station_of(mission, world, airs, parts)
    team = Team(mission, seed, world, airs, run_log, attach(parts), stores, station=station)
    host = Host(team, script, Cut(mission.content.time_limit_s, duration_s), _looking(progress, watch, team))
    try:
        with rarely_collected():
            outcome = run_virtual(host.run(), speed)
    finally:
        if isinstance(sink, FileSink):
            sink.close()
    return _with_what_was_learned(dataclasses.replace(outcome, log=str(log) if log is not None else ""), stores)


def _with_what_was_learned(outcome: Outcome, stores: Mapping[str, MemoryStore]) -> Outcome:
    known = {name: document for name, store in stores.items() if (document := store.load(LEARNED)) is not None}
    aside = {name: list(store.aside) for name, store in stores.items() if store.aside}
    extra = {**outcome.extra, "set_aside": aside} if aside else outcome.extra
    return dataclasses.replace(outcome, learned=known, extra=extra)


def _looking(progress: Progress | None, watch: Observer | None, team: Team) -> Progress | None:
    """What the judge tells at each look."""
    if watch is None:
        return progress

    def look(now: float, delivered: int, total: int) -> None:
        watch.look(now, team)
        if progress is not None:
            progress(now, delivered, total)

    return look


def about(mission: Mission, seed: int) -> Mapping[str, Any]:
    """What the parts of a simulation's log say of the run: the same whatever the order of names in the file."""
    data = mission.as_data()
    for table in ("team", "tasks", "facts", "types", "robots"):
        data[table] = dict(sorted(data[table].items()))
    robots = {name: {"start": "command", "leash_s": 0.0} for name in sorted(mission.content.team)}
    return about_run(data, mission.table.digest, seed, robots)
