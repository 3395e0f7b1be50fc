"""Radios with a range, and walls between them: islands, relays, and slots near the base station alone."""

import math
import tomllib
from pathlib import Path

import pytest

from robotd.config.load import Mission, Source, mission_of
from robotd.sim.airs import reaches_in
from robotd.sim.parts import Parts, parts_of
from robotd.sim.team import Team, build_world

from .small import run

EAST = {"near": 2.0, "relay": 11.0, "far": 20.0}  # x of each robot, m: neighbors are 9 m apart


def mission(
    radio: str = "range_m = 10.0",
    world: str = "",
    without: tuple[str, ...] = (),
    drive: str = "round_s = 5.0, speed = 0.2",
) -> Mission:
    """NEAR drives a short round, which RELAY and FAR cannot; the base station is beside NEAR."""
    names = [name for name in EAST if name not in without]
    team = "\n".join(f'{n} = {{ number = {k}, type = "r2" }}' for k, n in enumerate(EAST, 1) if n in names)
    body = "body = {{ x_m = {}, y_m = 2.0, heading_deg = 0.0 }}\n{}"
    own = {n: body.format(EAST[n], "" if n == "near" else "without = ['round']\n") for n in names}
    robots = "\n".join(f"[robots.{name}]\n{table}" for name, table in own.items())
    text = f"""
name = "islands"
[team]
{team}
[tasks]
round = {{ number = 1, kind = "patrol", completion = "driven" }}
never = {{ number = 2, kind = "patrol", completion = "not-driven" }}
[facts]
driven = {{ number = 1, kind = "flag" }}
not-driven = {{ number = 2, kind = "flag" }}
[control]
tick_hz = 10.0
ticks_per_decision = 2
[radio]
base_station_x_m = 1.0
base_station_y_m = 1.0
{radio}
[sets.round]
behavior = "patrol"
task = "round"
parameters = {{ {drive} }}
motivation = {{ fast_rate = 50.0, slow_rate = 1.0, patience_s = 99.0, yield_time_s = 99.0, give_up_time_s = 99.0 }}
{robots}
[world]
width_m = 24.0
depth_m = 4.0
spills = []
{world}
"""
    return mission_of(Source("islands.toml", text, tomllib.loads(text)), Path())


def observed(which: Mission, parts: Parts | None = None) -> dict[str, object]:
    """Who knows the fact in the end, whom FAR has heard, and each robot's pacing at that time."""
    last: dict[str, object] = {}

    def see(now: float, team: Team) -> None:
        beliefs = {name: robot.mind.beliefs for name, robot in team.robots.items()}
        last["knows"] = {name for name, own in beliefs.items() if own.flag("driven")}
        last["heard"] = {name: set(map(which.table.name, own.teammates)) for name, own in beliefs.items()}
        last["pacing"] = {name: robot.radio.statistics.pacing for name, robot in team.robots.items()}

    run(for_s=24.0, mission=which, see=see, parts=parts)
    return last


@pytest.mark.parametrize("radio", ["mock", "transparent"])
def test_islands_never_receive_each_other_and_a_robot_between_relays_facts(radio: str) -> None:
    which = mission()
    parts = parts_of(which, [], [radio], all_bytes=False)
    seen = observed(which, parts=parts)
    assert seen["heard"] == {"near": {"relay"}, "relay": {"near", "far"}, "far": {"relay"}}
    assert seen["knows"] == {"near", "relay", "far"}
    seen = observed(mission(without=("relay",)), parts=Parts(radios={"near": radio, "far": radio}))
    assert seen["heard"] == {"near": set(), "far": set()}
    assert seen["knows"] == {"near"}


def test_without_a_range_all_receive_all_and_share_the_slots() -> None:
    seen = observed(mission(radio="range_m = inf"))
    assert seen["heard"]["far"] == {"near", "relay"}
    assert set(seen["pacing"].values()) == {"slots"}


def test_only_a_robot_near_the_base_station_has_slots() -> None:
    seen = observed(mission(radio="range_m = 9.5"))
    assert seen["pacing"] == {"near": "slots", "relay": "free", "far": "free"}


def test_a_robot_that_leaves_the_base_stations_range_runs_free_after_ten_and_a_half_beats() -> None:
    quick = "range_m = 10.0\nbeat_s = 1.5"
    alone = mission(quick, without=("relay", "far"), drive="round_s = 65.0, speed = 1.0, leg_s = 600.0")
    outside, free = [], []

    def see(now: float, team: Team) -> None:
        x, y, _ = team.world.pose("near") or (0.0, 0.0, 0.0)
        if math.dist((x, y), (1.0, 1.0)) > 10.0:
            outside.append(now)
        if outside and team.robots["near"].radio.statistics.pacing == "free":
            free.append(now)

    run(for_s=65.0, mission=alone, see=see)
    beat = 1.5
    assert 9.5 * beat <= free[0] - outside[0] <= 11.5 * beat


@pytest.mark.parametrize("blocks", [True, False])
def test_a_wall_that_blocks_radio_parts_a_team_and_another_does_not(blocks: bool) -> None:
    ends = "x1_m = 15.0, y1_m = 0.0, x2_m = 15.0, y2_m = 4.0"
    wall = f"walls = [{{ {ends}, blocks_radio = {str(blocks).lower()} }}]"
    seen = observed(mission(radio="", world=wall))
    assert seen["heard"]["far"] == (set() if blocks else {"near", "relay"})
    assert seen["knows"] == {"near", "relay"} | (set() if blocks else {"far"})


def test_which_radio_reaches_which_does_not_depend_on_the_order_of_asking() -> None:
    which = mission()
    worlds = [build_world(which, 1) for _ in range(2)]
    reaches = [reaches_in(which, world) for world in worlds]
    worlds[1].advance(50.0)
    asked = [[ask(1, 2, t), ask(2, 3, t), ask(1, 3, t), ask(0, 1, t), ask(0, 3, t), ask(9, 3, t)]
             for ask in reaches if ask is not None for t in (0.0, 5.0, 49.0)]  # fmt: skip
    assert asked[:3] == asked[3:]
    assert asked[0] == [True, True, False, True, False, True]  # a stranger has no place
    assert reaches_in(mission(radio=""), worlds[0]) is None
