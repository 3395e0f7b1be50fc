"""Numbers of a coordinator that are changed while robots run: `KEY=VALUE ...`, with keys of the mission file.

In a simulation's events the same is one word: `KEY=VALUE,...`.
"""

import math
import re
from collections.abc import Mapping, Sequence

from robotd.config.lookup import Mission
from robotd.config.mission import MissionFile
from robotd.config.source import Problem, Source
from robotd.config.tables import check_plan, check_tables

OF_COORDINATOR = re.compile(r"coordinators?\.|.*\.(motivation|terms)\.")  # keys that one coordinator alone reads
DEEPEST = 4  # parts of a key of its own table: coordinator.parameters.KEY.NAME


def numbers_of(words: Sequence[str]) -> dict[str, float]:
    """The numbers of KEY=VALUE words by key; ValueError."""
    found: dict[str, float] = {}
    for word in words:
        key, _, text = word.partition("=")
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise ValueError(f"{word!r}: expected KEY=NUMBER, such as coordinator.parameters.threshold=80")
        found[key] = int(text) if re.fullmatch(r"[+-]?[0-9]+", text) else value
    return found


def is_tuned(key: str) -> bool:
    """Whether a number with this key may change while robots run.

    Those of tasks may not, on which all agreed, nor those of a coordinator inside another, as it began with them.
    """
    own = key.split(".")
    inside = own[0] in ("coordinator", "coordinators") and len(own) > DEEPEST
    return bool(OF_COORDINATOR.match(key)) and own[0] != "tasks" and not inside


def check_tuning(words: Sequence[str], mission: Mission) -> None:
    """ValueError names why the numbers of KEY=VALUE words cannot be changed while robots run."""
    numbers = numbers_of(words)
    for key in numbers:
        if not is_tuned(key):
            raise ValueError(f"{key} is no number of a coordinator that can change while robots run")
    if problems := faults_of(mission, numbers):
        raise ValueError("; ".join(f"{one.key}: {one.message}" for one in problems))


def faults_of(mission: Mission, numbers: Mapping[str, float]) -> list[Problem]:
    """What is wrong with a mission that has these numbers by key."""
    source = _changed(mission.content, numbers, mission.source)
    content = source.validate(MissionFile, source.data)
    if content is not None:
        check_tables(source, mission.plugins)
        if not source.problems:
            check_plan(content, mission.plugins, source)
    return source.problems


def tuned(content: MissionFile, words: Sequence[str]) -> MissionFile:
    """A mission with the numbers of KEY=VALUE words; ValueError."""
    return MissionFile(**_changed(content, numbers_of(words)).data)


def _changed(content: MissionFile, numbers: Mapping[str, float], file: str = "") -> Source:
    source = Source(file, "", content.model_dump(exclude_unset=True))
    for key, value in numbers.items():
        source.override(tuple(key.split(".")), value, f"{key}={value:g}")
    return source
