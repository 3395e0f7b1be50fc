"""COBOS' reasons in words: why a robot is on a task, waits, or is not on the others."""

from collections.abc import Iterable, Mapping

from motivation.cobos.allocation import Allocation, Knowledge, demand
from motivation.cobos.models import HOLDS, KEEPS, ON_THE_WAY, PERFORMED, STARTED, WHOLE
from motivation.cobos.settings import CobosSettings, Plan
from motivation.cobos.state import WORKS, State
from robotd.model.tasks import Feedback

STATUS = {
    ON_THE_WAY: "on its way to it", STARTED: "at its place", HOLDS: "holds an object of it",
    PERFORMED: "observes that it is performed", KEEPS: "holds an object of it, and it is performed",
}  # fmt: skip
Names = Mapping[int, str]


def unfit(own: Feedback) -> str:
    """Why its set does not apply."""
    return f"lacks {', '.join(own.missing)}" if own.missing else own.why or "its set does not apply"


def named(robots: Iterable[int], names: Names) -> str:
    """Robots by name, in order of their numbers."""
    return ", ".join(names.get(one, str(one)) for one in sorted(robots))


def why_taken(task: int, me: int, plan: Plan, known: Knowledge, result: Allocation, names: Names) -> str:
    """Why the allocation gives a robot this task."""
    others = [robot for robot, one in result.tasks.items() if one == task and robot != me]
    with_ = f" with {named(others, names)}" if others else ""
    value = known.members[me].values[task - 1] / WHOLE
    return f"allocated among {len(result.tasks)} robots: does {plan.id(task)}{with_}, suitability {value:.2f}"


def why_waits(plan: Plan, state: State, known: Knowledge, result: Allocation, settings: CobosSettings) -> str:
    """Why the allocation gives a robot no task."""
    on = list(result.tasks.values())
    parts = [
        f"{plan.id(one)} has {on.count(one)} of {demand(known, one, settings)} robots" for one in result.active
    ]
    if result.next:
        parts.append(f"{plan.id(result.next)} needs more robots than are left here")
    backed = [plan.id(k) for k, one in enumerate(state.backed, 1) if one]
    parts += [f"it has backed off from {', '.join(backed)}"] if backed else []
    return f"allocated among {len(result.tasks)} robots: {'; '.join(parts) or 'no task is to be done here'}"


def why_not(
    task: int, plan: Plan, state: State, known: Knowledge, over: frozenset[int], unfitting: Mapping[int, str],
    unknown: Iterable[int], names: Names,
) -> str:  # fmt: skip
    """What a robot makes of one task now."""
    macro, record = plan.tasks[task - 1], known.record(task)
    if state.task == task:
        if state.place == WORKS:
            return f"works on it: {STATUS[state.status]}"
        return f"looks for more robots for it at {plan.id(state.place)}"
    if task in over:
        return "the task is done"
    if state.backed[task - 1]:
        return f"backed off: it was not performed within {macro.expected_s:g} s"
    if task in unfitting:
        return unfitting[task]
    if task not in state.introduced:
        return "not introduced yet"
    first = [plan.id(k) for k in macro.after if not state.records[k - 1].performed and k not in over]
    if first:
        return f"waits until {' and '.join(first)} is performed"
    if task in known.archived:
        return f"it needs {record.required} robots, more than can do it"
    if unknown:
        return f"waits for what {named(unknown, names)} has to make known"
    on, away = known.holders(task), known.absent.get(task, 0)
    if not on and not away:
        return "no robot is on it, and none was allocated yet"
    who = [*([named(on, names)] if on else []), *([f"{away} out of reach"] if away else [])]
    verb = "is" if len(on) + away == 1 else "are"
    return f"{' and '.join(who)} {verb} on it, which needs {record.required}"
