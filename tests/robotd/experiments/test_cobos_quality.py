"""COBOS's ways to allocate on random problems: two oracles, wrong results counted, growth of times."""

import math
from pathlib import Path

import pytest

from robotd.experiments import allocations, cobos_quality
from robotd.experiments.allocations import EACH, ROBOTS, TASKS, Problem, draw_problem, optimum, search
from robotd.experiments.base import Drawing, Results
from robotd.experiments.charts import Axis, Panel
from robotd.experiments.cobos_quality import ALL, EXPERIMENT, SOME, exponent, size_cell
from robotd.experiments.rows import RunRow


def results(runs: int) -> Results:
    small = [(cell, EXPERIMENT.run(cell, range(1, runs + 1), None)) for cell in (ALL, SOME, size_cell(10))]
    return Results(
        [{"cell": cell.name, "seed": k, **row} for cell, rows in small for k, row in enumerate(rows, 1)]
    )


def without(name: str) -> None:
    """As `find_spec` of a computer where a library is not installed."""


@pytest.mark.parametrize("possible", [1.0, 0.4])
def test_the_search_and_scipy_find_the_same_optimum_and_the_solver_reaches_it(possible: float) -> None:
    for seed in range(1, 31):
        problem = draw_problem(seed, possible)
        assert optimum(problem) == ("scipy", search(problem)) == ("scipy", problem.worth("transport"))


def test_without_scipy_small_problems_are_searched_and_large_ones_not_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(allocations, "find_spec", without)
    (small,) = EXPERIMENT.run(ALL, [1], None)
    (large,) = EXPERIMENT.run(size_cell(20), [1], None)
    assert (small["oracle"], small["transport_best"], small["accomplished"]) == ("search", True, True)
    assert not {"oracle", "optimum", "transport_best"} & set(large)
    assert large["accomplished"]


def test_problems_are_of_the_sizes_asked_for_and_have_robots_enough() -> None:
    problems = [draw_problem(seed, 0.7) for seed in range(1, 101)]
    assert {len(one.suitability) for one in problems} == set(range(ROBOTS[0], ROBOTS[1] + 1))
    for one in problems:
        assert 1 <= len(one.counts) <= TASKS[1]
        assert EACH[0] <= min(one.counts) <= max(one.counts) <= EACH[1]
        assert sum(one.counts) <= len(one.suitability)
        assert all(value is None or 1 <= value <= 255 for row in one.suitability for value in row)
    assert any(None in row for one in problems for row in one.suitability)
    assert not any(None in row for seed in range(1, 31) for row in draw_problem(seed, 1.0).suitability)
    assert draw_problem(1, 1.0, 10).counts == [1] * 10


def counterexample(seed: int, possible: float, size: int = 0) -> Problem:
    suitability: allocations.Suitabilities = [[50, 100], [49, 1]]
    return Problem(suitability, suitability, [1, 1])


def test_allocation_by_priority_below_half_is_counted_and_no_violation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cobos_quality, "draw_problem", counterexample)
    (row,) = EXPERIMENT.run(ALL, [7], None)
    assert (row["optimum"], row["transport"], row["greedy"], row["priority"]) == (149, 149, 149, 51)
    assert (row["accomplished"], row["greedy_half"], row["priority_half"]) == (True, True, False)
    found = Results([{"cell": ALL.name, "seed": 7, **row}])
    shares, worst, _ = EXPERIMENT.tables(found)
    assert [line[-2] for line in shares.rows] == [0, 1]
    assert [line[-2:] for line in worst.rows] == [["task 2", "task 1"], ["task 1", "task 2"]]
    assert "in 1 (at worst 0.342 of it)" in EXPERIMENT.answer(found)


@pytest.mark.parametrize(
    ("wrong", "reason"), [("transport", "not the optimum"), ("greedy", "best pair first is worth less than half")]
)
def test_a_solver_that_allocates_badly_is_found_out(
    monkeypatch: pytest.MonkeyPatch, wrong: str, reason: str
) -> None:
    def idle(problem: Problem, solver: str) -> tuple[int, int]:
        return (0, 0) if solver == wrong else search(problem)

    monkeypatch.setattr(Problem, "worth", idle)
    rows: list[RunRow] = [
        {"cell": ALL.name, "seed": k, **row} for k, row in enumerate(EXPERIMENT.run(ALL, [1, 2], None))
    ]
    assert [(row["accomplished"], row["reason"], row["violations"]) for row in rows] == [(False, reason, 1)] * 2
    claims = [claim.holds for claim in EXPERIMENT.claims(Results(rows)) if claim.holds]
    assert claims == ([[False] * 2, [True] * 2] if wrong == "transport" else [[True] * 2, [False] * 2])


def test_claims_hold_and_the_figures_show_shares_and_times_where_all_sizes_were_timed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = results(20)
    claims = [claim for claim in EXPERIMENT.claims(found) if claim.holds]
    assert len(claims) == 6
    assert all(all(claim.holds) for claim in claims)
    assert [claim.published for claim in claims] == [
        "optimal",
        "2-competitive",
        "optimal",
        "",
        "optimal",
        "2-competitive",
    ]
    timed = [f"{name}_us" for name in cobos_quality.NAMES]
    sizes: list[RunRow] = [
        {"cell": size_cell(size).name, "seed": 1, **dict.fromkeys(timed, 5.0 * size**2)}
        for size in cobos_quality.SIZES
    ]
    found = Results([*found.of(ALL.name), *found.of(SOME.name), *sizes], tmp_path)
    drawn: dict[str, list[Panel]] = {}

    def draw(panels: list[Panel], along: Axis, heading: str, path: Path) -> list[Drawing]:
        drawn[path.name] = panels
        return [Drawing(path, heading)]

    with monkeypatch.context() as patched:
        patched.setattr(cobos_quality, "line_charts", draw)
        assert [drawing.path.name for drawing in EXPERIMENT.figures(found)] == ["shares.svg", "times.svg"]
    assert [len(panel.lines) for panel in drawn["shares.svg"]] == [4, 4]
    over_square = [[mean.value for mean in line.means] for line in drawn["times.svg"][0].lines]
    assert over_square == [pytest.approx([1.0, 1.0, 1.0])] * 4 + [pytest.approx([1.0, 2.0, 5.0])]
    growth = EXPERIMENT.tables(found)[-1]
    assert [list(line[1:-1]) for line in growth.rows] == [["500", "1.0", "4.0", "25.0", "2.00"]] * 4
    assert EXPERIMENT.figures(Results([], tmp_path / "none")) == []
    assert [list(table.rows) for table in EXPERIMENT.tables(Results([]))] == [[], []]


def test_an_exponent_is_fitted_to_times() -> None:
    assert exponent([10, 20, 50], [2e3, 16e3, 250e3]) == pytest.approx(3.0)
    assert exponent([10, 20, 50], [1.0, 4.0, 30.0]) == pytest.approx(2.11, abs=0.01)
    assert math.isnan(exponent([10], [1.0]))
