"""What the robot of a robot file can do, by its own board as it is set up there."""

from pathlib import Path

import pytest

from boards.firmata.pins import FirmataSettings
from boards.pioneer.driver import PioneerSettings
from robotd.advice.body import unwired
from robotd.advice.check import Report, check

BUMPERS = "bumpers = [{ pin = 2, bearing_deg = 0 }]"
ROUNDS = ["first-round", "second-round", "third-round"]


def report(folder: Path, board: str, parameters: str = "", mission: str = "patrol", more: str = "") -> Report:
    file = folder / "robot.toml"
    name = "green" if mission == "cleanup" else "amber"
    file.write_text(
        f'name = "{name}"\nmission = "{mission}"\n[board]\nname = "{board}"\nport = "/dev/board"\n'
        f'[board.parameters]\n{parameters}\n[radio]\nname = "none"\n{more}',
        encoding="utf-8",
    )
    found = check(str(file), here=False)
    assert found.problems == []
    return found


def text_of(found: Report) -> str:
    return "\n".join([*found.advice.notes, *found.advice.warnings])


def test_a_robot_whose_board_lacks_what_a_task_needs_cannot_do_it_and_what_is_missing_is_named(
    tmp_path: Path,
) -> None:
    found = report(tmp_path, "firmata")
    for task in ROUNDS:
        assert found.advice.tasks[task].missing == {"amber": ("bumpers",)}
        assert sorted(found.advice.tasks[task].able) == ["olive", "slate"]
    assert found.advice.shortcomings == [
        "amber cannot do 'first-round', 'second-round' and 'third-round': its board 'firmata', as it is set up "
        "here, has no bumpers"
    ]
    assert "bumpers = [{ pin = ..., bearing_deg = ... }] (bump switches)" in text_of(found)
    assert "its teammates by the bodies that the mission simulates" in text_of(found)
    assert found.as_json()["shortcomings"] == found.advice.shortcomings


@pytest.mark.parametrize("board", ["create2", "kobuki", "pioneer", "firmata"])
def test_a_robot_whose_board_has_all_that_a_task_needs_can_do_it(board: str, tmp_path: Path) -> None:
    found = report(tmp_path, board, BUMPERS if board == "firmata" else "")
    assert all("amber" in found.advice.tasks[task].able for task in ROUNDS)
    assert (found.advice.shortcomings, found.advice.unwired) == ([], {})


def test_settings_that_leave_a_part_out_count(tmp_path: Path) -> None:
    found = report(tmp_path, "pioneer", "front_bump_deg = []\nrear_bump_deg = []")
    assert found.advice.tasks["first-round"].missing == {"amber": ("bumpers",)}


def test_what_add_ons_bring_counts(tmp_path: Path) -> None:
    bare = report(tmp_path, "pioneer", mission="cleanup")
    assert "positioning" in bare.advice.tasks["find-locations"].missing["green"]
    more = '[[add_ons]]\nname = "positioning"\nport = "/dev/other"\n'
    found = report(tmp_path, "pioneer", mission="cleanup", more=more)
    assert "green" in found.advice.tasks["find-locations"].able
    assert found.advice.tasks["report-progress"].missing["green"] == ("sound",)


def test_what_only_the_board_itself_reports_is_taken_to_be_there_and_named_as_unknown(tmp_path: Path) -> None:
    found = report(tmp_path, "r2")
    assert "amber" in found.advice.tasks["first-round"].able
    assert "whether amber has bumpers is known only once its board answers" in text_of(found)
    auto = report(tmp_path, "pioneer", mission="cleanup")
    assert "gripper" not in auto.advice.tasks["move-spill-left"].missing["green"]
    without = report(tmp_path, "pioneer", 'gripper = "no"', mission="cleanup")
    assert "gripper" in without.advice.tasks["move-spill-left"].missing["green"]
    assert "only once its board answers" not in text_of(without)


def test_a_simulated_robot_is_judged_by_the_body_that_the_mission_gives_it(tmp_path: Path) -> None:
    file = tmp_path / "robot.toml"
    file.write_text('name = "amber"\nmission = "patrol"\n[board]\nname = "mock"\n[radio]\nname = "none"\n')
    found = check(str(file), here=False)
    assert "amber" in found.advice.tasks["first-round"].able
    assert "is judged by its board" not in text_of(found)


def test_the_parts_that_a_board_may_have_are_lines_to_fill_in_until_they_are_declared() -> None:
    lines = unwired(FirmataSettings, {})
    assert list(lines) == [
        "infrared = [{ channel = ..., bearing_deg = ... }]",
        "bumpers = [{ pin = ..., bearing_deg = ... }]",
        "gripper = { pin = ... }",
    ]
    assert not any(line.startswith("bumpers") for line in unwired(FirmataSettings, {"bumpers": [{"pin": 2}]}))
    assert unwired(PioneerSettings, {}) == {}
