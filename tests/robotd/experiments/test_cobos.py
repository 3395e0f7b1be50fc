"""The experiments in a room of islands, in short: what is observed, what is claimed, what is drawn."""

import json
from dataclasses import replace
from typing import Any

import pytest

from robotd.config.load import find_mission, load_mission
from robotd.experiments.base import Results, log_path
from robotd.experiments.cobos import agreement
from robotd.experiments.cobos.charts import counts_of, steps_of
from robotd.experiments.cobos.experiment import (
    CONNECTED,
    CONNECTED_EXPERIMENT,
    EXPERIMENT,
    FEASIBLE,
    ISLANDS,
    KNOWN,
    LEAST,
    PUBLISHED_EXPERIMENT,
    SHOWN,
    cell_of,
)
from robotd.experiments.cobos.infeasible import EXPERIMENT as INFEASIBLE
from robotd.experiments.cobos.infeasible import JOINED, LACKING
from robotd.experiments.cobos.trial import COLUMNS, Trial, verdict
from robotd.experiments.rows import RunRow

from .fakes import row_of

MISSION = load_mission(find_mission("cobos"))
CELL = cell_of(SHOWN)
BLIND = {"r1": "red", "r2": "blue", "r3": "red", "r4": "blue", "r5": "red", "r6": "blue", "r7": ""}


def suffices(vector: tuple[int, ...]) -> bool:
    """Whether three robots that see blue, three that see red and one of both can hold so many pucks at once."""
    red, blue = vector[0] + vector[2] + vector[3], vector[1]
    return red <= 4 and blue <= 4 and red + blue <= 7


def test_the_vectors_are_all_for_which_the_seven_robots_suffice() -> None:
    four = range(1, 5)
    every = {(a, b, c, d) for a in four for b in four for c in four for d in four}
    assert set(FEASIBLE) == set(filter(suffices, every))
    assert len(FEASIBLE) == 13


def test_the_mission_is_that_of_the_paper() -> None:
    content = MISSION.content
    assert {name: " ".join(content.body_of(name).get("blind_to", ())) for name in content.team} == BLIND
    assert {"camera"} <= {resource for name in content.team for resource in content.body_of(name)}
    assert (content.world["width_m"], content.world["depth_m"], content.radio.range_m) == (30.0, 30.0, 10.0)
    pucks = {name: (own["colour"], own["pucks"]) for name, own in content.world["clusters"].items()}
    assert pucks == {"t1": ("red", 1), "t2": ("blue", 2), "t3": ("red", 1), "t4": ("red", 2)}
    terms = {name: task.terms["cobos"] for name, task in content.tasks.items()}
    assert {own.get("expected_s", 250.0) for own in terms.values()} == {250.0}
    assert [name for name, own in terms.items() if own.get("from_s")] == ["t4"]
    for name, own in content.world["clusters"].items():  # where the task's robots look for them
        assert (float(content.tasks[name].args["x"]), float(content.tasks[name].args["y"])) == (
            own["x_m"],
            own["y_m"],
        )


def test_cells_set_the_numbers_of_pucks_and_the_range() -> None:
    content = EXPERIMENT.scenarios[cell_of((1, 4, 1, 1))].mission.content
    assert [own["pucks"] for _, own in sorted(content.world["clusters"].items())] == [1, 4, 1, 1]
    ranges = [CONNECTED_EXPERIMENT.scenarios[cell_of(SHOWN, one)].mission.content.radio.range_m
              for one in (ISLANDS, CONNECTED)]  # fmt: skip
    assert ranges[0] == 10.0
    assert (ranges[1] or 0.0) > 42.5  # the room's diagonal
    (connected,) = (cell for cell in CONNECTED_EXPERIMENT.cells() if cell.name == cell_of(SHOWN, CONNECTED))
    assert CONNECTED_EXPERIMENT.baseline(connected) == cell_of(SHOWN, ISLANDS)


