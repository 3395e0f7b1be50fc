"""How a simulated mission ended, in words: what was brought about, what is lacking, and who did the last task."""

from boards.mock.world import AIMS, USUAL, World
from robotd.config.load import Mission
from robotd.sim.activity_trace import ActivityTrace

WORDS = {
    "delivered": "objects are at the goal", "clean": "areas are clean", "box": "cm of the box's way are done",
    "finish": "robots are past the finish", "touched": "pucks were touched", "held": "pucks are held",
}  # fmt: skip


def counted_of(mission: Mission, world: World) -> list[str]:
    """How much of each thing that the mission asks of its world is brought about, in words."""
    wanted = mission.content.goal.world
    counts = [(AIMS[aim](world), WORDS[aim]) for aim in (USUAL if wanted is None else wanted)]
    return [f"{done} of {total} {words}" for (done, total), words in counts if total]


def ending_of(mission: Mission, world: World, story: ActivityTrace) -> str:
    """One sentence, from the state of the world and from what the robots have done."""
    content = mission.content
    parts = counted_of(mission, world)
    wanted = content.goal_facts()
    for entry in mission.table.tasks:
        if entry.completion in wanted and entry.task.id not in story.done:
            who = " and ".join(sorted(story.holding.get(entry.task.id, ()))) or "no robot"
            parts.append(f"{entry.task.id} is not done (with {who})")
    occasions = [(at, task, by) for task, done in story.done.items() for at, by in done]
    if occasions:
        at, task, by = max(occasions)
        parts.append(f"the last task done was {story.named(task, mission.table)}, by {by} at {at:.0f} s")
    return "; ".join(parts)
