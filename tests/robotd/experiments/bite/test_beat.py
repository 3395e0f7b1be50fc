"""What interaction costs at a beat: what is observed, predicted, claimed and drawn."""

import math
import pathlib
from dataclasses import replace

import pytest

from motivation.bite.words import DECIDES, EXECUTES, Path, Step, path_statement
from robotd.experiments.base import Results
from robotd.experiments.bite import beat
from robotd.experiments.bite.beat import BEATS, EXPERIMENT, POOR, RICH, cell_of, crossing_s, predicted_s
from robotd.experiments.bite.interactions import COLUMNS, Interactions
from robotd.experiments.bite.published import GAIN_S, TABLE_1
from robotd.experiments.rows import RunRow
from robotd.model.choice import Choice, Event
from tests.robotd.experiments.fakes import row_of

pytestmark = pytest.mark.long
PATH = Path((Step(1, 0), Step(2, 3)), EXECUTES)


def event(kind: str, **data: float) -> Event:
    return Event(kind, "", "walk", "", data)


def test_what_a_robot_waited_for_before_it_followed_is_known_by_its_phase() -> None:
    seen = Interactions()
    decides = path_statement(replace(PATH, phase=DECIDES))
    seen.decide("r1", 1.0, Choice(statements=(decides,), events=(event("ended", took_s=0.5), event("entered"))))
    seen.decide("r1", 1.6, Choice(statements=(path_statement(PATH),), events=(event("followed", took_s=0.6),)))
    seen.decide("r1", 2.0, Choice(statements=(path_statement(PATH),), events=(event("allocated", took_s=0.4),)))
    seen.decide("r1", 3.0, Choice(events=(event("followed", took_s=0.25), event("followed"), event("allocated"))))
    assert seen.times == {"sync": 0.6, "allocation": 0.4, "ending": 0.75}
    assert (seen.counts["sync"], seen.counts["allocation"]) == (1, 1)


def test_a_one_way_is_from_a_new_state_to_the_decision_of_a_teammate_after_its_frame() -> None:
    seen, new = Interactions(), path_statement(PATH)
    for at in (0.0, 0.2, 0.4, 0.6):
        seen.decide("r2", at + 0.1, Choice())
        seen.decide("r1", at, Choice(statements=(new,)))
    seen.leave("r1", 0.15, (new, path_statement(replace(PATH, phase=DECIDES))))
    seen.leave("r1", 0.45, (new,))  # once more, which is nothing new
    assert [*seen.one_ways()] == [pytest.approx(0.3)]


def test_what_no_robot_decides_on_any_more_is_no_one_way() -> None:
    seen, new = Interactions(), path_statement(PATH)
    seen.decide("r2", 0.1, Choice())
    seen.decide("r1", 0.2, Choice(statements=(new,)))
    seen.leave("r1", 0.3, (new,))
    assert [*seen.one_ways()] == []


def test_the_table_of_the_paper_adds_up() -> None:
    for row in TABLE_1.values():
        assert row.sync_s + row.allocation_s == pytest.approx(row.interaction_s)
    tasks = [row.task_s for row in TABLE_1.values()]
    assert [tasks[2] / one for one in tasks[:2]] == [
        pytest.approx(0.811, abs=5e-4),
        pytest.approx(0.839, abs=5e-4),
    ]
    assert pytest.approx(1.15, abs=0.01) == beat.EXPECTED_S
    assert predicted_s(beat.EXPECTED_S) == pytest.approx(GAIN_S)


@pytest.fixture(scope="module")
def short() -> Results:
    """A run of each policy at the shortest beat."""
    cells = [cell for cell in EXPERIMENT.cells() if cell.name in (cell_of(RICH, 0.1), cell_of(POOR, 0.1))]
    rows = [(cell.name, *EXPERIMENT.run(cell, [1], None)) for cell in cells]
    return Results([row_of(cell, 1, **row) for cell, row in rows])


def test_a_run_has_three_choices_and_two_allocations_and_without_messages_they_take_no_time(
    short: Results,
) -> None:
    rich, poor = short.rows
    assert set(rich) >= set(COLUMNS)
    assert [(row["accomplished"], row["allocations"]) for row in short.rows] == [(True, 2)] * 2
    assert rich["choices"] == 3
    assert 0 < float(poor["choices"]) <= 3  # who waits for the others' end follows the first that goes on
    assert (poor["sync_s"], poor["allocation_s"], poor["interaction_s"]) == (0.0, 0.0, 0.0)
    assert float(rich["interaction_s"]) == pytest.approx(predicted_s(0.1), rel=0.25)
    assert float(rich["one_way_s"]) == pytest.approx(0.19, rel=0.25)
    assert rich["messages_ballot"] > poor["messages_ballot"] == 0


def test_behaviors_last_as_long_as_the_seed_has_it_in_every_cell_alike() -> None:
    one, same, other = (
        EXPERIMENT.scenario(cell, seed).factors
        for cell, seed in ((cell_of(RICH, 0.1), 1), (cell_of(POOR, 3.0), 1), (cell_of(RICH, 0.1), 2))
    )
    lengths = [f"sets.{name}.parameters.round_s" for name in beat.WORKING]
    assert [one[key] for key in lengths] == [same[key] for key in lengths] != [other[key] for key in lengths]
    assert all(2.0 <= one[key] <= 6.0 for key in lengths)


def rows_at(*times: float) -> list[RunRow]:
    return [row_of(cell_of(RICH, beat), 1, interaction_s=took) for beat, took in zip(BEATS, times, strict=True)]


def test_the_crossing_lies_between_the_beats_that_take_less_and_more_than_the_gain() -> None:
    assert crossing_s(Results(rows_at(1.0, 2.0, 9.0, 29.0)), 10.0) == pytest.approx(1.1)
    assert crossing_s(Results(rows_at(1.0, 10.0, 11.0, 29.0)), 10.0) == pytest.approx(0.3)
    assert math.isnan(crossing_s(Results(rows_at(1.0, 2.0, 3.0, 4.0))))
    assert math.isnan(crossing_s(Results([])))


def test_claims_hold_where_means_are_within_a_quarter() -> None:
    rows = rows_at(*(1.2 * predicted_s(one) for one in BEATS[:3]), 1.3 * predicted_s(3.0))
    rows += [row_of(cell_of(POOR, beat), 1, interaction_s=took) for beat, took in ((0.1, 0.0), (0.3, 0.2))]
    found = [(claim.cell, claim.holds) for claim in EXPERIMENT.claims(Results(rows)) if claim.holds]
    assert found == [
        (cell_of(RICH, 0.1), [True]), (cell_of(POOR, 0.1), [True]), (cell_of(RICH, 0.3), [True]),
        (cell_of(POOR, 0.3), [False]), (cell_of(RICH, 1.0), [True]), (cell_of(RICH, 3.0), [False]),
        (cell_of(RICH, 0.1), [True]),
    ]  # fmt: skip


def test_the_figure_and_the_table_show_every_beat(short: Results, tmp_path: pathlib.Path) -> None:
    results = Results([*short.rows, *rows_at(3.0, 4.0, 11.0, 29.0)], tmp_path)
    (drawing,) = EXPERIMENT.figures(results)
    assert drawing.path.stat().st_size > 5000
    (table,) = EXPERIMENT.tables(results)
    assert [line[0] for line in table.rows] == ["0.1", "0.3", "1", "3"]
    assert EXPERIMENT.answer(results).startswith("From a beat of 0.9")
    assert EXPERIMENT.figures(Results([], tmp_path)) == []
