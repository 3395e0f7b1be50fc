"""A run log read line by line."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from robotd.record.rows import Row, RowReader

LONGEST_LINE = 1 << 26  # bytes; a part takes about 10 kB a robot
BROKEN = (AssertionError, AttributeError, LookupError, TypeError, ValueError)  # by a line that is none of a log


@dataclass
class LogLines:
    """The lines of a log in order: of a file, or of all parts in a folder or, if it has none, in those below it.

    `where` is the file and line of the one given last; `read` how many bytes were read so far, for progress;
    `cut` names last lines that a power cut left incomplete; `part` is the line of the part that is read.
    """

    path: Path
    cut: str = ""
    part: dict[str, Any] = field(default_factory=dict)
    where: str = ""
    read: int = 0

    def __iter__(self) -> Iterator[Any]:
        """Each line's JSON; ValueError names the file and line of any that is broken, but for a cut last one."""
        for file in self._files():
            with file.open("rb") as lines:
                for number, line in enumerate(iter(partial(lines.readline, LONGEST_LINE), b""), 1):
                    self.where = f"{file}:{number}"
                    self.read += len(line)
                    if line.endswith(b"\n"):
                        yield self._parsed(line)
                    elif len(line) == LONGEST_LINE:
                        raise ValueError(f"{self.where}: not a line of a run log, which has less than 64 MiB")
                    else:
                        yield from self._last(line)

    def _parsed(self, line: bytes) -> Any:
        try:
            data = json.loads(line)
        except ValueError as error:
            raise ValueError(f"{self.where}: not a line of a run log ({error})") from None
        if not isinstance(data, list | dict):
            raise ValueError(f"{self.where}: not a line of a run log, which is a list or an object")
        return data

    def _last(self, line: bytes) -> Iterator[Any]:
        """The last line of a file, which lacks its end; nothing where it cannot be read."""
        try:
            yield self._parsed(line)
        except ValueError:
            words = f"{self.where}: the last line was cut and is left out"
            self.cut = f"{self.cut}; {words}" if self.cut else words

    def fault(self, error: Exception) -> ValueError:
        """What is wrong with the line given last, by what reading it has raised."""
        return ValueError(f"{self.where}: not a line of a run log ({error!r:.200})")

    def size(self) -> int:
        """Bytes of the whole log; OSError where it is not there."""
        return sum(file.stat().st_size for file in self._files())

    def _files(self) -> list[Path]:
        if not self.path.is_dir():
            return [self.path]
        files = list(self.path.glob("*.jsonl")) or list(self.path.rglob("*.jsonl"))
        if not files:
            raise FileNotFoundError(f"{self.path}: no run log (*.jsonl) in this folder")
        return sorted(files, key=_by_number)


def read_rows(lines: LogLines) -> Iterator[tuple[str, Row] | dict[str, Any]]:
    """Each tick of a log as its robot and row, and every other line as it is.

    ValueError, with file and line, where a line is none of a run log.
    """
    readers: dict[str, RowReader] = {}
    for line in lines:
        if isinstance(line, dict):
            if "part" in line:
                readers, lines.part = {}, line
            yield line
            continue
        try:
            robot, row = line[0], readers.setdefault(line[0], RowReader()).read(line)
        except (ValueError, TypeError, IndexError) as error:
            raise ValueError(f"{lines.where}: {error}") from None
        yield robot, row


def _by_number(file: Path) -> list[tuple[int, str]]:
    return [(int(part or 0), part) if part.isdecimal() else (0, part) for part in re.split(r"(\d+)", str(file))]
