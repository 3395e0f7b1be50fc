"""Members without wheels: a desktop with a camera overhead is a member like any other, and is never driven."""

import json
import shutil
import tomllib
from pathlib import Path

import pytest

from boards.none import NoBody
from robotd.__main__ import main
from robotd.config.load import ConfigError, Mission, Source, mission_of
from robotd.model.command import Command
from robotd.sim.parts import parts_of
from robotd.sim.team import Team

from .small import rows_of, run

MONITOR = Path(__file__).parents[2] / "plugins" / "monitor.py"
TEXT = f"""
name = "desk"
plugins = ["{MONITOR}"]
[team]
desk = {{ number = 1, type = "desktop" }}
rover = {{ number = 2, type = "rover" }}
[tasks]
round = {{ number = 1, kind = "patrol", completion = "driven" }}
monitor = {{ number = 2, completion = "monitored" }}
[facts]
driven = {{ number = 1, kind = "flag" }}
monitored = {{ number = 2, kind = "flag" }}
[control]
tick_hz = 10.0
ticks_per_decision = 2
[layers.avoid-obstacles]
[layers.bump-escape]
[sets.round]
behavior = "patrol"
task = "round"
parameters = {{ round_s = 6.0 }}
motivation = {{ fast_rate = 50.0, slow_rate = 1.0, patience_s = 99.0, yield_time_s = 99.0, give_up_time_s = 99.0 }}
[sets.monitor]
task = "monitor"
parameters = {{ watch_s = 3.0 }}
motivation = {{ fast_rate = 50.0, slow_rate = 1.0, patience_s = 99.0, yield_time_s = 99.0, give_up_time_s = 99.0 }}
[types.desktop]
body = {{ fixed = true, x_m = 2.0, y_m = 2.0, resources = ["overhead-camera"] }}
[world]
width_m = 4.0
depth_m = 4.0
spills = []
"""


def desk() -> Mission:
    return mission_of(Source("desk.toml", TEXT, tomllib.loads(TEXT)), Path())


def test_a_desktop_takes_the_task_that_it_alone_can_do_and_is_never_driven() -> None:
    seen: dict[str, object] = {}

    def see(now: float, team: Team) -> None:
        robot = team.robots["desk"]
        seen["pose"] = team.world.pose("desk")
        seen["able"] = robot.snapshot.inputs.capabilities if robot.snapshot else None
        seen["teammates"] = set(team.robots["rover"].mind.beliefs.teammates)
        seen["rover"] = team.world.pose("rover")

    ran = run(for_s=60.0, mission=desk(), see=see)
    assert ran.outcome.accomplished
    assert seen["pose"][:2] == (2.0, 2.0)
    able = seen["able"]
    assert (able.resources, able.missing, able.max_speed) == (("overhead-camera",), (), 0.0)
    assert seen["teammates"] == {1}
    doing = {name: {look.doing for look in looks} - {""} for name, looks in ran.looks.items()}
    assert doing == {"desk": {"monitor"}, "rover": {"round"}}
    assert all(look.wheels == (0.0, 0.0) for look in ran.looks["desk"])


def test_a_rover_drives_through_the_place_of_a_desktop_and_its_rays_do_not_meet_it() -> None:
    text = TEXT.replace("[types.desktop]", "[types.rover]\nbody = { x_m = 2.0, y_m = 1.0 }\n[types.desktop]")
    text = text.replace("round_s = 6.0", "round_s = 8.0, leg_s = 100.0, speed = 1.0")
    mission = mission_of(Source("desk.toml", text, tomllib.loads(text)), Path())
    ran = run(for_s=9.0, mission=mission)
    assert max(look.pose[1] for look in ran.looks["rover"]) > 2.5


def test_what_concerns_wheels_leaves_a_desktop_as_it_is() -> None:
    events = ("1 seize all", "2 motors-dead desk", "2 slow all 0.5", "2 dead desk bumpers", "3 remove desk",
              "4 return desk", "4 release all", "5 restore all all")  # fmt: skip
    ran = run(*events, for_s=8.0, mission=desk())
    assert "raised" not in ran.outcome.extra
    for at in (1.5, 2.5, 7.5):
        assert ran.at(at, "desk").pose[:2] == (2.0, 2.0)
        assert ran.at(at, "desk").missing == {}


