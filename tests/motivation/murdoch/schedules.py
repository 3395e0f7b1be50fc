"""Random schedules of tasks, losses, deaths, reboots and failing parts, in virtual time.

`python -m tests.motivation.murdoch.schedules [--count 10000] [--seed 0] [--matrix]` searches for one after which a
task has no end, two robots work on one task, or a robot works without a contract; `--matrix` runs that of faults.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.motivation.murdoch import matrix
from tests.motivation.murdoch.team import Bot, Channel, Robot, Team

TASKS = {
    "sweep": {"resources": ("mobile", "camera")},
    "scan": {"resources": ("camera", "laser"), "length_s": 8.0},
    "both": {"children": ("sweep", "scan")},
}
RESOURCES = (("mobile", "camera"), ("camera", "laser"), ("mobile", "camera", "laser"), ("desk",))
HAPPENS = ("kill", "reboot", "battery-low", "battery-full", "no-camera", "camera")
CALM_S, QUIET_S = 30.0, 90.0  # all that happens lies before the one; so long after it everything has ended
LOOK_S = 10.0  # from one look whether it has to the next
OVER = ("done", "refused", "ended")


@dataclass(frozen=True)
class Schedule:
    """One run: robots by their resources, tasks as (time, robot, task), what happens as (time, robot, what)."""

    robots: tuple[int, ...]
    tasks: tuple[tuple[float, int, str], ...]
    happens: tuple[tuple[float, int, str], ...]
    loss: float
    late: float
    double: float
    reannounce_s: float
    takes_s: float
    seed: int


def schedules() -> st.SearchStrategy[Schedule]:
    """All of them; times in halves of a second, losses until all is calm."""
    time = st.integers(1, int(2 * CALM_S)).map(lambda halves: halves / 2)
    robot = st.integers(0, 3)
    return st.builds(
        Schedule,
        robots=st.lists(robot, min_size=2, max_size=4).map(tuple),
        tasks=st.lists(st.tuples(time, robot, st.sampled_from(sorted(TASKS))), min_size=1, max_size=4).map(tuple),
        happens=st.lists(st.tuples(time, robot, st.sampled_from(HAPPENS)), max_size=5).map(tuple),
        loss=st.sampled_from((0.0, 0.1, 0.3)), late=st.sampled_from((0.0, 0.5, 1.0)),
        double=st.sampled_from((0.0, 0.3)), reannounce_s=st.sampled_from((0.0, 4.0)),
        takes_s=st.sampled_from((1.0, 6.0, 15.0)), seed=st.integers(0, 2**16),
    )  # fmt: skip


def happen(team: Team, name: str, what: str, has: tuple[str, ...]) -> None:
    """One thing that befalls a robot, built with the resources `has`."""
    robot = team[name]
    alive = robot.coordinator is not None
    if what == "kill" and alive:
        robot.stop()
    elif what == "reboot" and not alive:
        team.reboot(name)
    elif what.startswith("battery"):
        robot.bot.battery_low = what == "battery-low"
    elif what.endswith("camera"):
        robot.bot.has = has if what == "camera" else tuple(one for one in has if one != "camera")


def run(schedule: Schedule) -> Team:
    """The team after a schedule."""
    bots = {f"r{k}": Bot(RESOURCES[one], takes_s=schedule.takes_s) for k, one in enumerate(schedule.robots)}
    channel = Channel(schedule.loss, schedule.late, schedule.double, schedule.seed)
    team = Team(bots, TASKS, beat_s=1.0, decision_s=0.5, channel=channel, reannounce_s=schedule.reannounce_s)
    names = list(bots)

    def add(name: str, task: str) -> None:
        if team[name].coordinator is not None:
            team.add(name, task)

    for at, who, what in schedule.happens:
        has = RESOURCES[schedule.robots[who % len(names)]]
        team.at(at, partial(happen, team, names[who % len(names)], what, has))
    for at, who, task in schedule.tasks:
        team.at(at, partial(add, names[who % len(names)], task))
    team.run(CALM_S)
    channel.loss = 0.0
    while team.now < CALM_S + QUIET_S:
        team.run(team.now + LOOK_S)
        if not any(_busy(robot) for robot in team.robots.values()):
            break
    return team


def _busy(robot: Robot) -> bool:
    """Whether something is still to come of it."""
    if robot.coordinator is None:
        return False
    return bool(robot.choice.run) or any(job.state not in OVER for job in robot.jobs.values())


def wrong(team: Team) -> Iterator[str]:
    """What must not be at the end of a schedule, in words."""
    for robot in team.robots.values():
        if robot.coordinator is None:
            continue
        for job in robot.jobs.values():
            waits = team.settings.reannounce_s > 0.0  # for an able robot, for as long as it takes
            if job.state not in OVER and not waits:
                yield f"{job.task.id} is {job.state}: {job.why}"
            if not job.why:
                yield f"{job.task.id} is {job.state} without a reason"
        if robot.choice.run and team.settings.reannounce_s == 0.0:
            yield f"{robot.name} works on {robot.choice.run[0].task.id} at the end"
    if team.overlap_s() > 0.0:
        yield f"two robots on one task for {team.overlap_s()} s"


def search(count: int, first: int = 0) -> None:
    """AssertionError with the smallest schedule found after which something is wrong; `first` seeds the search."""

    @seed(first)
    @settings(
        max_examples=count, deadline=None, database=None, print_blob=False,
        suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.shrink],
    )  # fmt: skip
    @given(schedules())
    def holds(schedule: Schedule) -> None:
        assert list(wrong(run(schedule))) == []

    holds()


def main(argv: Sequence[str] | None = None) -> int:
    """The exit status: 1 where something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.motivation.murdoch.schedules", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="random schedules (default: 10000)")
    parser.add_argument("--seed", type=int, default=0, help="of the search (default: 0)")
    parser.add_argument("--matrix", action="store_true", help="the whole matrix of faults in their place")
    options = parser.parse_args(argv)
    if options.matrix:
        found = [(case, faults) for case in matrix.whole() if (faults := matrix.faults_of(case))]
        sys.stdout.writelines(f"{case}: {'; '.join(faults)}\n" for case, faults in found)
        sys.stdout.write(f"{len(list(matrix.whole()))} cases, {len(found)} wrong\n")
        return 1 if found else 0
    search(options.count, options.seed)
    sys.stdout.write(f"{options.count} schedules, none wrong\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
