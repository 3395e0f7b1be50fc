"""The channel experiment: real radios under known conditions, and what is made of its rows."""

import math
from pathlib import Path

import pytest

from robotd.experiments import radio_bench
from robotd.experiments.base import Results
from robotd.experiments.channel import EXPERIMENT, conditions
from robotd.experiments.radio_bench import LATENCY_S, ChannelConditions, latencies, run_radios
from robotd.experiments.rows import RunRow

from .fakes import row_of

CELLS = conditions()
FIRST = next(iter(CELLS))


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"FIRST": 3, "APART": 1, "REST": 2}.items():
        monkeypatch.setattr(radio_bench, name, value)


@pytest.mark.usefixtures("brief")
def test_with_slots_nineteen_robots_lose_less_than_one_percent_to_collisions() -> None:
    found = run_radios(1, ChannelConditions(19, base_station=True))
    assert found.period_s == 3.0
    assert found.collided < 0.01
    assert found.received > 0.99
    assert not any(map(math.isnan, found.known_s))
    assert found.frames > 19 * 6


@pytest.mark.usefixtures("brief")
def test_without_slots_frames_meet() -> None:
    found = run_radios(1, ChannelConditions(10, base_station=False))
    assert found.collided > 0.1
    assert found.received == pytest.approx(1.0 - found.collided, abs=0.05)


@pytest.mark.parametrize("bursts", [False, True])
def test_as_much_is_received_as_the_loss_leaves(bursts: bool) -> None:
    found = run_radios(2, ChannelConditions(2, base_station=False, loss=0.5, bursts=bursts))
    assert found.received == pytest.approx(0.5 - found.collided / 2, abs=0.2)


@pytest.mark.usefixtures("brief")
def test_the_same_seed_gives_the_same_run_and_another_another() -> None:
    one = ChannelConditions(3, base_station=True, loss=0.3)
    assert run_radios(3, one) == run_radios(3, one)
    assert run_radios(3, one) != run_radios(4, one)


def test_where_all_is_lost_no_fact_is_known_to_all_and_the_row_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "robotd.experiments.channel.conditions", lambda: {FIRST: ChannelConditions(2, base_station=True, loss=1.0)}
    )
    cell = EXPERIMENT.cells()[0]
    (row,) = EXPERIMENT.run(cell, [1], None)
    assert (row["accomplished"], row["reason"]) == (False, "4 of 4 facts were not known to all at the end")
    assert row["received"] == 0.0
    assert "known_s" not in row


def test_modules_have_latencies_of_5_to_60_ms_alike_or_not() -> None:
    low, high = LATENCY_S
    assert (low, high) == (0.005, 0.06)
    for seed in range(20):
        alike = latencies(seed, ChannelConditions(10, base_station=True)).values()
        unlike = latencies(seed, ChannelConditions(10, base_station=True, alike=False)).values()
        assert all(low <= each <= high for each in (*alike, *unlike))
        assert max(alike) - min(alike) <= radio_bench.OWN_LATENCY_S < max(unlike) - min(unlike)


def test_cells_are_teams_of_2_to_30_with_and_without_slots_at_losses_up_to_half() -> None:
    assert {own.robots for own in CELLS.values()} == {2, 5, 10, 19, 30}
    assert {(own.base_station, own.loss, own.bursts) for own in CELLS.values() if own.robots == 30} == {
        (base, loss, bursts)
        for base in (True, False)
        for loss in (0.0, 0.1, 0.3, 0.5)
        for bursts in (False, True)
        if loss or not bursts
    }


def made_up() -> list[RunRow]:
    counted = {"reason": "", "period_s": 3.0, "frames": 9, "received": 0.9, "collided": 0.1, "known_s": 2.5}
    return [row_of(cell.name, run, **cell.factors, accomplished=cell.factors["loss"] != 0.5, **counted)
            for cell in EXPERIMENT.cells() for run in (1, 2)]  # fmt: skip


def test_the_tables_have_a_line_for_each_team_and_in_how_many_runs_a_fact_did_not_reach_all() -> None:
    received, collided, known, period = EXPERIMENT.tables(Results(made_up()))
    assert [line[:2] for line in received.rows[:5]] == [[n, "base station"] for n in (2, 5, 10, 19, 30)]
    assert {line[2] for line in received.rows} == {"90"}
    assert {line[2] for line in collided.rows} == {"10"}
    assert dict(zip(known.columns, known.rows[0], strict=True))["50%"] == "2.5 (2)"
    assert {line[2] for line in period.rows} == {"3"}
    assert "".join(map(str, EXPERIMENT.tables(Results([]))[0].rows[0])) == "2base station"


def test_the_figures_are_drawn_of_what_there_is(tmp_path: Path) -> None:
    rows = [{column: value for column, value in row.items() if column != "known_s"} for row in made_up()]
    drawings = EXPERIMENT.figures(Results(rows, tmp_path))
    assert {drawing.path.name for drawing in drawings} == {"received-each.svg", "received-bursts.svg"}
    assert all(drawing.path.is_file() for drawing in drawings)
    assert EXPERIMENT.figures(Results([], tmp_path)) == []
