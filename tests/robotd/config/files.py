"""A small mission and a robot of it, as files, with plug-ins of their own; each has no fault."""

from pathlib import Path

PLUGINS = """
from pydantic import BaseModel, ConfigDict, Field
from behaviors.parts import Behavior, BehaviorSet
from motivation.alliance.alliance import Alliance


class Settings(BaseModel):
    model_config = ConfigDict(extra="forbid")
    speed: float = Field(default=0.2, gt=0, le=1, description="share of the greatest speed")
    side: str = Field(default="left", description="which side")


class Push(BehaviorSet):
    needs = ("mobile", "gripper")
    Settings = Settings


class Look(BehaviorSet):
    needs = ("mobile", "side-range")
    Settings = Settings


class Glance(Behavior):
    Settings = Settings


class Wired:
    needs_port = True
    when_computer_dies = "its own watchdog stops the wheels within 0.5 s"
    Settings = Settings


class Air:
    Settings = Settings

    def __init__(self, settings):
        pass


class Modem(Air):
    needs_port = True

    def airtime(self, size):
        return 0.02


class Free:
    Settings = Settings


ROBOTD = {
    "robotd.behaviors": {"push": Push, "look": Look, "glance": Glance},
    "robotd.coordinators": {"alliance": Alliance},
    "robotd.boards": {"wired": Wired, "free": Free},
    "robotd.radios": {"modem": Modem, "air": Air},
}
"""

MISSION = """name = "tidy"
plugins = ["./mine.py"]
time_limit_s = 1000

[team]
red = { number = 1, type = "big" }
blue = { number = 2, type = "small" }

[tasks.find]
number = 1
completion = "found"
[tasks.shift]
number = 2

[facts]
found = { number = 1, kind = "flag" }
spot = { number = 2, kind = "place" }

[layers.glance]

[coordinator.parameters]
silence_timeout_beats = 6

[sets.look]
task = "find"
[sets.look.motivation]
fast_rate = 20
slow_rate = 1
patience_s = 60
yield_time_s = 60
give_up_time_s = 120

[sets.push]
task = "shift"
parameters = { speed = 0.5 }
[sets.push.motivation]
fast_rate = 10
slow_rate = { default = 1, blue = 0.5 }
patience_s = inf
yield_time_s = 60
give_up_time_s = 120

[types.small]
without = ["look"]

[robots.red.sets.push]
parameters = { speed = 0.9 }
"""

ROBOT = """name = "red"
mission = "tidy.toml"
plugins = ["./mine.py"]
start = "at-boot"

[board]
name = "wired"
port = "/dev/null"
[board.parameters]
speed = 0.4

[radio]
name = "modem"
port = "tcp://localhost:4000"
key_file = "team.key"

[http]
port = 0
"""


def write(folder: Path, robot: str = ROBOT, mission: str = MISSION, plugins: str = PLUGINS) -> Path:
    """Write all four files to `folder`; returns the robot file."""
    (folder / "mine.py").write_text(plugins)
    (folder / "tidy.toml").write_text(mission)
    key = folder / "team.key"
    key.write_text("0123456789abcdef" * 4 + "\n")
    key.chmod(0o600)
    path = folder / "red.toml"
    path.write_text(robot)
    return path


def changed(text: str, *changes: tuple[str, str]) -> str:
    """The text with the first of each `old` replaced by its `new`; AssertionError where there is none."""
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def line(text: str, starts: str, nth: int = 1) -> int:
    """The number of the `nth` line of `text` that begins so."""
    found = [number for number, row in enumerate(text.splitlines(), 1) if row.startswith(starts)]
    return found[nth - 1]
