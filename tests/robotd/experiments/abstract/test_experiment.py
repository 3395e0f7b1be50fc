"""What all experiments without a simulated world tell in every row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from robotd.experiments.abstract.experiment import AbstractExperiment
from robotd.experiments.contract import Cell, Row
from robotd.experiments.identity import versions
from robotd.experiments.registry import named
from robotd.experiments.runner import Request, run_experiment


@dataclass(frozen=True, kw_only=True)
class Tiny(AbstractExperiment):
    """Two cells, in one of which no coordinator runs."""

    def cells(self) -> Sequence[Cell]:
        return [Cell("led"), Cell("unled")]

    def coordinator(self, cell: Cell) -> str:
        return super().coordinator(cell) if cell.name == "led" else ""

    def outcomes(self, cell: Cell, seeds: Sequence[int]) -> Sequence[Row]:
        return [{"accomplished": True, "reason": "", "value": seed} for seed in seeds]


TINY = Tiny(name="tiny", title="Is it?", runs=2, batch=2, measured=("accomplished", "reason", "value"))


def test_every_row_says_which_coordinator_and_versions_ran_and_leaves_the_first_out_where_none_did() -> None:
    led, unled = (TINY.run(cell, [3, 4], None) for cell in TINY.cells())
    assert [list(row) for row in led] == [["coordinator", "accomplished", "reason", "value", "versions"]] * 2
    assert (led[1]["coordinator"], led[1]["value"], led[1]["versions"]) == ("alliance", 4, versions())
    assert all("coordinator" not in row and row["versions"] == versions() for row in unled)


def test_in_the_files_both_columns_stand_where_those_of_simulations_do(tmp_path: Path) -> None:
    result = run_experiment(Request(TINY, 4, 1, tmp_path), "robotd experiment tiny")
    head, first, *_, last = (tmp_path / "runs.csv").read_text().splitlines()
    assert head == "cell,run,seed,coordinator,accomplished,reason,value,versions"
    assert first == f"led,1,1,alliance,true,,1,{versions()}"
    assert last == f"unled,4,4,,true,,4,{versions()}"
    assert {line["measure"] for line in result.summary} == {"accomplished", "value"}
    assert result.as_json(TINY)["runs"][0]["versions"] == versions()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("channel", {""}),
        ("duel", {"alliance"}),
        ("optimality", {"alliance", "l-alliance"}),
        ("termination", {"alliance"}),
    ],
)
def test_the_coordinator_is_the_one_whose_law_the_robots_follow(name: str, told: set[str]) -> None:
    experiment = named(name)
    assert isinstance(experiment, AbstractExperiment)
    assert {experiment.coordinator(cell) for cell in experiment.cells()} == told
    by_cell = {cell.name: experiment.coordinator(cell) for cell in experiment.cells()}
    assert by_cell.get("unlearned", "alliance") == "alliance"
