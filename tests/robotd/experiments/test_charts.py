"""Figures of means with intervals: what has a value is drawn, and the same values give the same file."""

import math
from pathlib import Path

import pytest

from robotd.experiments.base import Cell, Results
from robotd.experiments.charts import Axis, Means, Panel, draw_over_factor, line_charts
from robotd.experiments.file import find_experiment
from robotd.experiments.rows import RunRow
from robotd.experiments.statistics import Estimate

ONE, NONE = Estimate(1.5, 1.25, 1.75), Estimate(math.nan, math.nan, math.nan)
ALONE = Estimate(2.25, math.nan, math.nan)  # a single run has no interval


def words(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_each_line_panel_and_place_is_named_and_the_same_means_give_the_same_file(tmp_path: Path) -> None:
    panels = [
        Panel("share", [Means("two", [ONE, NONE]), Means("three", [NONE, ALONE])], name) for name in ("a", "b")
    ]
    (first,), (again,) = (
        line_charts(panels, Axis("lost", ["0%", "9%"]), "Time over loss", tmp_path / name / "f.svg")
        for name in "xy"
    )
    assert first.path.read_bytes() == again.path.read_bytes()
    for word in ("two", "three", "lost", "9%", "share", "Time over loss", "<!-- a -->", "<!-- b -->"):
        assert word in words(first.path)
    assert first.caption.startswith("Time over loss: ")


def test_a_panel_without_a_value_is_left_out_and_a_figure_without_one_is_not_drawn(tmp_path: Path) -> None:
    full, empty = (Panel("full", [Means("two", [ONE])], "seen"), Panel("empty", [Means("two", [NONE])], "unseen"))
    (drawing,) = line_charts([full, empty], Axis("trial"), "Some", tmp_path / "f.svg")
    assert "seen" in words(drawing.path)
    assert "unseen" not in words(drawing.path)
    assert line_charts([empty], Axis("trial"), "None", tmp_path / "g.svg") == []
    assert not (tmp_path / "g.svg").exists()


def test_an_axis_of_what_cannot_be_less_than_0_begins_there_whatever_its_intervals(tmp_path: Path) -> None:
    lines = [Means("two", [Estimate(1.0, -2.0, 4.0)])]
    for least, below in ((None, True), (0.0, False)):
        (drawing,) = line_charts([Panel("time", lines, least=least)], Axis("trial"), "Some", tmp_path / "f.svg")
        assert ("\N{MINUS SIGN}" in words(drawing.path)) == below


def test_a_figure_over_a_factor_has_a_line_for_each_combination_of_the_others(tmp_path: Path) -> None:
    cells = [Cell(f"{n} {loss}", {"robots": n, "loss": loss}) for n in ("two", "three") for loss in (0.0, 0.5)]
    runs: list[RunRow] = [{"cell": cell.name, "seed": seed, "time": 2.0} for cell in cells for seed in (1, 2)]
    (drawing,) = draw_over_factor(Results(runs, tmp_path), cells, "loss", {"time": "time (s)", "no": "nothing"})
    for word in ("robots=two", "robots=three", "0.5", "loss", "time (s)"):
        assert word in words(drawing.path)
    assert draw_over_factor(Results([], tmp_path), cells, "loss", {"time": "time (s)"}) == []


def rows(name: str) -> list[RunRow]:
    found: list[RunRow] = []
    for cell in find_experiment(name).cells():
        for seed in (1, 2):
            values = {"one": 0.9, "none": 0.1 * seed, "over_optimum": 1.0 + seed, "duration_s": 100.0 * seed}
            loss = float(cell.factors.get("loss", 0.1))
            reported = {"duplicated_work_s": 2.0, "horizon_s": 400.0, "excused": 1, "violations": 0, "loss": loss}
            found.append({"cell": cell.name, "run": seed, "seed": seed, **values, **reported})
        found.append({"cell": cell.name, "run": 3, "seed": 3, "accomplished": False, "reason": "hung"})
    return found


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("duel", ["one.svg", "none.svg"]),
        ("loss", ["over_loss.svg", "duration_s.svg", "duplicated_work_s.svg"]),
        ("optimality", ["over_optimum.svg"]),
        ("termination", ["ended.svg", "left.svg"]),
    ],
)
def test_an_experiment_draws_what_its_runs_came_to_and_nothing_of_none(
    tmp_path: Path, name: str, files: list[str]
) -> None:
    drawings = find_experiment(name).figures(Results(rows(name), tmp_path))
    assert [drawing.path.name for drawing in drawings] == files
    assert all(drawing.path.is_file() for drawing in drawings)
    assert find_experiment(name).figures(Results([], tmp_path / "none")) == []
