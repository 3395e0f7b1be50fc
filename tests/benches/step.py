"""What a decision costs: ALLIANCE with ten sets and ten teammates against one tick of a tree of 16 nodes."""

from collections.abc import Callable

import py_trees

from motivation.alliance.alliance import Alliance
from motivation.alliance.lone import LoneParameters, LoneState, hear, step
from motivation.alliance.settings import AllianceSettings, SetMotivation
from robotd.model.beliefs import Beliefs
from robotd.model.inputs import Inputs
from robotd.model.senses import Capabilities, Senses
from robotd.model.statements import Heard, Statement
from robotd.model.table import Member, NumberTable, TaskEntry
from robotd.model.tasks import Feedback, Task
from tests.benches.measure import Figure, at_most, columns, ratio, rounds

SETS, TEAMMATES = 10, 10
DECISION_S = 0.2
TIMES, REPEAT = 200, 15
BOUND = 0.2


def equations() -> Callable[[], object]:
    no_set = [False] * SETS
    params = LoneParameters(
        threshold=100.0, silence_timeout=13.5, beat_s=3.0, fast_rate=[3.0] * SETS,
        slow_rate=[[0.1] * TEAMMATES] * SETS, patience=[[300.0] * TEAMMATES] * SETS, yield_time=[200.0] * SETS,
        give_up_time=[400.0] * SETS, outranks=[False] * TEAMMATES, preempts=no_set, exclusive=no_set,
    )  # fmt: skip
    state, applicable, held = LoneState.start(SETS, TEAMMATES), [True] * SETS, no_set
    n = 0

    def one() -> None:
        nonlocal n
        n += 1
        now = n * DECISION_S
        hear(state, params, [3], 4, now, 1.0, over=False)
        step(state, params, now, DECISION_S, applicable, held)

    return one


def coordinator(sets: int = SETS, teammates: int = TEAMMATES) -> Callable[[], object]:
    team = tuple(Member(f"r{k}", k, "r2") for k in range(1, teammates + 2))
    tasks = tuple(TaskEntry(Task(f"t{k}", (), f"t{k}"), k + 1) for k in range(sets))
    table = NumberTable(team, tasks, ())
    rates = SetMotivation(fast_rate=3.0, slow_rate=0.1, patience_s=300.0, yield_time_s=200.0, give_up_time_s=400.0)
    own = [(f"s{k}", f"t{k}", rates) for k in range(sets)]
    alliance = Alliance(AllianceSettings(), own, table, DECISION_S)
    alliance.begin(0.0, 1, [entry.task for entry in tasks], team, 0)
    beliefs, applies = Beliefs(table, 1), Feedback(applicable=True)
    n = 0

    def one() -> None:
        nonlocal n
        n += 1
        now = n * DECISION_S
        active = Statement("activity", ("t3", "", 1.0))
        frame = Heard(now, 2 + n % teammates, 0, running=True, same_mission=True, statements=(active,))
        i = Inputs(now, n, Senses(), Capabilities())
        alliance.step(i, beliefs, lambda *_: applies, (frame,) if n % 2 else (), ())

    return one


def tree() -> Callable[[], object]:
    """A selector over three sequences of four leaves: 16 nodes, all of which every tick visits."""
    nodes = py_trees.behaviours
    root = py_trees.composites.Selector("root", memory=False)
    for k in range(3):
        last = nodes.Running(f"{k}.3") if k == 2 else nodes.Failure(f"{k}.3")
        sequence = py_trees.composites.Sequence(f"{k}", memory=False)
        sequence.add_children([nodes.Success(f"{k}.{j}") for j in range(3)] + [last])
        root.add_child(sequence)
    whole = py_trees.trees.BehaviourTree(root)
    assert len(list(root.iterate())) == 16
    return lambda: whole.tick()


def run() -> list[Figure]:
    measured = list(rounds([equations(), tree(), coordinator()], TIMES, REPEAT))
    step_s, tree_s, whole_s = columns(measured)
    size = f"{SETS} sets, {TEAMMATES} teammates"
    against = f"against {tree_s * 1e6:.0f} us of a py_trees tick of 16 nodes"
    whole = ratio([(decision, ticked) for _, ticked, decision in measured])
    return [
        at_most(f"ALLIANCE step, {size}", ratio(measured), BOUND, f"{step_s * 1e6:.0f} us {against}"),
        Figure("whole decision with its causes in words", whole, "x", detail=f"{whole_s * 1e6:.0f} us {against}"),
    ]
