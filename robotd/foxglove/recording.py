"""A run log as an MCAP file with Foxglove's standard schemas."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from foxglove import Context, open_mcap

from robotd.foxglove.topics import NS, Topics, topics_of
from robotd.record.reading import BROKEN, LogLines
from robotd.record.rows import Row
from robotd.record.why import Happened, read_happenings


def write_mcap(log: Path, path: Path, progress: Callable[[int], None] | None = None) -> Mapping[str, Any]:
    """Write the run log at `log` to `path`; the mission that the log is of.

    Times are from the start of the log. OSError where there is no log, or the file cannot be written; ValueError,
    with file and line, where a line is none of a run log.
    """
    lines, context = LogLines(log), Context()
    topics: Topics | None = None
    try:
        with path.open("wb") as file, open_mcap(file, context=context):
            for robot, at, what in read_happenings(lines, progress):
                try:
                    topics = topics or topics_of(context, lines.part["mission"])
                    _publish(topics, robot, max(0, round(at * NS)), what)
                except BROKEN as error:
                    raise lines.fault(error) from None
        mission: Mapping[str, Any] | None = lines.part.get("mission")
        if mission is None:
            raise ValueError(f"{log}: not a run log: it has no part")
    except ValueError:
        path.unlink(missing_ok=True)
        raise
    return mission


def _publish(topics: Topics, robot: str, at: int, what: Row | Happened) -> None:
    if isinstance(what, Happened):
        topics.happened(robot, what)
    else:
        topics.tick(robot, at, what.inputs, what.sent, what.choice, what.state)
        topics.publish_room(at)
