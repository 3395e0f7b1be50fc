"""A run of a mission's team in a simulated world, as a function."""

import asyncio
import contextlib
import dataclasses
import math
import os
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from boards.mock.world import World
from robotd.config.load import ConfigError, Mission, Problem, Source, find_mission, load_mission, mission_of
from robotd.files.nearest import unknown
from robotd.model.plain import Json
from robotd.record.log import FileSink, RunLog, about_run
from robotd.robot.persistence import LEARNED
from robotd.sim.activity_trace import Cut, Outcome
from robotd.sim.airs import air
from robotd.sim.director import script_of
from robotd.sim.host import Host, Progress
from robotd.sim.parts import Parts, attach, parts_of
from robotd.sim.records import Observer, WatchedLog
from robotd.sim.station import station_of
from robotd.sim.team import Team, build_world
from robotd.storage.store import MemoryStore
from robotd.timing.gc_control import rarely_collected
from robotd.timing.virtual_loop import run_virtual

Texts = str | Sequence[str]
"""One text, or several."""
Files = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""One file, or several."""


def simulate(
    mission: str | os.PathLike[str] | Mission,
    seed: int = 1,
    coordinator: str | None = None,
    *,
    events: Texts = (),
    board: Texts = (),
    radio: Texts = (),
    plugins: Files = (),
    duration_s: float = math.inf,
    speed: float | None = None,
    log: str | os.PathLike[str] | None = None,
    parts: Parts | None = None,
    progress: Progress | None = None,
    learned: Mapping[str, Json] | None = None,
    watch: Observer | None = None,
    **changes: Any,
) -> Outcome:
    """Run `mission` (a name, a file, or loaded) to its end on virtual time, and return how it ended.

    It may be called beside a running event loop (in a notebook); it returns when the run is over.

    `coordinator`: another coordinator's name. `changes`: keys of the mission file that replace its own, with "__"
    for a dot: `radio__loss=0.1`; a key with a hyphen as `**{"sets.move-spill-left.task": ...}`. Both apply to a
    loaded mission too. `events`: "AT VERB WHO [ARG]" each. `board`, `radio`: "[ROBOT=]NAME" each, as the options
    of `robotd sim`; or `parts`, made by `robotd.sim.parts.parts_of`. `plugins`: Python files, relative to the
    working folder, added to those of the mission. `duration_s`: cut the run there, simulated s. `speed`: simulated
    seconds per real second; None is as fast as possible. `log`: where to write the run log.
    `progress(now_s, delivered, total)` is called every 0.5 s of simulated time. `learned`: documents by robot as
    `Outcome.learned` has them. `watch` receives every tick and changes nothing, such as a `RunRecords`.

    ConfigError: a fault of the mission, its changes or events, with all of them. ValueError: any other argument
    that cannot be used, or a world that has no room for its objects. OSError: the log cannot be written.
    """
    _check_numbers(seed, duration_s, speed)
    mission = _loaded(mission, coordinator, changes, files_of(plugins))
    script = script_of(mission, listed(events))
    parts = _parts(mission, parts, listed(board), listed(radio))
    for name in learned or {}:
        if name not in mission.content.team:
            raise ValueError(f"learned: {unknown('robot', name, mission.content.team)}")
    world, header = build_world(mission, seed), about(mission, seed)
    path = None if log is None else Path(log)
    with contextlib.ExitStack() as stack:  # opened last: bad arguments leave an earlier log as it is
        sink = stack.enter_context(contextlib.closing(FileSink(path))) if path is not None else None
        run_log = RunLog(sink, header) if watch is None else WatchedLog(sink, header, watch)
        team = team_of(mission, seed, world, parts, run_log)
        for name, document in (learned or {}).items():
            team.stores[name].save(LEARNED, document)
        host = Host(team, script, Cut(mission.content.time_limit_s, duration_s), _observed(progress, watch, team))
        stack.enter_context(rarely_collected())
        outcome = _run(host.run(), speed)
    return _with_stores(dataclasses.replace(outcome, log="" if path is None else str(path)), team.stores)


def team_of(mission: Mission, seed: int, world: World, parts: Parts, run_log: RunLog) -> Team:
    """The team of a simulation in its world; none of its computers is switched on."""
    airs = air(mission, seed, parts.airs, world)
    stores = {name: MemoryStore() for name in sorted(mission.content.team)}
    station = station_of(mission, world, airs, parts)
    return Team(mission, seed, world, airs, run_log, attach(parts), stores, station=station)


def about(mission: Mission, seed: int) -> Mapping[str, Any]:
    """The header of each part of a simulation's log: the same whatever the order of names in the mission file."""
    data = mission.as_data()
    for table in ("team", "tasks", "facts", "types", "robots"):
        data[table] = dict(sorted(data[table].items()))
    robots = {name: {"start": "command", "leash_s": 0.0} for name in sorted(mission.content.team)}
    return about_run(data, mission.table.digest, seed, robots)


