"""Reading run logs: rows by robot, and what an event did."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from robotd.record.log import LogLines
from robotd.record.rows import Row, RowReader

ROLLS_M_S = 0.005  # a wheel that turns slower stands: encoders tell whole millimetres per second


def rows(log: Path) -> Iterator[tuple[str, Row]]:
    readers: dict[str, RowReader] = {}
    for line in LogLines(log):
        if isinstance(line, list):
            yield line[0], readers.setdefault(line[0], RowReader()).read(line)
        elif "part" in line:
            readers = {}


def events(log: Path, verb: str) -> list[dict[str, Any]]:
    with log.open(encoding="utf-8") as lines:
        found = [json.loads(line)["event"] for line in lines if line.startswith('{"event"')]
    return [event for event in found if event["verb"] == verb]


def rolls(row: Row) -> bool:
    wheels = row.inputs.senses.wheels
    return wheels is not None and max(abs(wheels.left), abs(wheels.right)) > ROLLS_M_S
