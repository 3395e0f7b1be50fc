"""The installed missions beside cleanup, whole: accomplished though robots go, and as they are meant to be."""

from pathlib import Path

import pytest

from robotd.advice.advice import advise_mission
from robotd.api import simulate
from robotd.config.load import find_mission, load_mission

from .small import rows_of

WEST, EAST = ("ash", "birch"), ("cedar", "elm")
TICK_S = 0.1
JANITOR = load_mission(find_mission("janitor"))


def moving(log: Path) -> dict[str, list[tuple[float, float]]]:
    """By robot the spans of time (s) in which its wheels were commanded to turn so that it leaves its place."""
    return {
        name: [
            (row.inputs.now, row.inputs.now + TICK_S)
            for row in rows
            if abs(row.driven.left + row.driven.right) > 1e-9
        ]
        for name, rows in rows_of(log).items()
    }


def both(one: list[tuple[float, float]], other: list[tuple[float, float]]) -> float:
    """For how long spans of both overlap at most, s."""
    return max((min(b, d) - max(a, c) for a, b in one for c, d in other if a < d and c < b), default=0.0)


@pytest.mark.long
def test_in_overwatch_never_do_both_groups_move_and_all_who_are_left_arrive(tmp_path: Path) -> None:
    log, removed = tmp_path / "run.jsonl", ["58 remove holder:bound-west-left", "61 remove holder:watch-east"]
    half = {"y_m": 4.8}  # of the way, to the second station of both
    outcome = simulate("overwatch", 3, events=removed, log=log, radio__loss=0.3, world__finish=half)
    assert outcome.accomplished
    assert "never_happened" not in outcome.extra
    spans = moving(log)
    assert set(spans) == {*WEST, *EAST}
    west, east = ([span for name in group for span in spans[name]] for group in (WEST, EAST))
    assert both(west, east) == 0.0
    assert both(spans["ash"], spans["birch"]) > 0.0 or both(spans["cedar"], spans["elm"]) > 0.0
    by = {task: {robot for _, robot in occasions} for task, occasions in outcome.story.done.items()}
    assert by["bound-west-left"] == set(WEST)  # who was left did the lost one's part as well


def test_a_janitor_floor_on_which_garbage_drops_is_cleaned_again_and_all_is_clean_in_the_end() -> None:
    changes = {
        f"sets__clean-{floor}__{key}": value
        for floor in ("front", "back")
        for key, value in (("parameters__after", []), ("motivation__fast_rate", 30.0))
    }
    less = [{**area, "work_s": 0.3 * area["work_s"]} for area in JANITOR.content.world["areas"]]
    outcome = simulate("janitor", 1, **changes, world__areas=less)
    assert outcome.accomplished
    assert len(outcome.story.done["clean-back"]) == 2


def test_the_areas_that_robots_know_of_are_those_of_the_world_and_every_tool_is_on_two_robots() -> None:
    content = JANITOR.content
    true = {area["name"]: area for area in content.world["areas"]}
    known = [area for own in content.sets.values() for area in own.parameters["areas"]]
    assert sorted(area["name"] for area in known) == sorted(true)
    for area in known:
        assert {key: true[area["name"]][key] for key in area} == area
        assert content.facts[area["name"]].kind == "scalar"
    tools = [tool for name in content.team for tool in content.body_of(name)["tools"]]
    assert sorted(tools) == ["broom", "broom", "duster", "duster", "tipper", "tipper"]


@pytest.mark.parametrize("name", ["janitor", "overwatch", "patrol"])
def test_of_no_mission_is_there_anything_to_warn(name: str) -> None:
    assert advise_mission(load_mission(find_mission(name))).warnings == []


def test_a_robot_that_has_not_the_tool_cannot_do_the_task() -> None:
    advice = advise_mission(load_mission(find_mission("janitor"), {"robots.slate.body": {"tools": ["tipper"]}}))
    assert any("only olive can do 'dust'" in words for words in advice.warnings)
    assert advice.tasks["dust"].missing == {"slate": ("duster",)}
