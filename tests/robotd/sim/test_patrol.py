"""The mission patrol on every board that has an emulator: driven to its end, and the robots really move."""

import math

import pytest

from robotd.api import simulate
from robotd.config.load import find_mission, load_mission
from robotd.sim.parts import parts_of

from .small import rows_of

MISSION = load_mission(find_mission("patrol"))
SHORT = {
    f"sets__{name}-round__parameters": {"round_s": 6.0, "leg_s": 3.0} for name in ("first", "second", "third")
}
BOARDS = {
    "mixed": ["amber=create2", "olive=pioneer", "slate=r2"],
    "others": ["amber=kobuki", "olive=firmata", "slate=mock"],
}


def ways(log):
    """How far each robot has gone by its own odometry, m."""
    found = {}
    for name, rows in rows_of(log).items():
        places = [(at.x, at.y) for row in rows if (at := row.inputs.senses.odometry) is not None]
        if places:
            found[name] = sum(map(math.dist, places, places[1:]))
    return found


@pytest.mark.parametrize("boards", BOARDS)
def test_all_three_rounds_are_driven_by_robots_that_move(boards, tmp_path):
    parts = parts_of(MISSION, BOARDS[boards], [], all_bytes=False)
    log = tmp_path / "run.jsonl"
    outcome = simulate("patrol", 3, parts=parts, log=log, **SHORT)
    assert outcome.accomplished
    assert "raised" not in outcome.extra
    assert {task: {who for _, who in done} for task, done in outcome.story.done.items()} == {
        "first-round": {"amber"}, "second-round": {"olive"}, "third-round": {"slate"},
    }  # fmt: skip
    assert min(ways(log).values()) > 0.4
    blind = {"olive"} if boards == "others" else set()  # nothing on it counts its wheels' turns
    assert set(ways(log)) == set(MISSION.content.team) - blind


def test_the_round_of_a_robot_that_is_taken_away_is_driven_by_another():
    outcome = simulate("patrol", 3, events=["5 remove holder:first-round"], **SHORT)
    assert outcome.accomplished
    assert {who for _, who in outcome.story.done["first-round"]} <= {"olive", "slate"}


def test_the_same_seed_gives_the_same_run_through_the_bytes_of_all_boards(tmp_path):
    parts = parts_of(MISSION, BOARDS["mixed"], [], all_bytes=True)
    logs = [tmp_path / name for name in ("one", "other")]
    for log in logs:
        simulate("patrol", 5, parts=parts, log=log, duration_s=4.0, **SHORT)
    assert logs[0].read_bytes() == logs[1].read_bytes()
