"""The janitor's three ways: how they differ, and their table."""

from dataclasses import replace

from robotd.experiments.base import Results
from robotd.experiments.janitor import CELLS, CLEANED_AGAIN, EXPERIMENT, FLOORS, REPEATED_S

from .fakes import row_of


def test_the_three_ways_differ_in_the_precondition_and_the_impatience_of_floors_alone() -> None:
    content = {cell: scenario.mission.as_data() for cell, scenario in EXPERIMENT.scenarios.items()}
    assert list(content) == ["precondition", "by luck", "done again"] == [cell.name for cell in EXPERIMENT.cells()]
    rates = []
    for cell, data in content.items():
        for floor in FLOORS:
            assert bool(data["sets"][floor]["parameters"].pop("after")) == (cell == "precondition")
            rates.append(data["sets"][floor]["motivation"].pop("fast_rate"))
    assert rates == [12.0, 12.0, 2.0, 2.0, 30.0, 30.0]
    assert all(data == content["precondition"] for data in content.values())


def test_a_row_has_how_often_floors_were_cleaned_again() -> None:
    scenario = EXPERIMENT.scenarios["precondition"]
    cut = replace(scenario, factors={**scenario.factors, "time_limit_s": 2.0})
    experiment = replace(EXPERIMENT, scenarios={"precondition": cut})
    (row,) = experiment.run(experiment.cells()[0], [1], None)
    assert (row[CLEANED_AGAIN], row[REPEATED_S], row["accomplished"]) == (0, 0.0, False)
    assert set(EXPERIMENT.measured) <= set(row)


def test_the_table_has_a_line_for_each_way_with_means() -> None:
    counted = {"duration_s": 100.0, CLEANED_AGAIN: 2, REPEATED_S: 10.0, "work_s": 50.0}
    rows = [row_of(cell, seed, accomplished=seed == 1, **counted) for cell in CELLS for seed in (1, 2)]
    (table,) = EXPERIMENT.tables(Results(rows))
    assert [line[0] for line in table.rows] == list(CELLS)
    assert table.rows[0][1:3] == ["1 of 2", "100.0 (100.0 to 100.0)"]
    assert len(table.columns) == len(table.rows[0])
    assert EXPERIMENT.tables(Results(rows[:2]))[0].rows[1] == ["by luck", "0 of 0", "", "", "", ""]
    assert EXPERIMENT.answer(Results(rows)).startswith("precondition: 10 s (10 to 10) of repeated work; ")
