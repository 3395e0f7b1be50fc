"""Which robots of a team can do which task."""

from pathlib import Path

import pytest

from robotd.advice.coverage import coverage
from robotd.config.load import load_mission
from robotd.config.mission import MissionFile, SetFile
from tests.benches.scaled import mission_of
from tests.robotd.advice.advised import has, of_mission

WITHOUT = 'without = ["look"]'


def test_the_robots_that_can_do_each_task_are_named_with_their_behavior_sets(tmp_path: Path) -> None:
    assert of_mission(tmp_path).tasks["shift"].as_json() == {
        "robots": ["blue", "red"],
        "needs": ["gripper", "mobile"],
        "lacking": [],
        "sets": {"blue": ["push"], "red": ["push"]},
        "missing": {},
    }


def test_a_task_of_one_robot_alone_is_a_warning(tmp_path: Path) -> None:
    assert has(of_mission(tmp_path).warnings, "only red can do 'find'", "stays undone")
    assert not has(of_mission(tmp_path, (WITHOUT, "without = []")).warnings, "only")


def test_a_body_without_what_a_behavior_set_needs_cannot_do_its_task(tmp_path: Path) -> None:
    of = of_mission(tmp_path, (WITHOUT, 'body = { lacks = ["gripper"] }')).tasks["shift"]
    assert (list(of.able), of.missing) == (["red"], {"blue": ("gripper",)})
    of = of_mission(tmp_path, (WITHOUT, 'body = { lacks = ["left-side"] }')).tasks["find"]
    assert of.missing == {"blue": ("side-range",)}
    of = of_mission(tmp_path, (WITHOUT, 'body = { lacks = ["sound"] }')).tasks["find"]
    assert (sorted(of.able), of.missing) == (["blue", "red"], {})


def test_a_task_that_no_robot_can_do_is_a_warning_with_the_reason(tmp_path: Path) -> None:
    advice = of_mission(tmp_path, ("[facts]", "[tasks.rest]\nnumber = 3\n[facts]"))
    assert has(advice.warnings, "no robot of the team can do 'rest': no robot has a behavior set for it")
    all_lack = ("[robots.red.", '[types.big]\nbody = { lacks = ["gripper"] }\n[robots.red.')
    advice = of_mission(tmp_path, (WITHOUT, 'body = { lacks = ["gripper"] }'), all_lack)
    assert has(advice.warnings, "can do 'shift': blue lacks gripper; red lacks gripper")
    assert advice.takeovers["shift"] == {}


def test_what_the_terms_of_a_coordinator_ask_for_is_needed_and_what_they_give_a_robot_it_has(
    tmp_path: Path,
) -> None:
    examples = Path(__file__).parents[3] / "docs" / "examples"
    (tmp_path / "room_ahead.py").write_text((examples / "room_ahead.py").read_text())
    text = (examples / "rounds.toml").read_text()
    asks = text.replace('resources = ["mobile"]', 'resources = ["mobile", "door-opener"]')
    assert asks != text
    mission = tmp_path / "mission.toml"
    for more, able in (("", []), ('[robots.olive.terms.murdoch]\nresources = ["door-opener"]\n', ["olive"])):
        mission.write_text(f"{asks}\n{more}")
        of = coverage(load_mission(mission))["guard"]
        assert list(of.able) == able
        assert of.missing["amber"] == ("door-opener",)


def test_the_sets_of_a_robot_are_worked_out_once_however_many_tasks_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, sets_of = [], MissionFile.sets_of

    def count(mission: MissionFile, robot: str) -> dict[str, SetFile]:
        asked.append(robot)
        return sets_of(mission, robot)

    monkeypatch.setattr(MissionFile, "sets_of", count)
    for tasks in (2, 8):
        mission = mission_of("alliance", 3, tasks)
        asked.clear()
        assert len(coverage(mission)) == tasks + 1
        assert asked == ["r1", "r2", "r3"]
