"""Warnings and notes on a configuration without faults, for `robotd check`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from boards import contract
from robotd.advice.body import listed, own_body, shortcomings, unwired
from robotd.advice.coverage import Body, Coverage, coverage, coverage_warnings
from robotd.advice.exposure import exposure, foxglove_exposure
from robotd.advice.silence import silence, timeout_s
from robotd.advice.slots import missed_slots
from robotd.advice.takeovers import Takeover, crossings, overlaps, takeover_warnings, takeovers
from robotd.config.airtime import airtime_notes
from robotd.config.load import Mission
from robotd.config.lookup import model_of
from robotd.config.robot import RobotFile
from robotd.files.plugins import Plugins
from robotd.guardian.guardian import MISSED_TICKS, SILENCE_S
from robotd.model.coordinator_plugin import plugin_of

UNDER_FACTS = (
    "no spills, areas, box or finish in [world]: robotd sim counts the mission as accomplished once a robot"
)


@dataclass
class Advice:
    """Warnings, notes, and tables, which are empty where they do not apply.

    `tasks`: `Coverage` by task. `takeovers`: `Takeover` by task and robot. `silence`: see `Silence`. `ratios` and
    `learning`: see `Remarks`. `stop`, of a robot with a real board: the time after which its guardian halts it at
    the latest (`guardian_s`), and what stops it when the whole computer dies (`computer_dies`). `shortcomings`:
    what the robot cannot do with its own board; `unwired` then: TOML lines for parts missing in its table.
    """

    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tasks: dict[str, Coverage] = field(default_factory=dict)
    takeovers: dict[str, dict[str, Takeover]] = field(default_factory=dict)
    silence: dict[str, float] = field(default_factory=dict)
    ratios: dict[str, dict[str, float]] = field(default_factory=dict)
    learning: dict[str, Any] = field(default_factory=dict)
    stop: dict[str, Any] = field(default_factory=dict)
    shortcomings: list[str] = field(default_factory=list)
    unwired: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        tasks = {task: of.as_json() for task, of in self.tasks.items()}
        takeovers = {task: {robot: times.as_json() for robot, times in robots.items()}
                     for task, robots in self.takeovers.items()}  # fmt: skip
        return {**vars(self), "tasks": tasks, "takeovers": takeovers}


def advise_mission(mission: Mission) -> Advice:
    """Advice on a mission file, for robots and for a simulation."""
    advice = advise_team(mission)
    _world(mission, advice)
    return advice


def advise_team(mission: Mission, bodies: Mapping[str, Body] | None = None) -> Advice:
    """Advice on a mission file for real robots, which need no world; `bodies`: those known."""
    content = mission.content
    coordinator = plugin_of(mission.plugins.get("robotd.coordinators", content.coordinator.name))
    settings = coordinator.Settings(**content.parameters)
    team = {
        robot: {
            name: (model_of(coordinator.SetSettings, content.terms_of_set(own)), content.tasks[own.task].recurring)
            for name, own in content.sets_of(robot).items()
        }
        for robot in sorted(content.team)
    }
    remarks = coordinator.remarks(settings, team, mission.table)
    advice = Advice(tasks=coverage(mission, bodies), ratios=remarks.ratios, learning=remarks.learning)
    timing = coordinator.timing(settings)
    if timing is not None:
        of_silence = silence(content, timing)
        advice.silence = of_silence.numbers
        (advice.warnings if of_silence.warns else advice.notes).append(of_silence.words)
    advice.warnings += [*coverage_warnings(advice.tasks, len(content.team)), *remarks.warnings]
    advice.notes += remarks.notes
    if content.radio.base_station and (missed := missed_slots(content)):
        advice.warnings.append(missed)
    timings = {robot: {name: found for name, (own, _) in sets.items()
                       if (found := coordinator.set_timing(settings, own)) is not None}
               for robot, sets in team.items()}  # fmt: skip
    if timing is not None and all(timings[robot].keys() == sets.keys() for robot, sets in team.items()):
        advice.takeovers = takeovers(advice.tasks, timings, timeout_s(timing, content.radio.beat_s))
        advice.warnings += takeover_warnings(advice.takeovers, content.time_limit_s)
        advice.notes += [*crossings(advice.takeovers, content.radio.beat_s), *overlaps(advice.takeovers)]
    return advice


def _world(mission: Mission, advice: Advice) -> None:
    """Advice on a world that the file does not have, or in which a simulation has no aims."""
    from boards.mock.settings import WorldSettings

    world = WorldSettings(**mission.content.world)
    spills = " and ".join(f"{spill.name} of {spill.objects} objects" for spill in world.spills)
    if not mission.content.world:
        advice.warnings.append(
            f"no [world]: robotd sim takes a room of {world.width_m:g} x {world.depth_m:g} m, spills {spills}; "
            "robots in the field need none"
        )
    elif mission.content.goal.world or world.spills or world.areas or world.box or world.finish.y_m is not None:
        return
    elif facts := mission.content.goal.facts:
        advice.notes.append(f"{UNDER_FACTS} knows the facts of [goal]: {', '.join(facts)}")
    elif any(task.completion and not task.recurring for task in mission.content.tasks.values()):
        advice.notes.append(f"{UNDER_FACTS} knows that every task is done")
    else:
        advice.warnings.append(
            "no spills, areas, box or finish in [world]: robotd sim has nothing to bring about, so that a mission "
            "counts as accomplished with nothing done; robots in the field need none"
        )


def advise_robot(robot: RobotFile, mission: Mission, plugins: Plugins) -> Advice:
    """Advice on a robot file and its mission."""
    body = own_body(robot, plugins)
    advice = advise_team(mission, {} if body is None else {robot.name: body})
    board = plugins.get("robotd.boards", robot.board.name)
    declared = contract.plugin_of(board)
    real = declared.needs_port
    if body is not None:
        parts = unwired(board.Settings, robot.board.parameters)
        _own_parts(advice, robot, body, parts, len(mission.content.team) - 1)
    _stop(advice, robot, declared.when_computer_dies, mission.content.control.tick_hz, real=real)
    for part in robot.add_ons:
        words = contract.plugin_of(plugins.get("robotd.boards", part.name)).when_computer_dies
        if words:
            advice.notes.append(f"when the whole computer dies, {part.name}: {words}")
    if real and robot.start == "at-boot":
        advice.warnings.append('start = "at-boot": it may move as soon as it has booted, unattended')
    if robot.radio.name == "none":
        advice.notes.append("no radio: it acts as if it were alone")
    limit_s = robot.base_station_timeout_s
    if limit_s and robot.radio.name == "none":
        advice.warnings.append(f"base_station_timeout_s without a radio: it stops {limit_s:g} s after each start")
    elif 0 < limit_s < 2 * mission.content.radio.beat_s:
        advice.warnings.append(f"base_station_timeout_s = {limit_s:g}: one lost beacon stops the robot")
    content = mission.content
    advice.notes += airtime_notes(robot, content.radio.beat_s, len(content.team), plugins)
    advice.warnings += [*exposure(robot.http), *foxglove_exposure(robot.foxglove)]
    return advice


def _own_parts(advice: Advice, robot: RobotFile, body: Body, parts: Mapping[str, str], teammates: int) -> None:
    """What the robot can do with its own board, and what may be missing in its table."""
    if teammates:
        advice.notes.append(
            f"{robot.name} is judged by its board {robot.board.name!r} as it is set up here, its teammates by the "
            "bodies that the mission simulates"
        )
    needs = {need for of in advice.tasks.values() for each in of.needs.values() for need in each}
    if unknown := sorted(body.unknown(needs)):
        advice.notes.append(
            f"whether {robot.name} has {listed(unknown, 'or')} is known only once its board answers: "
            "robotd board PORT shows it"
        )
    advice.shortcomings = shortcomings(advice.tasks, robot.name, robot.board.name)
    advice.warnings += advice.shortcomings
    advice.unwired = dict(parts) if advice.shortcomings else {}
    if advice.unwired:
        keys = ", ".join(f"{line} ({what})" for line, what in parts.items())
        advice.warnings.append(f"[board.parameters] has no entry for what may be wired: {keys}")


def _stop(advice: Advice, robot: RobotFile, last_stop: str, tick_hz: float, *, real: bool) -> None:
    """What stops the wheels when only the daemon dies, and when the whole computer does."""
    if last_stop:
        warns = real and last_stop.startswith("nothing")
        (advice.warnings if warns else advice.notes).append(f"when the whole computer dies: {last_stop}")
    elif real:
        advice.warnings.append(f"board {robot.board.name!r} does not declare what stops it when the computer dies")
    if real:
        within = max(SILENCE_S, MISSED_TICKS / tick_hz)
        advice.stop = {"guardian_s": round(within, 3), "computer_dies": last_stop}
        words = f"when only the daemon dies or hangs: its guardian's halt, after {within:.3g} s at the latest"
        advice.notes.append(words)
