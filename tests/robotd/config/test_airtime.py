"""A team that cannot legally hold its beat is refused, with the beat that would do."""

from pathlib import Path

import pytest

from robotd.advice.check import check
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
EU = 'name = "lora"\nregion = "eu868"'
US = 'name = "lora"\nregion = "us915"'
TENTH = "band_hz = 869_525_000"  # a sub-band of 10 %


def robot_file(folder: Path, radio: str, parameters: str = "", robots: int = 2, beat_s: float = 3.0) -> Path:
    """A robot with these keys in [radio], of a team of so many."""
    robot = changed(ROBOT, ('name = "modem"\n', radio + "\n"))
    robot = changed(robot, ("\n[http]", f"[radio.parameters]\n{parameters}\n[http]"))
    team = "".join(f'robot-{n} = {{ number = {n}, type = "big" }}\n' for n in range(3, robots + 1))
    mission = changed(MISSION, ("[tasks.find]", f"{team}[radio]\nbeat_s = {beat_s}\n[tasks.find]"))
    return write(folder, robot, mission, MORE)


@pytest.mark.parametrize(
    ("radio", "parameters", "robots", "beat_s", "note"),
    [
        (EU, TENTH, 2, 3.0, "10 % of an hour; a frame in every beat is up to 3.4 %"),
        (EU, "", 2, 10.5, "1 % of an hour"),
        (EU, TENTH, 19, 3.0, "airtime"),
        ('name = "lora"', "", 2, 3.0, "no limit on airtime"),
        (US, "band_hz = 915_000_000\nspreading_factor = 8", 2, 3.0, "182.8 ms"),
        ('name = "transparent"\nregion = "eu433"\nfrequency_mhz = 433.4', "", 2, 3.0, "10 %"),
    ],
)
def test_a_team_that_can_hold_its_beat_has_a_note_on_its_airtime(
    tmp_path: Path, radio: str, parameters: str, robots: int, beat_s: float, note: str
) -> None:
    report = check(str(robot_file(tmp_path, radio, parameters, robots, beat_s)))
    assert report.problems == []
    assert any(note in words for words in report.advice.notes), report.advice.notes


@pytest.mark.parametrize(
    ("radio", "parameters", "robots", "words"),
    [
        (EU, "", 2, ("101.6 ms", "1 % of an hour", "every 10.49 s", "beat_s = 10.5")),
        (EU, f"{TENTH}\nspreading_factor = 9", 2, ("beat_s = 3.3 or more")),
        (EU, TENTH, 30, ("30 robots need 4.55 s", "beat_s = 4.6 or more")),
        ('name = "lora"', "", 30, ("30 robots need 4.55 s",)),
    ],
)
def test_a_team_that_cannot_is_refused_with_what_would_do_and_yet_may_run(
    tmp_path: Path, radio: str, parameters: str, robots: int, words: tuple[str, ...]
) -> None:
    path = robot_file(tmp_path, radio, parameters, robots)
    (problem,) = check(str(path)).problems
    assert all(word in problem.message for word in ("cannot hold its beat of 3 s", *words)), problem.message
    load_robot(path)  # its rate falls to what is legal


@pytest.mark.parametrize(
    ("radio", "parameters", "key", "word"),
    [
        ('name = "transparent"\nregion = "eu433"', "", "region", "frequency_mhz"),
        ('name = "transparent"\nregion = "eu868"\nfrequency_mhz = 868.65', "", "frequency_mhz", "869.4 to 869.65"),
        ('name = "lora"\nregion = "eu868"\nfrequency_mhz = 869.5', "", "frequency_mhz", "leave one out"),
        ('name = "lora"\nregion = "mars"', "", "region", "'eu868'"),
        ('name = "air"\nregion = "eu868"\nfrequency_mhz = 868.3', "", "frequency_mhz", "airtime(size)"),
        (US, "band_hz = 915_000_000\nspreading_factor = 10", "region", "400 ms at a stretch"),
    ],
)
def test_what_could_never_send_legally_does_not_start(
    tmp_path: Path, radio: str, parameters: str, key: str, word: str
) -> None:
    (problem,) = read_robot(robot_file(tmp_path, radio, parameters)).problems
    assert problem.key == f"radio.{key}"
    assert word in problem.message
