"""The mission that the acceptance is about, and its run logs."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tomli_w

from boards.mock.settings import WorldSettings
from robotd.config.load import Mission, find_mission, load_mission
from robotd.record.reading import LogLines
from robotd.record.rows import Row, RowReader

NAME = "cleanup"
RIGHT = "move-spill-right"


def data() -> dict[str, Any]:
    return tomllib.loads(find_mission(NAME).read_text(encoding="utf-8"))


def mission() -> Mission:
    return load_mission(find_mission(NAME))


def world() -> WorldSettings:
    return WorldSettings(**mission().content.world)


def beat_s() -> float:
    return mission().content.radio.beat_s


def silence_beats() -> float:
    beats: float = mission().content.coordinator.parameters["silence_timeout_beats"]
    return beats + 0.5


def sets_for(kind: str) -> set[str]:
    content = mission().content
    kinds = {name: task.kind or name for name, task in content.tasks.items()}
    return {name for name, own in content.sets.items() if kinds[own.task] == kind}


def write(path: Path, content: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(tomli_w.dumps(content), encoding="utf-8")
    return path


ROLLS_M_S = 0.005  # a wheel that turns slower counts as at rest: encoders count whole millimetres per second


def rows(log: Path) -> Iterator[tuple[str, Row]]:
    readers: dict[str, RowReader] = {}
    for line in LogLines(log):
        if isinstance(line, list):
            yield line[0], readers.setdefault(line[0], RowReader()).read(line)
        elif "part" in line:
            readers = {}


def rolls(row: Row) -> bool:
    wheels = row.inputs.senses.wheels
    return wheels is not None and max(abs(wheels.left), abs(wheels.right)) > ROLLS_M_S
