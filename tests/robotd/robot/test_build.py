"""A robot's mind is put together from the mission: its own sets, parameters and motivations."""

from typing import Any

import pytest

from robotd.config.load import find_mission, load_mission
from robotd.files.plugins import Plugins, UnknownPlugin
from robotd.model.inputs import Inputs, Order
from robotd.model.senses import Capabilities, Senses
from robotd.robot.build import build_mind


def minded(
    robot: str = "green", start: str = "command", base_station_timeout_s: float = 0.0, **changes: Any
) -> Any:
    mission = load_mission(
        find_mission("cleanup"), {key.replace("__", "."): value for key, value in changes.items()}
    )
    mind = build_mind(mission.content, mission.plugins, robot, start, base_station_timeout_s)
    mind.begin(0.0)
    return mind


def levels_of(mind: Any) -> list[str]:
    i = Inputs(0.0, 0, Senses(), Capabilities(), (Order("mission-start"),))
    return [level.set for level in mind.decide(i, (), ()).choice.levels]


def test_a_mind_has_the_missions_sets_in_their_order_but_those_it_does_not_have_and_its_own_number() -> None:
    mind = minded("blue")
    assert mind.beliefs.me == 2
    assert levels_of(mind) == list(load_mission(find_mission("cleanup")).content.sets)
    without = {"robots__gold__without": ["find-locations-wander"]}
    for robot, has in (("gold", False), ("green", True)):
        assert ("find-locations-wander" in levels_of(minded(robot, **without))) is has


def test_a_robots_own_motivation_goes_before_its_types_and_that_before_the_missions() -> None:
    of_type = {"motivation": {"fast_rate": 8.5}}

    def fast_rates(robot: str) -> dict[str, float]:
        mind = minded(
            robot,
            types__r2__sets={"move-spill-left": of_type, "report-progress": of_type},
            robots__green__sets={"move-spill-left": {"motivation": {"fast_rate": 9.5}}},
            robots__blue__sets={},
        )
        alliance = mind._coordinator
        return dict(zip(levels_of(mind), alliance._p.fast_rate, strict=True))

    base = load_mission(find_mission("cleanup")).content.sets["move-spill-right"].motivation["fast_rate"]
    green, blue = fast_rates("green"), fast_rates("blue")
    assert (green["move-spill-left"], blue["move-spill-left"]) == (9.5, 8.5)
    assert (green["report-progress"], blue["report-progress"]) == (8.5, 8.5)
    assert green["move-spill-right"] == blue["move-spill-right"] == base


def test_the_coordinator_counts_time_in_the_missions_decision_periods() -> None:
    for hz, ticks, seconds in ((10.0, 2, 0.2), (20.0, 4, 0.2), (20.0, 2, 0.1)):
        mind = minded(control__tick_hz=hz, control__ticks_per_decision=ticks)
        assert mind._coordinator._decision_s == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("start", "timeout_s", "words"),
    [
        ("command", 0.0, ["waiting for start"] * 2),
        ("at-boot", 0.0, ["running"] * 2),
        ("at-boot", 5.0, ["running", "stopped"]),
    ],
)
def test_permission_is_as_the_robots_own_file_has_it(start, timeout_s, words) -> None:
    mind, orders = minded(start=start, base_station_timeout_s=timeout_s), (Order("mission-start"),)
    first = mind.decide(Inputs(0.0, 0, Senses(), Capabilities(), orders), (), ())
    assert [first.state.word, mind.decide(Inputs(6.0, 60, Senses(), Capabilities()), (), ()).state.word] == words


def test_a_behavior_that_no_plug_in_has_is_named() -> None:
    mission = load_mission(find_mission("cleanup")).content
    changed = mission.model_copy(update={"layers": {"hover": mission.layers["bump-escape"]}})
    with pytest.raises(UnknownPlugin, match="no behavior is called 'hover'"):
        build_mind(changed, Plugins(), "green", "command")
