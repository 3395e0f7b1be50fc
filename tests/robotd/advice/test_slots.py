"""Slots of a base station that are shorter than a robot's tick."""

from pathlib import Path

import pytest

from robotd.advice.slots import missed_slots
from robotd.config.load import find_mission, load_mission
from tests.robotd.advice.advised import has, of_mission

WORDS = ("shorter than a tick of 0.25 s", "tick_hz of at least")


@pytest.mark.parametrize(
    ("tick_hz", "beat_s", "base", "warns"),
    [
        (4, 0.5, "true", True), (4, 0.5, "false", False),
        (4, 1.42, "true", True), (4, 1.43, "true", False),  # 0.06 s, and 0.4 of a third of a beat
        (20, 0.5, "true", False),
    ],
)  # fmt: skip
def test_ticks_that_may_fall_between_the_slots_are_a_warning_but_for_a_mission_without_a_base_station(
    tmp_path: Path, tick_hz: int, beat_s: float, base: str, warns: bool
) -> None:
    control = f"[control]\ntick_hz = {tick_hz}\nticks_per_decision = 4\n"
    radio = f"[radio]\nbeat_s = {beat_s}\nbase_station = {base}\n"
    advice = of_mission(tmp_path, ("[facts]", f"{control}{radio}[facts]"))
    assert (has(advice.warnings, *WORDS), has(advice.notes, *WORDS)) == (warns, False)


def test_the_beat_and_the_tick_that_it_asks_for_are_enough() -> None:
    content = load_mission(find_mission("cobos")).content
    assert "tick_hz of at least 9.09, or beat_s of at least 3.8" in missed_slots(content)
    for part, change in (("control", {"tick_hz": 9.1}), ("radio", {"beat_s": 3.801})):
        own = getattr(content, part).model_copy(update=change)
        assert missed_slots(content.model_copy(update={part: own})) == ""
