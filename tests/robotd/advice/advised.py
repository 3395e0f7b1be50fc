"""What is advised on the small mission of `files`, and of its robot, with changes of their text."""

from pathlib import Path

from robotd.advice.advice import Advice, advise_mission, advise_robot
from robotd.config.load import load_mission, read_robot
from tests.robotd.config.files import MISSION, PLUGINS, ROBOT, changed, write


def of_mission(folder: Path, *changes: tuple[str, str], plugins: str = PLUGINS) -> Advice:
    write(folder, mission=changed(MISSION, *changes), plugins=plugins)
    return advise_mission(load_mission(folder / "tidy.toml"))


def of_robot(folder: Path, *changes: tuple[str, str], plugins: str = PLUGINS) -> Advice:
    reading = read_robot(write(folder, changed(ROBOT, *changes), plugins=plugins))
    assert not reading.problems
    assert reading.robot is not None
    assert reading.mission is not None
    return advise_robot(reading.robot, reading.mission, reading.plugins)


def has(texts: list[str], *words: str) -> bool:
    return any(all(word in text for word in words) for text in texts)
