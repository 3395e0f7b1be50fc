"""What a person should know of a configuration that holds together: `robotd check` says it in words."""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from robotd.config.load import Mission
from robotd.config.mission import SetFile
from robotd.config.robot import HttpPart, RobotFile
from robotd.plugins import Plugins

FALSE_DEATH = 1e-3  # the chance per window at which a silence time-out is said to stand a loss


@dataclass
class Advice:
    """`warnings` want a look, `notes` are good to know; the tables are for `--json`."""

    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tasks: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    silence: dict[str, float] = field(default_factory=dict)


def advise_mission(mission: Mission) -> Advice:
    """What follows from a mission file, for robots and for a simulation."""
    advice = advise_team(mission)
    _world(mission, advice)
    return advice


def advise_team(mission: Mission) -> Advice:
    """What follows from a mission file for robots in the field, which need no world."""
    advice = Advice()
    coordinator = mission.plugins.get("robotd.coordinators", mission.content.coordinator.name)
    settings = coordinator.Settings(**mission.content.coordinator.parameters)
    _silence(mission, settings, advice)
    _who_can(mission, advice)
    _motivations(mission, coordinator, settings, advice)
    return advice


def _world(mission: Mission, advice: Advice) -> None:
    """What a simulation finds in place of a world that the file leaves out, or has to clean up nowhere."""
    from boards.mock.settings import WorldSettings

    world = WorldSettings(**mission.content.world)
    spills = " and ".join(f"{spill.name} of {spill.objects} objects" for spill in world.spills)
    if not mission.content.world:
        advice.warnings.append(
            f"no [world]: robotd sim takes a room of {world.width_m:g} x {world.depth_m:g} m, spills {spills}; "
            "robots in the field need none"
        )
    elif not world.spills and world.box is None:
        advice.warnings.append(
            "neither spills nor a box in [world]: robotd sim has nothing to move, so that a mission counts as "
            "accomplished with nothing delivered; robots in the field need none"
        )


def _silence(mission: Mission, settings: Any, advice: Advice) -> None:
    """What independent loss the silence time-out stands: n frames in a row lost have probability p to the n."""
    beats = getattr(settings, "silence_timeout_beats", None)
    if beats is None:
        return
    if math.isinf(beats):
        advice.warnings.append("a silent teammate never counts as gone (silence_timeout_beats = inf)")
        return
    radio = mission.content.radio
    frames = math.floor(beats + 0.5)
    stands = FALSE_DEATH ** (1.0 / frames)
    false_death = radio.loss**frames
    advice.silence = {
        "beats": beats,
        "seconds": (beats + 0.5) * radio.beat_s,
        "frames": frames,
        "stands_loss": stands,
        "configured_loss": radio.loss,
        "false_deaths_per_window": false_death,
    }
    words = (
        f"a teammate counts as gone after {beats + 0.5:g} beats ({(beats + 0.5) * radio.beat_s:g} s) of silence, "
        f"{frames} frames in a row: that stands {stands:.0%} of frames lost independently (then one window in "
        f"{1 / FALSE_DEATH:.0f} makes a live teammate seem gone)"
    )
    if false_death > FALSE_DEATH:
        words += (
            f"; at the simulated loss of {radio.loss:.0%} it is one window in {1 / false_death:.0f}: "
            "raise silence_timeout_beats"
        )
        advice.warnings.append(words)
    else:
        advice.notes.append(words)


def _who_can(mission: Mission, advice: Advice) -> None:
    """Task coverage: which robots have a behavior set for a task, and a body with what the set needs."""
    content = mission.content
    for task in content.tasks:
        able, needs, unable = [], set(), []
        for robot in sorted(content.team):
            sets = {name: own for name, own in content.sets_of(robot).items() if own.task == task}
            lacks = lacking(content.body_of(robot))
            fit = [name for name, own in sets.items() if not lacks & set(needs_of(mission.plugins, name, own))]
            needs |= {need for name, own in sets.items() for need in needs_of(mission.plugins, name, own)}
            if fit:
                able.append(robot)
            elif sets:
                unable.append(robot)
        advice.tasks[task] = {"robots": able, "needs": sorted(needs), "lacking": unable}
        if not able:
            why = f": {', '.join(unable)} lack what it needs ({', '.join(sorted(needs))})" if unable else ""
            advice.warnings.append(f"no robot of the team can do {task!r}{why}")
        elif len(able) == 1 and len(content.team) > 1:
            advice.warnings.append(f"only {able[0]} can do {task!r}: if it fails, the task stays undone")
        else:
            advice.notes.append(f"{task!r} can be done by {', '.join(able)}")


