"""Missions in worlds with cameras, batteries, walls and radio ranges."""

from pathlib import Path

import pytest

from robotd.__main__ import main
from robotd.config.load import load_mission
from robotd.sim.parts import parts_of

ROOMS = Path(__file__).parents[3] / "docs" / "examples" / "rooms.toml"


def test_the_example_is_accomplished_and_its_log_replays_with_what_was_seen(tmp_path: Path) -> None:
    assert main(["sim", str(ROOMS), "--seed", "2", "--out", str(tmp_path)]) == 0
    log = tmp_path / "run.jsonl"
    assert main(["replay", str(log)]) == 0
    text = log.read_text(encoding="utf-8")
    assert '["mark",' in text
    assert '["charger",' in text
    assert '["puck",' in text


def test_a_body_with_a_camera_is_refused_behind_a_protocol_that_carries_none() -> None:
    mission = load_mission(ROOMS)
    with pytest.raises(ValueError, match="camera, laser, battery_s"):
        parts_of(mission, [], [], all_bytes=True)
    assert parts_of(mission, ["mock"], [], all_bytes=True).boards["amber"] == "mock"
