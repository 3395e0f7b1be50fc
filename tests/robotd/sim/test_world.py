"""Missions in worlds with cameras, batteries, walls and radio ranges."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from robotd.__main__ import main
from robotd.config.load import load_mission
from robotd.model.plain import from_plain, to_plain
from robotd.model.senses import Sight
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


@pytest.mark.parametrize("sight", [Sight("puck", 0.1, None, 2.0, "red"), Sight("face", 0.1, 1.8, 2.0, "box", 0.0)])
def test_an_angle_is_in_a_row_only_where_there_is_one(sight: Sight) -> None:
    row = json.loads(json.dumps(to_plain(sight)))
    assert len(row) == (5 if sight.angle is None else 6)
    assert from_plain(Sight, row) == sight


def test_a_body_with_a_camera_is_refused_behind_a_protocol_that_carries_none() -> None:
    mission = load_mission(ROOMS)
    with pytest.raises(ValueError, match="camera, laser, battery_s"):
        parts_of(mission, [], [], all_bytes=True)
    assert parts_of(mission, ["mock"], [], all_bytes=True).boards["amber"] == "mock"