def _check_numbers(seed: int, duration_s: float, speed: float | None) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ValueError(f"seed {seed!r}: expected a whole number, at least 0")
    if not duration_s > 0:
        raise ValueError(f"duration_s {duration_s!r}: expected a positive number of seconds")
    if speed is not None and not speed > 0:
        raise ValueError(f"speed {speed!r}: expected a positive factor, or None for as fast as possible")


def listed(value: Files) -> list[str]:
    """One text or file, or several, as a list of texts."""
    return [os.fspath(one) for one in ([value] if isinstance(value, str | os.PathLike) else value)]


def files_of(value: Files) -> list[str]:
    """The same of files, which stay the same wherever they are read."""
    return [str(Path(file).resolve()) for file in listed(value)]


def keys_of(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Keys of a mission file by the names that Python permits: "__" for a dot."""
    return {key.replace("__", "."): value for key, value in changes.items()}


def _loaded(
    mission: str | os.PathLike[str] | Mission,
    coordinator: str | None,
    changes: Mapping[str, Any],
    plugins: Sequence[str],
) -> Mission:
    """The mission with all changes; of a loaded one its content, not its file, is what they are applied to."""
    replaced = keys_of(changes)
    if coordinator is not None:
        if "coordinator.name" in replaced:
            raise ConfigError([Problem("coordinator", 0, "", "given twice, as coordinator__name too")])
        replaced["coordinator.name"] = coordinator
    if not isinstance(mission, Mission):
        return load_mission(find_mission(os.fspath(mission)), replaced, plugins=plugins)
    if not replaced and not plugins:
        return mission
    source = Source(mission.source, "", mission.content.model_dump(exclude_unset=True))
    for key, value in replaced.items():
        source.override(tuple(key.split(".")), value, f"{key}={value!r}")
    if plugins:
        source.override(("plugins",), [*mission.content.plugins, *plugins], f"plugins={plugins!r}")
    return mission_of(source, Path(mission.source).parent)


def _parts(mission: Mission, parts: Parts | None, boards: Sequence[str], radios: Sequence[str]) -> Parts:
    if parts is not None and (boards or radios):
        raise ValueError("parts: expected either parts, or board and radio")
    return parts or (parts_of(mission, boards, radios, all_bytes=False) if boards or radios else Parts())


def _run(main: Coroutine[Any, Any, Outcome], speed: float | None) -> Outcome:
    """Run on virtual time; in a thread of its own where this one runs an event loop already."""
    if not _is_loop_running():
        return run_virtual(main, speed)
    inner: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]] = []

    async def note_task() -> Outcome:
        inner.append((asyncio.get_running_loop(), asyncio.current_task()))
        return await main

    with ThreadPoolExecutor(1, "simulation") as pool:
        try:
            return pool.submit(run_virtual, note_task(), speed).result()
        except BaseException:  # an interrupt of the waiting thread ends the run too
            for loop, task in inner:
                if task is not None:
                    with contextlib.suppress(RuntimeError):  # the loop is closed: the run itself has raised
                        loop.call_soon_threadsafe(task.cancel)
            raise


def _is_loop_running() -> bool:
    with contextlib.suppress(RuntimeError):
        return asyncio.get_running_loop().is_running()
    return False


def _with_stores(outcome: Outcome, stores: Mapping[str, MemoryStore]) -> Outcome:
    """With what the robots have learned and set aside."""
    known = {name: document for name, store in stores.items() if (document := store.load(LEARNED)) is not None}
    aside = {name: list(store.aside) for name, store in stores.items() if store.aside}
    extra = {**outcome.extra, "set_aside": aside} if aside else outcome.extra
    return dataclasses.replace(outcome, learned=known, extra=extra)


def _observed(progress: Progress | None, watch: Observer | None, team: Team) -> Progress | None:
    """The judge's callback: the observer's look, then the caller's progress."""
    if watch is None:
        return progress

    def look(now: float, delivered: int, total: int) -> None:
        watch.look(now, team)
        if progress is not None:
            progress(now, delivered, total)

    return look
