"""A run log as an MCAP file with Foxglove's standard schemas."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from foxglove import Context, open_mcap

from robotd.foxglove.topics import NS, Topics, topics_of
from robotd.record.reading import LogLines, read_rows
from robotd.record.why import LogClock, done_to, raised_at


def write_mcap(log: Path, path: Path, progress: Callable[[int], None] | None = None) -> Mapping[str, Any]:
    """Write the run log at `log` to `path`; the mission that the log is of.

    Times are from the start of the log. OSError where there is no log, or the file cannot be written; ValueError,
    with file and line, where a line is none of a run log.
    """
    lines, reading = LogLines(log), _Reading()
    try:
        with path.open("wb") as file, open_mcap(file, context=reading.context):
            for line in read_rows(lines):
                if progress is not None:
                    progress(lines.read)
                try:
                    reading.take(line)
                except (KeyError, TypeError, AttributeError) as error:
                    raise ValueError(f"{lines.where}: not a line of a run log: {error!r:.200}") from None
        if reading.topics is None:
            raise ValueError(f"{log}: not a run log: it has no part")
    except ValueError:
        path.unlink(missing_ok=True)
        raise
    return reading.mission


class _Reading:
    """Publishes the lines of a log as they come."""

    def __init__(self) -> None:
        self.context, self._clock = Context(), LogClock()
        self.topics: Topics | None = None
        self.mission: Mapping[str, Any] = {}

    def take(self, line: Any) -> None:
        """A line, as `read_rows` has it; whatever is wrong with it raises."""
        if isinstance(line, tuple):
            self._tick(*line)
        elif "part" in line:
            self._clock.is_simulated = line["seed"] is not None
            self.mission = line["mission"]
            self.topics = self.topics or topics_of(self.context, self.mission)
        elif "event" in line and self.topics is not None:
            event = line["event"]
            self.topics.happened(event["who"], done_to(event))
        elif "raised" in line and self.topics is not None:
            robot, now = line["raised"]["robot"], line["raised"]["now"]
            self.topics.happened(robot, raised_at(max(0.0, self._clock.at(robot, now)), line["raised"]["what"]))

    def _tick(self, robot: str, row: Any) -> None:
        if self.topics is None:
            return
        at = max(0, round(self._clock.at(robot, row.inputs.now) * NS))
        self.topics.tick(robot, at, row.inputs, row.sent, row.choice, row.state)
        self.topics.publish_room(at)
