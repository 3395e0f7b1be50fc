"""What is to be run: as a page or a command line names it, and as the command that repeats it."""

import dataclasses
import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from robotd.config.load import ConfigError, Mission, find_mission, load_mission
from robotd.files.nearest import unknown
from robotd.files.toml import value_of

SLOWEST, FASTEST = 0.01, 10_000.0  # of real time
PROGRAM, COMMANDS = "robotd", ("live", "sim")  # whose commands a page understands
OPTIONS = ("--seed", "--speed", "--event", "--set", "--coordinator", "--plugin")
FOLDERS = re.compile(r"(?<![\w.:/])/(?:[^\s/:]+/)+")  # before the name of a file


@dataclass(frozen=True)
class Run:
    """What is to be run: mission (a name or a file), changes of its keys, and events of the scenario."""

    mission: str
    seed: int = 1
    coordinator: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)
    events: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    speed: float | None = 10.0

    def load(self) -> Mission:
        """The mission with the changes; ConfigError."""
        changes = {**self.changes, **({"coordinator.name": self.coordinator} if self.coordinator else {})}
        return load_mission(find_mission(self.mission), changes, plugins=list(self.plugins))


def run_of(data: Any) -> Run:
    """A run as it came; ValueError says what is wrong."""
    known = {one.name for one in dataclasses.fields(Run)}
    if not isinstance(data, dict) or not set(data) <= known or "mission" not in data:
        raise ValueError(f"a run is an object with mission, and may have {', '.join(sorted(known))}")
    for key in ("events", "plugins"):
        if not isinstance(data.get(key, []), list | tuple) or not all(
            isinstance(x, str) for x in data.get(key, [])
        ):
            raise ValueError(f"{key}: expected a list of texts")
    run = Run(**{**data, **{key: tuple(data[key]) for key in ("events", "plugins") if key in data}})
    check_run(run)
    return run


def check_run(run: Run) -> None:
    """ValueError for values that no run can have, whatever its mission."""
    for key, value in (("mission", run.mission), ("coordinator", run.coordinator)):
        if not isinstance(value, str):
            raise ValueError(f"{key} {value!r}: expected a text")
    if isinstance(run.seed, bool) or not isinstance(run.seed, int) or run.seed < 0:
        raise ValueError(f"seed {run.seed!r}: expected a whole number, at least 0")
    if not isinstance(run.changes, Mapping) or not all(isinstance(key, str) for key in run.changes):
        raise ValueError("changes: expected an object of keys of the mission and their values")
    check_speed(run.speed)


def check_speed(speed: Any) -> None:
    """ValueError for what is no speed."""
    number = isinstance(speed, int | float) and not isinstance(speed, bool)
    if speed is not None and not (number and SLOWEST <= speed <= FASTEST):
        expected = f"expected a number from {SLOWEST:g} to {FASTEST:g}, or null for as fast as possible"
        raise ValueError(f"speed {speed!r}: {expected}")


def command_of(run: Run, clicked: Sequence[str]) -> str:
    """The command that gives the run with what was clicked again, quoted for a shell."""
    words = ["robotd", "sim", run.mission, "--seed", str(run.seed)]
    words += ["--coordinator", run.coordinator] if run.coordinator else []
    words += [word for file in run.plugins for word in ("--plugin", file)]
    words += [word for key, value in run.changes.items() for word in ("--set", f"{key}={json.dumps(value)}")]
    return shlex.join([*words, *(word for event in (*run.events, *clicked) for word in ("--event", event))])


def run_of_command(text: str) -> Run:
    """The run that a command of `robotd live` or `robotd sim` gives; ValueError says what is wrong with it."""
    try:
        words = shlex.split(text.replace("\\\n", " "))
    except ValueError as error:
        raise ValueError(f"this is no command: {error}") from None
    words = words[1:] if words[:1] == ["$"] else words
    if len(words) < 2 or Path(words[0]).name != PROGRAM or words[1] not in COMMANDS:
        raise ValueError(f"expected a link of this page, or a command: robotd {' or robotd '.join(COMMANDS)}")
    given: dict[str, list[str]] = {option: [] for option in OPTIONS}
    missions, rest = [], [part for word in words[2:] for part in _parted(word)]
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            missions.append(word)
        elif word not in given:
            raise ValueError(unknown("option", word, OPTIONS))
        elif not rest:
            raise ValueError(f"{word}: a value is missing")
        else:
            given[word].append(rest.pop(0))
    if len(missions) > 1:
        raise ValueError(f"expected one mission, found {', '.join(missions)}")
    return _run_of_options(missions[0] if missions else "cleanup", given)


def _parted(word: str) -> list[str]:
    """`--seed=4` as two words."""
    option, equals, value = word.partition("=")
    return [option, value] if equals and option in OPTIONS else [word]


def _run_of_options(mission: str, given: Mapping[str, Sequence[str]]) -> Run:
    data: dict[str, Any] = {"mission": mission, "events": given["--event"], "plugins": given["--plugin"]}
    for text in given["--seed"]:
        data["seed"] = int(text) if text.isdecimal() else text
    for text in given["--speed"]:
        data["speed"] = None if text == "max" else value_of(text)
    changes = dict(text.partition("=")[::2] for text in given["--set"])
    data["changes"] = {key: value_of(value) for key, value in changes.items()}
    data["coordinator"] = (given["--coordinator"] or [str(data["changes"].pop("coordinator.name", ""))])[-1]
    return run_of(data)


def for_page(error: Exception) -> str:
    """What an exception says, without the folders of this computer: whoever looks on need not know them."""
    if isinstance(error, ConfigError):
        return "\n".join(str(replace(one, file=Path(one.file).name)) for one in error.problems)
    return FOLDERS.sub("", str(error))