def needs_of(plugins: Plugins, name: str, own: SetFile) -> tuple[str, ...]:
    """The resources that a behavior set names as needed; () where it names none."""
    return tuple(getattr(plugins.get("robotd.behaviors", own.behavior or name), "needs", ()))


def lacking(body: Mapping[str, Any]) -> set[str]:
    """The resources that a simulated body does not have."""
    if not body.get("lacks"):
        return set()
    from boards.mock.anatomy import parts_of
    from boards.mock.r2 import RESOURCES

    gone = {part for name in body["lacks"] for part in parts_of(name)}
    return {resource for resource, parts in RESOURCES.items() if gone & set(parts)}


def _motivations(mission: Mission, coordinator: Any, settings: Any, advice: Advice) -> None:
    """Relations between a set's rates and times, each told once with the robots whose set it is."""
    whose: dict[str, list[str]] = {}
    content = mission.content
    for robot in sorted(content.team):
        for name, own in content.sets_of(robot).items():
            found = coordinator.SetSettings(**own.motivation)
            for words in _relations(found, getattr(settings, "threshold", None), content.radio.beat_s):
                whose.setdefault(f"behavior set {name!r} {words}", []).append(robot)
    for words, robots in whose.items():
        who = "" if len(robots) == len(content.team) else f" ({', '.join(robots)})"
        advice.warnings.append(words + who)


def _relations(own: Any, threshold: float | None, beat_s: float) -> Iterator[str]:
    give_up, yields = getattr(own, "give_up_time_s", math.inf), getattr(own, "yield_time_s", math.inf)
    if give_up < beat_s:
        yield f"gives up after {give_up:g} s, within one beat ({beat_s:g} s): teammates may never hear of its work"
    if give_up < yields:
        yield f"gives up after {give_up:g} s, before it would ever yield ({yields:g} s)"
    slow, patience = getattr(own, "slow_rate", None), getattr(own, "patience_s", None)
    if slow is None or patience is None or threshold is None:
        return
    takeover = fastest_takeover_s(threshold, own.fast_rate, slow, patience)
    if takeover < beat_s:
        yield (
            f"takes its task over {takeover:.3g} s after a teammate's claim, within one beat ({beat_s:g} s): "
            "the claim cannot be repeated in time to hold it back"
        )


def fastest_takeover_s(threshold: float, fast: float, slow: Any, patience: Any) -> float:
    """After a teammate's claim reset it, the soonest that a set can reach the threshold beside that claim, s.

    The motivation grows at the slow rate while patience lasts, then at the fast one (000, equation 1).
    """
    slows, lasts = ({"default": x} if not isinstance(x, dict) else x for x in (slow, patience))
    times = []
    for name in sorted({*slows, *lasts}):
        rate, patient_s = (float(table.get(name, table["default"])) for table in (slows, lasts))
        grown = rate * patient_s
        times.append(threshold / rate if grown >= threshold else patient_s + (threshold - grown) / fast)
    return min(times)


def advise_robot(robot: RobotFile, mission: Mission, plugins: Plugins) -> Advice:
    """What follows from a robot file and its mission."""
    advice = advise_team(mission)
    board = plugins.get("robotd.boards", robot.board.name)
    real = bool(getattr(board, "needs_port", False))
    last_stop = getattr(board, "when_computer_dies", "")
    if last_stop:
        advice.notes.append(f"when the whole computer dies: {last_stop}")
    elif real:
        advice.warnings.append(f"board {robot.board.name!r} does not say what stops it when the computer dies")
    if real and robot.start == "at-boot":
        advice.warnings.append('start = "at-boot": it may move as soon as it has booted, with nobody near')
    if robot.radio.name == "none":
        advice.notes.append("no radio: it acts as if it were alone")
        if robot.leash_s:
            advice.warnings.append(f"leash_s without a radio: it stops {robot.leash_s:g} s after each start")
    elif 0 < robot.leash_s < 2 * mission.content.radio.beat_s:
        advice.warnings.append(f"leash_s = {robot.leash_s:g}: one lost beacon of the base station stops the robot")
    advice.warnings += exposure(robot.http)
    return advice


def exposure(http: HttpPart) -> list[str]:
    """What to say of a status endpoint that others than this computer can reach."""
    if not http.enabled or is_loopback(http.host):
        return []
    return [f"HTTP listens on {http.host}: whoever reaches that address can read this robot's status (read-only)"]


def is_loopback(host: str) -> bool:
    """True where only this computer can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
