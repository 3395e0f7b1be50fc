"""Missions of the R-2s by robots of other makes, through the bytes of their boards: how they begin."""

from robotd.api import simulate
from robotd.config.load import find_mission, load_mission
from robotd.sim.parts import parts_of


def begun(name, board, **options):
    """The first seconds of a mission by a team of one make."""
    parts = parts_of(load_mission(find_mission(name)), [board], [], all_bytes=True)
    return simulate(name, 1, parts=parts, **options)


def test_two_create_2_push_a_box_in_turn_and_it_moves():
    seen = []
    outcome = begun("box-pushing", "create2+positioning", duration_s=9.0, progress=lambda *one: seen.append(one))
    done = outcome.story.done
    assert {who for _, who in done["push-left"]} == {"green"}
    assert {who for _, who in done["push-right"]} == {"blue"}
    assert seen[-1][1] > 3  # cm


def test_without_positioning_no_robot_pushes():
    assert begun("box-pushing", "create2", duration_s=3.0).story.done == {}