def test_a_named_resource_can_be_dead_and_is_restored() -> None:
    ran = run("1 dead all overhead-camera", "4 restore desk overhead-camera", for_s=8.0, mission=desk())
    assert ran.at(0.5, "desk").missing == {}
    assert set(ran.at(3.5, "desk").missing) == {"overhead-camera"}
    assert ran.at(3.5, "rover").missing == ran.at(7.5, "desk").missing == {}
    assert ran.at(3.5, "desk").doing == ""


@pytest.mark.parametrize("event", ["1 frozen desk overhead-camera", "1 dead desk desk-lamp"])
def test_a_named_resource_is_no_sensor_and_one_that_no_robot_has_cannot_be_dead(event: str) -> None:
    with pytest.raises(ConfigError):
        run(event, mission=desk())


def test_with_bytes_a_desktop_keeps_the_board_none() -> None:
    assert dict(parts_of(desk(), [], [], all_bytes=True).boards) == {"desk": "none", "rover": "r2"}


def test_a_run_with_a_desktop_replays_and_can_be_plotted(tmp_path: Path) -> None:
    file = tmp_path / "desk.toml"
    file.write_text(TEXT, encoding="utf-8")
    assert main(["check", str(file)]) == 0
    assert main(["sim", str(file), "--out", str(tmp_path / "out")]) == 0
    log = str(tmp_path / "out" / "run.jsonl")
    assert main(["replay", log, "--plugin", str(MONITOR)]) == 0
    assert main(["plot", log, "--out", str(tmp_path / "figures")]) == 0


def test_the_board_none_has_what_its_settings_name_and_drives_nothing() -> None:
    board = NoBody(NoBody.Settings(resources=("overhead-camera", "desk-lamp"), x_m=1.0, y_m=2.0))
    assert board.capabilities(0.0).resources == ("desk-lamp", "overhead-camera")
    assert board.command(0.0, Command(0.3, 0.3, 1.0, 1.0, 2, tool="broom")) == Command()
    pose = board.senses(0.0).pose
    assert (pose.x, pose.y, pose.accuracy) == (1.0, 2.0, 0.0)
    assert NoBody(NoBody.Settings()).senses(0.0).pose is None


@pytest.mark.long
def test_processes_of_a_desktop_and_of_islands_hear_only_who_is_in_range(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The plug-in file is relative to the mission file, and each process has a folder of its own."""
    shutil.copy(MONITOR, tmp_path)
    text = TEXT.replace(str(MONITOR), "./monitor.py").replace("width_m = 4.0", "width_m = 24.0")
    text = text.replace("[tasks]", 'far = { number = 3, type = "rover" }\n[tasks]')
    text += "[radio]\nrange_m = 10.0\nbase_station_x_m = 1.0\nbase_station_y_m = 1.0\n"
    for name, x, own in (("rover", 5.0, ""), ("far", 20.0, "without = ['round']\n")):
        text += f"[robots.{name}]\nbody = {{ x_m = {x}, y_m = 2.0 }}\n{own}"
    (tmp_path / "desk.toml").write_text(text, encoding="utf-8")
    words = ["sim", str(tmp_path / "desk.toml"), "--processes", "--base-station", "--json", "--duration", "60"]
    assert main([*words, "--out", str(tmp_path / "out")]) == 0
    outcome = json.loads(capsys.readouterr().out)
    assert outcome["accomplished"], outcome["reason"]
    assert (outcome["exits"], outcome["raised"]) == (dict.fromkeys(("desk", "far", "rover"), 0), {})
    active = {name: {spell[0] for spell in spells} for name, spells in outcome["robots"].items()}
    assert active == {"desk": {"monitor"}, "rover": {"round"}, "far": set()}
    heard, resources = {}, set()
    for name in ("desk", "rover", "far"):
        rows = rows_of(tmp_path / "out" / name / "log")[name]
        heard[name] = {one.sender for row in rows for one in row.heard}
        resources |= set(rows[-1].inputs.capabilities.resources) if name == "desk" else set()
    assert heard == {"desk": {0, 2}, "rover": {0, 1}, "far": set()}, "0: the base station"
    assert resources == {"overhead-camera"}
    log = str(tmp_path / "out" / "desk" / "log")
    assert main(["replay", log, "--plugin", str(MONITOR)]) == 0
