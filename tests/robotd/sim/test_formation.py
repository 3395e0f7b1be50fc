"""The mission formation as a team runs it: three walkers that start in an order that none of them knows."""

from robotd.api import simulate
from robotd.config.load import find_mission, load_mission

MISSION = load_mission(find_mission("formation"))


def test_walkers_form_a_triangle_and_then_a_line_and_walk_six_metres() -> None:
    outcome = simulate(MISSION, 1)
    assert outcome.accomplished
    assert outcome.duration_s < 70.0
