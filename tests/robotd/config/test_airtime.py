"""A team that cannot legally hold its beat is refused, with the beat or the setting that would do."""

from __future__ import annotations

from pathlib import Path

import pytest

from robotd.advice.check import Report, check
from robotd.config.load import load_robot, read_robot
from tests.robotd.config.files import MISSION, PLUGINS, ROBOT, changed, write

LORA = """
from radio.airtime import lora_airtime


class LoraSettings(BaseModel):
    band_hz: int = 868_100_000
    spreading_factor: int = Field(default=7, ge=7, le=12)


class Lora:
    needs_port = True
    Settings = LoraSettings

    def __init__(self, settings):
        self.settings = settings

    def airtime(self, size):
        return lora_airtime(size + 8, self.settings.spreading_factor, 125_000, 1, 12)


ROBOTD = {
"""
MORE = changed(PLUGINS, ("\nROBOTD = {\n", LORA), ('"modem": Modem', '"modem": Modem, "lora": Lora'))


def robot_file(folder: Path, radio: str, parameters: str = "", robots: int = 2, beat_s: float = 3.0) -> Path:
    """A robot with these keys in [radio], of a team of so many."""
    robot = changed(ROBOT, ('name = "modem"\n', radio + "\n"))
    robot = changed(robot, ("\n[http]", f"[radio.parameters]\n{parameters}\n[http]"))
    team = "".join(f'robot-{n} = {{ number = {n}, type = "big" }}\n' for n in range(3, robots + 1))
    mission = changed(MISSION, ("[tasks.find]", f"{team}[radio]\nbeat_s = {beat_s}\n[tasks.find]"))
    return write(folder, robot, mission, MORE)


def told(report: Report) -> list[str]:
    return [problem.message for problem in report.problems]


def test_a_tenth_of_an_hour_carries_a_frame_of_a_tenth_of_a_second_every_beat(tmp_path: Path) -> None:
    report = check(str(robot_file(tmp_path, 'name = "lora"\nregion = "eu868"', "band_hz = 869_525_000")))
    assert told(report) == []
    assert any("eu868, 869.4 to 869.65 MHz: 10 % of an hour; a frame in every beat is up to 3.4 %" in note
               for note in report.advice.notes)  # fmt: skip


def test_a_hundredth_does_not_and_the_beat_and_the_band_that_would_are_named(tmp_path: Path) -> None:
    path = robot_file(tmp_path, 'name = "lora"\nregion = "eu868"')
    (message,) = told(check(str(path)))
    assert "cannot hold its beat of 3 s" in message
    assert "a frame of 40 bytes takes 101.6 ms" in message
    assert "1 % of an hour permits one every 10.49 s" in message
    assert "set beat_s = 10.5 or more in the mission's [radio] or band_hz = 869525000" in message
    assert told(check(str(robot_file(tmp_path, 'name = "lora"\nregion = "eu868"', beat_s=10.5)))) == []
    load_robot(path)  # it may run: its rate falls to what is legal


def test_the_setting_as_delivered_that_just_misses_is_told_the_next_faster_one(tmp_path: Path) -> None:
    parameters = "band_hz = 869_525_000\nspreading_factor = 9"
    (message,) = told(check(str(robot_file(tmp_path, 'name = "lora"\nregion = "eu868"', parameters))))
    assert "beat_s = 3.3 or more" in message
    assert "spreading_factor = 8" in message


def test_a_team_too_large_for_its_channel_is_refused_and_one_that_fits_is_not(tmp_path: Path) -> None:
    radio, parameters = 'name = "lora"\nregion = "eu868"', "band_hz = 869_525_000"
    assert told(check(str(robot_file(tmp_path, radio, parameters, robots=19)))) == []
    (message,) = told(check(str(robot_file(tmp_path, radio, parameters, robots=30))))
    assert "30 robots need 4.55 s" in message
    assert "beat_s = 4.6 or more" in message


def test_without_a_law_only_the_channel_limits(tmp_path: Path) -> None:
    report = check(str(robot_file(tmp_path, 'name = "lora"')))
    assert told(report) == []
    assert any("no limit on airtime is kept" in note for note in report.advice.notes)
    assert told(check(str(robot_file(tmp_path, 'name = "lora"', robots=30)))) != []


@pytest.mark.parametrize(
    ("radio", "parameters", "key", "words"),
    [
        ('name = "transparent"\nregion = "eu433"', "", "region", "say which: frequency_mhz"),
        ('name = "transparent"\nregion = "eu868"\nfrequency_mhz = 868.65', "", "frequency_mhz", "869.4 to 869.65"),
        ('name = "lora"\nregion = "eu868"\nfrequency_mhz = 869.5', "", "frequency_mhz", "leave one out"),
        ('name = "lora"\nregion = "mars"', "", "region", "'eu868'"),
        (
            'name = "lora"\nregion = "us915"',
            "band_hz = 915_000_000\nspreading_factor = 10",
            "region",
            "400 ms at a stretch; set spreading_factor = 9",
        ),
    ],
)
def test_what_could_never_send_legally_does_not_start(
    tmp_path: Path, radio: str, parameters: str, key: str, words: str
) -> None:
    (problem,) = read_robot(robot_file(tmp_path, radio, parameters)).problems
    assert problem.key == f"radio.{key}"
    assert words in problem.message


def test_america_lets_a_legal_frame_leave_in_every_beat(tmp_path: Path) -> None:
    path = robot_file(tmp_path, 'name = "lora"\nregion = "us915"', "band_hz = 915_000_000\nspreading_factor = 8")
    assert told(check(str(path))) == []


def test_a_transparent_modem_at_433_mhz_holds_its_beat(tmp_path: Path) -> None:
    path = robot_file(tmp_path, 'name = "transparent"\nregion = "eu433"\nfrequency_mhz = 433.4')
    assert told(check(str(path))) == []
