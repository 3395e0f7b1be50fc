"""A process that writes through a `FileStore` and is killed at random instants: what is then on the disk?

`python -m tests.robotd.guardian.killing FOLDER INSTANTS SEED` prints one JSON object; it
ends with 1 if anything was lost.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from robotd.model.streams import Stream
from robotd.storage.store import FileStore

NAME = "learned"
LONGEST_S = 0.01  # from the first document on the disk to the kill: some dozens of documents


def document(number: int) -> dict[str, Any]:
    """The `number`-th document: a memory of some kilobytes whose every part tells the number."""
    return {"number": number, "trials": {f"set-{k}": [float(number)] * 40 for k in range(10)}, "end": number}


@dataclass
class Found:
    """What was on the disk after each kill."""

    kills: int = 0
    unreadable: int = 0
    torn: int = 0  # readable, but no document that was ever written
    lost: int = 0  # older than the last one whose saving had returned
    newest: int = 0
    cut_off: int = 0  # kills that left a half-written file beside the document: they fell into a write
    examples: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether no kill did any harm."""
        return self.kills > 0 and not (self.unreadable or self.torn or self.lost)


def kill_while_saving(folder: Path, instants: int, seed: int) -> Found:
    """Start a writer and kill it (SIGKILL), so many times, each going on from where the last was killed."""
    found = Found()
    stream = Stream(seed, "store", "kill")
    for _ in range(instants):
        saved = _one_kill(folder, found.newest, stream.uniform(0.0, LONGEST_S))
        found.kills += 1
        found.cut_off += (folder / f"{NAME}.new").exists()
        _look(folder, saved, found)
    return found


def _one_kill(folder: Path, newest: int, after_s: float) -> int:
    """The number of the last document that the writer said was saved before it was killed."""
    reads, writes = os.pipe()
    writer = os.fork()
    if writer == 0:
        os.close(reads)
        _write_for_ever(folder, newest, writes)
    os.close(writes)
    said = os.read(reads, 8)  # it is at work
    select.select([], [], [], after_s)
    os.kill(writer, signal.SIGKILL)
    os.waitpid(writer, 0)
    while part := os.read(reads, 1 << 16):
        said += part
    os.close(reads)
    return int.from_bytes(said[(len(said) // 8 - 1) * 8 :][:8], "big")


def _write_for_ever(folder: Path, newest: int, says: int) -> None:
    with contextlib.suppress(BaseException):  # whatever ends the loop, nothing of the parent may go on here
        store = FileStore(folder)
        while True:
            newest += 1
            store.save(NAME, document(newest))
            os.write(says, newest.to_bytes(8, "big"))
    os._exit(1)


def _look(folder: Path, saved: int, found: Found) -> None:
    text = (folder / f"{NAME}.json").read_bytes()
    store = FileStore(folder)
    loaded = store.load(NAME)
    if not isinstance(loaded, dict):
        found.unreadable += 1
        found.examples.append(f"{store.aside}: {text[:80]!r}")
        return
    number = loaded.get("number", 0)
    if loaded != document(number):
        found.torn += 1
        found.examples.append(f"{text[:80]!r}")
    if number < saved:
        found.lost += 1
        found.examples.append(f"document {number}, but {saved} had been saved")
    found.newest = max(number, saved)


if __name__ == "__main__":
    result = kill_while_saving(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    sys.stdout.write(json.dumps({**asdict(result), "sound": result.sound}) + "\n")
    sys.exit(0 if result.sound else 1)
