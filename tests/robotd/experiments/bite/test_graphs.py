"""Nine behavior graphs: what they are mixed from, when a formation is due, and what is claimed of their runs."""

import pytest

from robotd.experiments.base import Results
from robotd.experiments.bite.graphs import AGREED, ALLOCATE, EXPERIMENT, MARKET, SIGHT, cell_of
from robotd.experiments.bite.plans import FORMATIONS, LEG_M, PLANS
from robotd.experiments.bite.published import TABLE_2
from robotd.experiments.rows import RunRow
from tests.robotd.experiments.fakes import row_of


def test_nine_graphs_are_mixed_from_thirteen_behaviors_with_and_without_cycles() -> None:
    assert len(PLANS) == len(TABLE_2) == 9
    assert len({(tuple(plan.formations), plan.again) for plan in PLANS.values()}) == 9
    names = {name for plan in PLANS.values() for name in plan.changes(SIGHT)["sets"]}
    assert len(names) == 13
    assert {plan.again for plan in PLANS.values()} == {True, False}


@pytest.mark.parametrize("graph", PLANS)
def test_a_graph_is_a_mission_whose_last_leader_ends_it(graph: str) -> None:
    plan, content = PLANS[graph], EXPERIMENT.scenarios[cell_of(graph, MARKET)].mission.content
    nodes = content.coordinator.parameters["graph"]
    assert set(nodes) == set(content.tasks) == set(content.sets)
    assert {name for name, own in nodes.items() if "allocate" in own} == set(plan.used)
    assert all((nodes[name]["next"] == ["search"]) == plan.again for name in plan.used)
    assert [name for name, task in content.tasks.items() if task.completion] == [
        next(iter(FORMATIONS[plan.formations[-1]]))
    ]


@pytest.mark.parametrize("graph", PLANS)
def test_formations_are_due_one_after_the_other_where_a_leg_ends(graph: str) -> None:
    """Followers are up to 1.2 m behind their leader when a leg ends, and judge by their own way."""
    plan = PLANS[graph]
    due = {name: own["parameters"] for name, own in plan.changes(SIGHT)["sets"].items() if name in plan.used}
    for k, name in enumerate(plan.formations):
        for way_m in (LEG_M * k, max(0.0, LEG_M * k - (0.6 if k and plan.formations[k - 1] != "line" else 0.0))):
            assert [one for one in plan.used if due[one]["from_m"] <= way_m < due[one]["to_m"]] == [name]
    assert max(own["to_m"] for own in due.values()) == plan.way_m


def test_the_protocol_of_a_cell_is_that_of_all_its_allocations() -> None:
    for allocate in ALLOCATE:
        graph = PLANS["8"].changes(allocate)["coordinator.parameters.graph"]
        assert {own["allocate"] for own in graph.values() if "allocate" in own} == {allocate}


def row(graph: str, allocate: str, seed: int, trace: str | None = None) -> RunRow:
    failed = {} if trace is None else {"trace": trace, "failure": "line, one place twice: lead by r1 and r2"}
    done = {"accomplished": trace is None, "reason": "over", "interaction_s": 1.0, "task_s": 40.0}
    return row_of(cell_of(graph, allocate), seed, **done, **failed)


def test_claims_count_failures_by_sight_and_ask_how_each_came() -> None:
    rows = [row(graph, allocate, seed) for graph in PLANS for allocate in ALLOCATE for seed in range(6)]
    assert [claim.holds[:1] for claim in EXPERIMENT.claims(Results(rows))] == [[True], [], [True], [True]]
    failures = [row("2", SIGHT, 90 + k, "35.1 s, line by by-sight: ...") for k in range(7)]
    assert [all(claim.holds) for claim in EXPERIMENT.claims(Results([*rows[7:], *failures]))] == [True] * 4
    failures += [row("3", SIGHT, 97 + k, "") for k in range(3)] + [row("3", AGREED, 99, "")]
    many, traced, market, agreed = EXPERIMENT.claims(Results([*rows[60:], *failures]))
    assert (many.holds, many.published) == ([False], "52 of 58")
    assert [sum(traced.holds), len(traced.holds)] == [7, 10]
    assert all(market.holds)
    assert not all(agreed.holds)


def test_the_tables_have_every_graph_beside_the_published_ones_and_each_failure() -> None:
    rows = [row("2", SIGHT, 1), row("2", SIGHT, 2, "35.1 s, line by by-sight: ..."), row("2", MARKET, 1)]
    graphs, failed = EXPERIMENT.tables(Results(rows))
    line = graphs.rows[1]
    assert list(line[:6]) == ["2", "triangle, line", "vote", "1 of 2", "1 of 1", "0 of 0"]
    assert list(line[-3:]) == ["5 of 6", "1.71", "122.8"]
    assert [list(one) for one in failed.rows] == [
        [cell_of("2", SIGHT), 2, 2, "line, one place twice: lead by r1 and r2", "35.1 s, line by by-sight: ..."]
    ]
