"""How a simulated mission ended, in words: what was brought about, what is lacking and why, the last task done."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from boards.mock.world import AIMS, USUAL, World
from robotd.config.load import Mission
from robotd.sim.activity_trace import ActivityTrace, Interval

WORDS = {
    "delivered": "objects are at the goal", "clean": "areas are clean", "box": "cm of the box's way are done",
    "finish": "robots are past the finish", "touched": "pucks were touched", "held": "pucks are held",
}  # fmt: skip
BECAME = {
    "remove": "taken out of the room", "kill": "its process killed", "stop-process": "its process stopped",
    "seize": "held in place", "motors-dead": "its motors broken", "reboot": "its computer rebooted",
}  # fmt: skip
MENDED = {"return": "remove", "release": "seize", "restore": "motors-dead", "reboot": "kill"}
OVER = ("done", "ended")
MOST = 6  # names of one kind
Happened = Sequence[Mapping[str, Any]]


def ending_of(
    mission: Mission, world: World, story: ActivityTrace, happened: Happened = (), known: Collection[str] = (), *,
    accomplished: bool = False,
) -> str:  # fmt: skip
    """One sentence, from the state of the world and from what the robots have done.

    `happened`: the events of the script, each with `at_s`, `verb` and `robot`; `known`: facts that robots know.
    """
    became = _became(happened)
    undone = [] if accomplished else list(_undone(mission, story, became, known))
    parts = [*_counts(mission, world), *undone[:MOST]]
    parts += [f"{len(undone) - MOST} more tasks are not done"] if len(undone) > MOST else []
    if world.clusters is not None and "held" in (mission.content.goal.world or ()):
        parts += _held(mission, story)
    parts += [] if accomplished else _jobs(mission, story, became)
    occasions = [(at, task, by) for task, done in story.done.items() for at, by in done]
    if not occasions:
        return "; ".join(parts) or "no task was done"
    at, task, by = max(occasions)
    if story.introduced:
        parts.append(f"{len(story.introduced)} tasks that were introduced at run time are done")
    parts.append(f"the last task done was {story.named(task, mission.table)}, by {by} at {at:.0f} s")
    return "; ".join(parts)


def _became(happened: Happened) -> dict[str, str]:
    """By robot what was done to it last that keeps it from working, and when."""
    found: dict[str, dict[str, str]] = {}
    for event in happened:
        robot, verb = found.setdefault(str(event["robot"]), {}), str(event["verb"])
        robot.pop(MENDED.get(verb, ""), None)
        if verb in BECAME:
            robot[verb] = f"{BECAME[verb]} at {event['at_s']:.0f} s"
    return {name: list(done.values())[-1] for name, done in found.items() if done}


def counted_of(mission: Mission, world: World) -> list[str]:
    """How much of each thing that the mission asks of its world is brought about, in words."""
    return [words for _, words in _counted(mission, world)]


def _counted(mission: Mission, world: World) -> list[tuple[str, str]]:
    """The same, each with its aim."""
    wanted = mission.content.goal.world
    counts = [(aim, *AIMS[aim](world)) for aim in (USUAL if wanted is None else wanted)]
    return [(aim, f"{done} of {total} {WORDS[aim]}") for aim, done, total in counts if total]


def _counts(mission: Mission, world: World) -> Iterator[str]:
    """The same, with the areas that are left by name."""
    left = [name for name, area in world.areas.by_name.items() if area.left] if world.areas is not None else []
    names = f" (not {', '.join(left[:MOST])}{', ...' if len(left) > MOST else ''})" if left else ""
    for aim, words in _counted(mission, world):
        yield f"{words}{names if aim == 'clean' else ''}"


def _undone(
    mission: Mission, story: ActivityTrace, became: Mapping[str, str], known: Collection[str]
) -> Iterator[str]:
    """The mission's own tasks to be done once that were not: the robot that had each, and what became of it."""
    wanted = mission.content.goal_facts()
    for entry in mission.table.tasks:
        task = entry.task.id
        asked = entry.completion in wanted if wanted else bool(entry.completion) and not entry.recurring
        if asked and task not in story.done and entry.completion not in known:
            yield f"{task} is not done ({_who(task, story, became)})"


def _who(task: str, story: ActivityTrace, became: Mapping[str, str]) -> str:
    now = sorted(story.holding.get(task, ()))
    if now:
        return "with " + " and ".join(_named(robot, became) for robot in now)
    last = _last(task, story)
    if last is None:
        return "with no robot"
    robot, interval = last
    return f"with no robot; {_named(robot, became)}, had it until {interval.end:.0f} s"


def _last(task: str, story: ActivityTrace) -> tuple[str, Interval] | None:
    """The robot that worked on a task last, and when."""
    spells = [(one.end, robot, one) for robot, all_ in story.spells.items() for one in all_ if one.task == task]
    return max(spells)[1:] if spells else None


def _named(robot: str, became: Mapping[str, str]) -> str:
    return f"{robot}, {became[robot]}" if robot in became else robot


def _held(mission: Mission, story: ActivityTrace) -> list[str]:
    """The robots on each task, where none is ever done."""
    own = mission.content.tasks
    idle = {name for name, one in own.items() if any(terms.get("idle") for terms in one.terms.values())}
    tasks = [one.task.id for one in mission.table.tasks if not one.completion and one.task.id not in idle]
    has = {task: " and ".join(sorted(story.holding.get(task, ()))) for task in tasks}
    return [f"{task} with {robots or 'no robot'}" for task, robots in has.items() if "/" not in task][:MOST]


def _jobs(mission: Mission, story: ActivityTrace, became: Mapping[str, str]) -> list[str]:
    """What was introduced and is not done: its state, the robot that has it, and why."""
    own, found = {entry.task.id for entry in mission.table.tasks}, []
    for introducer, jobs in sorted(story.jobs.items()):
        for job in jobs:
            if job.state in OVER or job.task.id in own or job.task.id in story.done:
                continue
            whose = f" to {_named(mission.table.name(job.who), became)}" if job.who else ""
            by = f"; {_named(introducer, became)}, introduced it" if introducer in became else ""
            found.append(f"{job.task.id} is {job.state}{whose} ({job.why}{by})")
    more = [f"{len(found) - MOST} more are not done"] if len(found) > MOST else []
    return found[:MOST] + more
