"""A table of a board, a room or a body that cannot be is refused, where the reason is not plain with its words."""

import math

import pytest
from pydantic import ValidationError

from boards.create2.driver import Create2Settings
from boards.firmata.pins import FirmataSettings
from boards.kobuki.driver import KobukiSettings
from boards.maestro.driver import MaestroSettings
from boards.mock.r2 import MockSettings
from boards.mock.settings import BodySettings, WorldSettings
from boards.pioneer.driver import PioneerSettings
from boards.positioning.driver import PositioningSettings
from boards.r2.driver import R2Settings

BIN = {"name": "bin", "kind": "garbage", "x_m": 1.0, "y_m": 1.0, "work_s": 2.0, "litter_on": "floor"}
FLOOR = {"name": "floor", "kind": "dirt", "x_m": 3.0, "y_m": 3.0, "width_m": 2.0, "depth_m": 1.0, "work_s": 1.0}
BOX = {"x_m": 3.0, "y_m": 1.2, "goal_y_m": 3.0}
RED = {"colour": "red", "x_m": 3.0, "y_m": 3.0}
SHARP = {"channel": 0, "bearing_deg": 0}
WRONG = {
    Create2Settings: [
        {"mode": "passive"}, {"mode_offset": 2}, {"max_speed_m_s": 0.6}, {"light_curve": [[100, 0.1]]},
        {"light_curve": [[100, 0.1], [200, 0.2]]}, {"light_curve": [[200, 0.0], [100, 0.2]]}, {"light_deg": [1]},
        {"modes": "full"},
    ],
    KobukiSettings: [{"max_speed_m_s": 0.8}, {"wheel_base_m": 0.5}, {"silence_s": 0}, {"speed": 1}],
    PioneerSettings: [{"baud": 300}, {"distance_factor": 0}, {"gripper": "maybe"}, {"sonar": [1]}],
    R2Settings: [{"bauds": 9600}, {"baud": 300}, {"silence_s": -1}, {"baud": "fast"}],
    MaestroSettings: [{"channel": 24}, {"open_us": 100}, {"device": 128}, {"servo": 1}],
    PositioningSettings: [{"accuracy_m": 0}, {"stale_s": 0}, {"baud": 3}, {"name": "green"}],
}  # fmt: skip
WITH_REASON = [
    (FirmataSettings, {"bumpers": [{"pin": 3, "bearing_deg": 0}]}, "pin 3 is wired to two things"),
    (FirmataSettings, {"infrared": [SHARP] * 2}, "the same channel"),
    (FirmataSettings, {"infrared": [{**SHARP, "curve": [[1, 0.1], [2, 0.2]]}]}, "readings must fall"),
    (FirmataSettings, {"left": {"pwm": 3}}, "direction"),
    (FirmataSettings, {"gripper": {"pin": 9, "angle": 3}}, "angle"),
    (FirmataSettings, {"gripper": {"pin": 9, "open_deg": 30}}, "open_deg and shut_deg have to differ"),
    (FirmataSettings, {"gripper": {"pin": 9, "shortest_us": 1500, "longest_us": 1500}}, "shortest_us has to"),
    (FirmataSettings, {"infrared": [{**SHARP, "curve": [[2, 0.1], [1, math.inf]]}]}, "inf nor nan"),
    (FirmataSettings, {"infrared": [{**SHARP, "curve": [[2, math.nan], [1, 0.1]]}]}, "inf nor nan"),
    (FirmataSettings, {"speed": 1}, "speed"),
    (MaestroSettings, {"open_us": 1500, "shut_us": 1500}, "open_us and shut_us have to differ by at least 10 us"),
    (MaestroSettings, {"open_us": 1500, "shut_us": 1509}, "open_us and shut_us"),
    (MaestroSettings, {"lift_channel": 1, "up_us": 1100}, "up_us and down_us"),
    (MaestroSettings, {"lift_channel": 0}, "channel 0 is wired to two things"),
    (MaestroSettings, {"lift_channel": 2, "beam_channel": 2}, "channel 2 is wired to two things"),
    (WorldSettings, {"areas": ({**BIN, "x_m": 0.2}, FLOOR)}, "area bin reaches out of the room"),
    (WorldSettings, {"areas": (FLOOR, FLOOR)}, "two areas have the same name"),
    (WorldSettings, {"areas": ({**BIN, "litter_on": "flor"}, FLOOR)}, r"area bin: .* \(there are: floor\)"),
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
]


@pytest.mark.parametrize(
    ("settings", "table", "words"),
    [*((settings, table, ".") for settings, tables in WRONG.items() for table in tables), *WITH_REASON],
)
def test_a_table_that_cannot_be_is_refused(settings, table, words):
    with pytest.raises(ValidationError, match=words):
        settings(**table)
