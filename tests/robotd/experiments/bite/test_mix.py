"""Protocols mixed in the formation of walkers: what is judged by the world's truth, claimed and compared."""

import math
from itertools import product
from types import SimpleNamespace
from typing import Any, cast

import pytest

from robotd.config.load import find_mission, load_mission
from robotd.experiments.base import Results
from robotd.experiments.bite.mix import ALLOCATE, ALLOCATED, DECIDE, DECIDED, EXPERIMENT, RATIOS, VARIANTS, cell_of
from robotd.experiments.bite.published import POOR_POOR, RICH_POOR, RICH_RICH
from robotd.experiments.bite.trial import ASIDE, NONE, TIME, TWICE, Trial, fitting_places, places_of
from robotd.experiments.rows import RunRow
from robotd.model.choice import Choice
from robotd.model.tasks import Assignment, Task
from tests.robotd.experiments.fakes import ended, row_of

MISSION = load_mission(find_mission("formation")).content
TRIANGLE = {"lead": (0.0, 0.0), "follow-left": (-0.45, 0.45), "follow-right": (-0.45, -0.45)}
AHEAD, LEFT, RIGHT = (2.5, 2.0), (2.1, 1.6), (2.9, 1.5)  # in the world's axes: x to the right, y ahead


class Watched(Trial):
    """A trial of walkers that are where a test has them."""

    def __init__(self) -> None:
        super().__init__(MISSION)
        self.now = 0.0

    def walk(self, *robots: tuple[str, tuple[float, float]], formation: str = "triangle") -> None:
        """Half a second in a formation: of each robot its child ('' for none) and where it is."""
        names = [f"r{k}" for k in range(1, len(robots) + 1)]
        poses = {name: (*place, 1.57) for name, (_, place) in zip(names, robots, strict=True)}
        self.now += 0.5
        for name, (child, _) in zip(names, robots, strict=True):
            path = [formation, child] if child else ["search"]
            self.decide(name, self.now, Choice(run=tuple(Assignment(one, Task(one, id=one)) for one in path)))
        team = SimpleNamespace(
            names=names, robots={}, mission=SimpleNamespace(table=SimpleNamespace(own_kinds=())),
            world=SimpleNamespace(pose=poses.get),
        )  # fmt: skip
        self.look(self.now, cast(Any, team))

    def row(self, *, accomplished: bool = True) -> RunRow:
        return self.columns(ended(accomplished=accomplished, reason="late"))


def test_places_are_those_that_the_sets_of_the_mission_keep() -> None:
    assert places_of(MISSION, "triangle") == TRIANGLE
    assert places_of(MISSION, "line") == {
        "line-lead": (0.0, 0.0), "follow-first": (-0.5, 0.0), "follow-second": (-1.0, 0.0)
    }  # fmt: skip
    assert places_of(MISSION, "search") == {}


def test_places_fit_best_wherever_the_formation_is() -> None:
    beside = {"r1": (7.0, 3.5), "r2": (7.0, 3.0), "r3": (7.0, 2.5)}
    assert fitting_places(beside, TRIANGLE) == {"r1": "follow-left", "r2": "lead", "r3": "follow-right"}


def test_a_run_in_which_all_are_at_their_places_is_accomplished() -> None:
    seen = Watched()
    seen.walk(("", LEFT), ("", AHEAD), ("", RIGHT))
    seen.walk(("follow-left", LEFT), ("lead", AHEAD), ("follow-right", RIGHT))
    row = seen.row()
    assert (row["accomplished"], row["cause"], row["failure"], row["task_s"]) == (True, NONE, "", 50.0)
    assert (row["fits"], row["searches"], row["twice_s"]) == (True, 1, 0.0)


def test_one_place_taken_twice_is_a_failure_by_that_cause_unless_it_is_mended() -> None:
    seen = Watched()
    for _ in range(3):
        seen.walk(("follow-left", LEFT), ("lead", AHEAD), ("follow-left", RIGHT))
    row = seen.row()
    assert (row["accomplished"], row["cause"], row["twice_s"], row["fits"]) == (False, TWICE, 1.0, False)
    assert row["failure"] == "triangle, one place twice: follow-left by r1 and r3"
    assert row["trace"] == (
        "0.5 s, triangle by market: r1 takes follow-left, r2 takes lead, r3 takes follow-left; "
        "nearest: r1 follow-left, r2 lead, r3 follow-right"
    )
    assert "task_s" not in row
    seen.walk(("follow-left", LEFT), ("lead", AHEAD), ("follow-right", RIGHT))
    assert (seen.row()["accomplished"], seen.row()["fits"]) == (True, False)