def test_beyond_seven_robots_the_others_are_staffed_and_the_eighth_brings_back_t4() -> None:
    joined = INFEASIBLE.scenarios[JOINED]
    assert "r8" in joined.mission.content.team
    assert [event.split()[1:] for event in joined.events] == [["remove", "r8"], ["return", "r8"]]
    firsts = {f"t{k}_first_s": 100.0 * k for k in (1, 2, 3, 4)}
    rows = [row(JOINED, 1, 2800.0, **firsts), row(LACKING, 1, 3600.0, accomplished=False, t1_first_s=9.0)]
    rows[1]["archived"] = "t2"
    claims = {(claim.cell, claim.text[:2]): claim.holds for claim in INFEASIBLE.claims(Results(rows))}
    assert claims == {
        (JOINED, "t1"): [True], (JOINED, "no"): [True], (LACKING, "t1"): [False], (LACKING, "t2"): [True],
        (JOINED, "al"): [True],
    }  # fmt: skip
    rows[0]["duration_s"], rows[1]["archived"] = 2950.0, ""
    assert [claim.holds for claim in INFEASIBLE.claims(Results(rows))][2:] == [[True], [False], [False]]
    rows[0]["duration_s"] = 2300.0
    assert [claim.holds for claim in INFEASIBLE.claims(Results(rows))][2] == [False]


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The first half minute: the robots have been sent, and one puck of t1 is held."""
    folder = tmp_path_factory.mktemp("cobos")
    scenario = EXPERIMENT.scenarios[CELL]
    limited = replace(scenario, factors={**scenario.factors, "time_limit_s": 28.0})
    experiment = replace(EXPERIMENT, scenarios={CELL: limited})
    log = log_path(folder, CELL, 1)
    log.parent.mkdir()
    (row,) = experiment.run(experiment.cells()[0], [1], log)
    return Results([{"cell": CELL, "run": 1, "seed": 1, **row}], folder)


def test_a_run_that_is_not_staffed_names_the_tasks_and_the_state_that_holds_them_up(short: Results) -> None:
    (row,) = short.rows
    assert row["accomplished"] is False
    assert row["held_up"] == "t2 t3 t4"
    for part in (
        "t2: 0 of 2 pucks held",
        "t3: 0 of 1 pucks held",
        "t4: 0 of 2 pucks held, 1 required",
        "on the way",
    ):
        assert part in str(row["state"])
    assert "t4_by" not in row
    assert set(row) >= set(COLUMNS) - {"t4_by", "t4_recruited_s", "t2_first_s", "t3_first_s", "t4_first_s"}


def test_the_successes_and_adaptations_of_a_run_are_its_robots_own(short: Results) -> None:
    (row,) = short.rows
    assert row["adaptations"] == 0
    assert row["required"] == "1 1 1 1"
    assert row["archived"] == ""
    assert row["changes_before_t4"] == 7 * (2 + 3)  # the pages and flags of three tasks, at the start
    assert row["changes_with_t4"] == 0
    assert 18 <= row["frame_bytes"] <= 22
    successes = dict(part.split(" ", 1) for part in str(row["successes"]).split("; "))
    assert sorted(successes) == sorted(BLIND)
    assert any(int(number) > 0 for own in successes.values() for number in own.split())  # t1 is performed
    assert row["colours_known"] + row["colours_wrong"] + row["colours_open"] == 7


def test_the_figures_and_tables_of_a_run_are_drawn(short: Results) -> None:
    log = log_path(short.folder, CELL, 1)
    kept = json.loads(log.read_text())
    some = {key: {name: kept[key][name] for name in ("r1", "r7")} for key in ("stays", "paths", "suitabilities")}
    log.write_text(json.dumps({**kept, **some}))  # two robots are drawn faster
    drawings = EXPERIMENT.figures(short)
    names = [drawing.path.stem.rpartition("-")[2] for drawing in drawings]
    assert names == ["duration_s", "map", "activity", "allocation"]
    assert all(drawing.path.stat().st_size > 5000 for drawing in drawings)
    staffed, colours, failed = EXPERIMENT.tables(short)
    assert len(staffed.rows) == len(colours.rows) == 13
    assert [row[3] for row in failed.rows] == ["t2 t3 t4"]


def row(cell: str, seed: int, duration_s: float, **changes: Any) -> RunRow:
    return row_of(cell, seed, **{"reallocations": 9, "adaptations": 3, "duration_s": duration_s, **changes})


def test_claims_count_staffed_runs_and_their_median_time() -> None:
    rows = [row(CELL, seed, 1000.0 + seed) for seed in range(9)]
    assert [claim.holds for claim in EXPERIMENT.claims(Results(rows))][:3] == [[True]] * 3
    rows += [row(CELL, seed, 3600.0, accomplished=False) for seed in range(9, 13)]
    assert [claim.holds for claim in EXPERIMENT.claims(Results(rows))][:3] == [[False], [True], [False]]
    assert all(claim.holds == [] for claim in EXPERIMENT.claims(Results([])))


def test_of_the_published_vector_alone_nothing_is_claimed_of_all_vectors() -> None:
    assert [cell.name for cell in PUBLISHED_EXPERIMENT.cells()] == [CELL]
    assert PUBLISHED_EXPERIMENT.runs == LEAST[1]
    rows = [row(CELL, seed, 1000.0, changes_before_t4=56, changes_with_t4=63, frame_bytes=22) for seed in range(9)]
    assert [claim.holds for claim in PUBLISHED_EXPERIMENT.claims(Results(rows))] == [[True], [True], [True] * 9]


def test_claims_bound_what_the_radio_carries() -> None:
    most = {"changes_before_t4": 56, "changes_with_t4": 63, "frame_bytes": 22}
    for changes, holds in ({}, True), *(({name: limit + 1}, False) for name, limit in most.items()):
        rows = [row(CELL, 1, 1000.0, **most | changes)]
        (sent,) = (one for one in EXPERIMENT.claims(Results(rows)) if "22 B" in one.text and one.cell == CELL)
        assert sent.holds == [holds]


def test_claims_compare_known_numbers_of_robots_with_unknown_ones() -> None:
    cell = cell_of(SHOWN, KNOWN)
    content = CONNECTED_EXPERIMENT.scenarios[cell].mission.content
    assert [content.tasks[f"t{k}"].terms["cobos"]["required"] for k in (1, 2, 3, 4)] == list(SHOWN)
    assert (content.parameters["solver"], content.parameters["recruits"]) == ("priority", False)
    (known,) = (one for one in CONNECTED_EXPERIMENT.cells() if one.name == cell)
    assert CONNECTED_EXPERIMENT.baseline(known) == cell_of(SHOWN, CONNECTED)
    rows = [row(cell, 1, 700.0, adaptations=0, recruiting_s=0.0), row(cell_of(SHOWN, CONNECTED), 1, 900.0)]
    found = [claim.holds for claim in CONNECTED_EXPERIMENT.claims(Results(rows)) if claim.cell == cell]
    assert found[1:] == [[True], [True], [False]]  # known, sooner, as many reallocations
    rows[0]["recruiting_s"] = 0.5
    found = [claim.holds for claim in CONNECTED_EXPERIMENT.claims(Results(rows)) if claim.cell == cell]
    assert found[1] == [False]


def test_claims_compare_a_network_with_islands_in_pairs() -> None:
    cells = cell_of(SHOWN, ISLANDS), cell_of(SHOWN, CONNECTED)
    rows = [row(cells[0], 1, 1500.0), row(cells[1], 1, 900.0, reallocations=12, adaptations=19)]
    found = [claim for claim in CONNECTED_EXPERIMENT.claims(Results(rows)) if claim.cell == cells[1]]
    verdicts = {claim.text.partition(" than")[0]: claim.holds for claim in found}
    assert verdicts["it is staffed sooner"] == [True]
    assert verdicts["it has fewer reallocations"] == [False]
    assert verdicts["numbers of robots are adapted at most 18 times"] == [False]
    rows = [{"cell": cell, "run": 1, "seed": 1, "accomplished": False, "reason": "late"} for cell in cells]
    assert not any(all(claim.holds) for claim in CONNECTED_EXPERIMENT.claims(Results(rows)) if claim.holds)


def test_robots_disagree_for_as_long_as_nothing_changes_and_they_would_solve_different_things() -> None:
    trial, both = agreement.Trial(), frozenset({1, 2})
    steps = (
        (10.0, both, "a"), (16.0, both, "a"), (17.0, both, "b"), (25.0, both, ""), (40.0, both, "b"),
        (41.0, both | {3}, "a"),
    )  # fmt: skip
    for now, members, asking in steps:
        trial.compare(now, {"r1": (members, "b"), "r2": (members, asking)})
    assert (trial.worst_s, trial.waits_s, trial.episodes, trial.agreed) == (6.0, 15.0, 2, False)
    for loss, beats, holds in ((0.0, 2.0, True), (0.0, 2.1, False), (0.3, 8.0, True), (0.3, 8.5, False)):
        cell = agreement.cell_of(loss)
        rows: list[RunRow] = [{"cell": cell, "run": 1, "seed": 1, "agreement_beats": beats, "episodes": 1}]
        held = {claim.cell: claim.holds for claim in agreement.EXPERIMENT.claims(Results(rows))}
        assert held == {agreement.cell_of(other): [holds] if other == loss else [] for other in (0.0, 0.3)}
        assert [row[0] for row in agreement.EXPERIMENT.tables(Results(rows))[0].rows] == list(held)


@pytest.mark.parametrize(
    ("blue", "red", "blind", "word"),
    [(1.0, 1.0, "red", "open"), (1.0, 0.4, "red", "known"), (0.4, 1.0, "red", "wrong"), (0.7, 1.0, "", "wrong")],
)
def test_the_lower_suitability_is_of_a_colour_that_a_robot_misses_or_is_wrong(
    blue: float, red: float, blind: str, word: str
) -> None:
    assert verdict({"blue": blue, "red": red}, (blind,)) == word


def test_the_robot_that_joined_last_has_completed_a_task() -> None:
    trial = Trial(MISSION)
    trial.holds = {"r6": ("t4", 700.0), "r7": ("t4", 1700.0), "r1": ("t2", 1800.0)}
    assert trial.completed_by("t4") == "r7"
    assert trial.completed_by("t3") == ""


def test_charts_show_recruitment_raised_and_count_the_robots_of_a_task() -> None:
    stays = {"r1": [(0.0, 1, False), (5.0, 2, True)], "r2": [(1.0, 2, False), (8.0, 0, False)], "r3": []}
    assert steps_of(stays["r1"], 10.0) == ([0.0, 5.0, 10.0], [1.0, 2.4, 2.4])
    assert steps_of([], 10.0) == ([0.0, 10.0], [0.0, 0.0])
    times, counts = counts_of(stays, 2, 10.0)
    assert [counts[times.index(at)] for at in (1.0, 5.0, 8.0, 10.0)] == [1.0, 2.0, 1.0, 1.0]
