"""Tables of a room, a body and a mock board that cannot be are refused with the reason."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from boards.mock.r2 import MockSettings
from boards.mock.settings import BodySettings, WorldSettings

BIN = {"name": "bin", "kind": "garbage", "x_m": 1.0, "y_m": 1.0, "work_s": 2.0, "litter_on": "floor"}
FLOOR = {"name": "floor", "kind": "dirt", "x_m": 3.0, "y_m": 3.0, "width_m": 2.0, "depth_m": 1.0, "work_s": 1.0}
BOX = {"x_m": 3.0, "y_m": 1.2, "goal_y_m": 3.0}
RED = {"colour": "red", "x_m": 3.0, "y_m": 3.0}


@pytest.mark.parametrize(
    ("settings", "table", "words"),
    [
        (WorldSettings, {"areas": ({**BIN, "x_m": 0.2}, FLOOR)}, "area bin reaches out of the room"),
        (WorldSettings, {"areas": (FLOOR, FLOOR)}, "two areas have the same name"),
        (
            WorldSettings,
            {"areas": ({**BIN, "litter_on": "flor"}, FLOOR)},
            r"area bin: .* \(there are: floor\)",
        ),
        (WorldSettings, {"areas": (BIN,)}, "there is none"),
        (WorldSettings, {"areas": ({**FLOOR, "litter_on": "floor"},)}, "garbage drops on an area of dirt"),
        (WorldSettings, {"areas": ({**FLOOR, "kind": "mud"},)}, "'garbage', 'dust' or 'dirt'"),
        (WorldSettings, {"areas": ({**FLOOR, "work_s": 0.0},)}, "greater than 0"),
        (WorldSettings, {"finish": {"y_m": 9.0}}, "the finish at y = 9.0 m is outside the room, 8.0 m deep"),
        (WorldSettings, {"widht_m": 5}, "Extra inputs"),
        (WorldSettings, {"goal": {"x_m": 9.0}}, "goal at"),
        (WorldSettings, {"spills": [{"name": "left", "x_m": 1.0, "y_m": 9.0}]}, "spill left at"),
        (WorldSettings, {"spills": [{"name": "middle", "x_m": 1.0, "y_m": 1.0}]}, "left"),
        (WorldSettings, {"spills": [{"name": "left", "x_m": 1.0, "y_m": 1.0}] * 2}, "same name"),
        (WorldSettings, {"width_m": -1}, "greater than"),
        (WorldSettings, {"box": {**BOX, "x_m": 0.5}}, "does not fit"),
        (WorldSettings, {"box": {**BOX, "goal_y_m": 7.95}}, "does not fit"),
        (WorldSettings, {"box": {**BOX, "goal_y_m": 1.2}}, "beyond its y_m"),
        (WorldSettings, {"box": {**BOX, "drag_n": 0}}, "greater than 0"),
        (WorldSettings, {"box": {**BOX, "lenght_m": 2}}, "Extra inputs"),
        (BodySettings, {"hull": "boat"}, "'r2', 'pioneer' or 'walker'"),
        (BodySettings, {"x_m": 1.0}, "given together"),
        (BodySettings, {"blind_to": ["Red"]}, "match pattern"),
        (WorldSettings, {"pucks": [{**RED, "x_m": 9.0}]}, "a puck at"),
        (WorldSettings, {"marks": [{"name": "m", "x_m": 1.0, "y_m": 9.0}]}, "m at"),
        (WorldSettings, {"walls": [{"x1_m": 1, "y1_m": 1, "x2_m": 1, "y2_m": 1}]}, "two places"),
        (WorldSettings, {"marks": [{"name": "m"}, {"name": "m"}]}, "two marks or chargers"),
        (WorldSettings, {"box": {"x_m": 3, "y_m": 1, "goal_y_m": 3, "goal_x_m": 7}}, "goal_x_m"),
        (MockSettings, {"body": {"lacks": ["antenna"]}}, "has no part 'antenna'"),
        (MockSettings, {"world": {"widht_m": 5.0}}, "Extra inputs"),
        (MockSettings, {"seed": -1}, "greater than"),
    ],
)
def test_a_table_that_cannot_be_is_refused_with_the_reason(settings, table, words):
    with pytest.raises(ValidationError, match=words):
        settings(**table)