@pytest.mark.parametrize(
    ("left", "right", "accomplished"),
    [(LEFT, RIGHT, True), (RIGHT, LEFT, False), (LEFT, (2.9, 0.7), False), ((2.1, 1.1), (2.9, 1.1), True)],
)
def test_a_robot_on_the_wrong_side_or_far_from_its_place_is_a_failure_and_one_that_lags_is_none(
    left: tuple[float, float], right: tuple[float, float], accomplished: bool
) -> None:
    seen = Watched()
    seen.walk(("follow-left", left), ("lead", AHEAD), ("follow-right", right))
    row = seen.row()
    assert (row["accomplished"], row["cause"]) == (accomplished, NONE if accomplished else ASIDE)


def test_a_run_that_comes_to_no_end_fails_for_time() -> None:
    row = Watched().row(accomplished=False)
    assert (row["accomplished"], row["cause"], row["failure"]) == (False, TIME, "time: late")
    assert "fits" not in row


def test_each_cell_sets_the_protocols_of_all_points() -> None:
    for decide, allocate in product(DECIDE, ALLOCATE):
        graph = EXPERIMENT.scenarios[cell_of(decide, allocate)].mission.content.coordinator.parameters["graph"]
        assert {name for name, own in graph.items() if len(own.get("next", ())) > 1} <= set(DECIDED)
        assert {graph[name]["decide"] for name in DECIDED} == {decide}
        assert {name for name, own in graph.items() if len(own.get("first", ())) > 1} == set(ALLOCATED)
        assert {graph[name]["allocate"] for name in ALLOCATED} == {allocate}


TIMES = {RICH_POOR: (1.8, 0.4, 50.0), POOR_POOR: (0.0, 0.5, 55.0), RICH_RICH: (1.8, 1.2, 45.0)}


def rows_of(times: dict[str, tuple[float, float, float]]) -> list[RunRow]:
    return [
        row_of(VARIANTS[variant], seed, sync_s=sync, allocation_s=allocation + 0.01 * seed,
               interaction_s=sync + allocation, task_s=task + seed, duration_s=task + seed)
        for variant, (sync, allocation, task) in times.items() for seed in (1, 2)
    ]  # fmt: skip


def held(times: dict[str, tuple[float, float, float]]) -> dict[tuple[str, str], bool]:
    claims = EXPERIMENT.claims(Results(rows_of(times)))
    return {(one.cell, one.text.split()[0]): all(one.holds) for one in claims if one.holds}


def test_claims_compare_the_variants_of_the_table() -> None:
    rich, poor = VARIANTS[RICH_RICH], VARIANTS[POOR_POOR]
    found = held(TIMES)
    assert found[poor, "synchronisation"]
    assert found[rich, "allocation"]
    assert found[rich, "interaction"]
    worse = held({**TIMES, POOR_POOR: (0.1, 0.9, 55.0), RICH_RICH: (0.2, 0.6, 45.0)})
    assert not any(worse[key] for key in ((poor, "synchronisation"), (rich, "allocation"), (rich, "interaction")))


def test_a_run_that_takes_places_anew_until_its_time_is_over_is_not_compared_with_the_table() -> None:
    late: RunRow = {"cell": VARIANTS[RICH_POOR], "run": 3, "seed": 3, "accomplished": False, "sync_s": 30.0,
                    "allocation_s": 9.0, "interaction_s": 39.0, "duration_s": 360.0}  # fmt: skip
    rich = {**late, "cell": VARIANTS[RICH_RICH], "accomplished": True, "interaction_s": 3.0, "task_s": 45.0}
    results = Results([*rows_of(TIMES), late, rich])
    (claim,) = [one for one in EXPERIMENT.claims(results) if RICH_POOR in one.text and "interaction" in one.text]
    assert all(claim.holds)
    table = EXPERIMENT.tables(results)[0]
    (line,) = [line for line in table.rows if line[0] == RICH_POOR]
    assert (line[2], str(line[7])[:4]) == ("2 of 3", "2.20")


def test_ratios_of_task_times_are_beside_the_published_ones() -> None:
    assert [round(one, 3) for one in RATIOS.values()] == [0.811, 0.839] * 2
    table = EXPERIMENT.tables(Results(rows_of(TIMES)))[1]
    assert [line[:3] for line in table.rows] == [
        ["vote, by-sight", "0.811", 2], ["agreed, by-sight", "0.839", 2], ["vote, agreed", "0.811", 0],
        ["agreed, agreed", "0.839", 0],
    ]  # fmt: skip
    assert str(table.rows[0][3]).startswith("0.903")
    assert math.isclose(46.5 / 51.5, 0.903, abs_tol=1e-3)


def test_the_table_of_all_pairs_has_the_share_in_which_the_first_places_fit() -> None:
    cell = cell_of("vote", "agreed")
    rows = [row_of(cell, k, cause=NONE, fits=k == 1) for k in range(1, 5)]
    (line,) = [line for line in EXPERIMENT.tables(Results(rows))[2].rows if line[0] == cell]
    assert str(line[3]).startswith("0.25")
