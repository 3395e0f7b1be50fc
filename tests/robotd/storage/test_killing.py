"""SIGKILL at random instants of writing: what was learned is never unreadable, and nothing saved is lost."""

import contextlib
import json
import os
import select
import signal
from pathlib import Path
from typing import Any

import pytest

from robotd.model.streams import Stream
from robotd.storage.store import FileStore

KILLS = int(os.environ.get("ROBOTD_KILLS", "20"))  # the acceptance asks for a thousand
NAME = "learned"
LONGEST_S = 0.01  # from the first documents on the disk to the kill: some dozens of documents


def document(number: int) -> dict[str, Any]:
    """The `number`-th document: a memory of some kilobytes whose every part has the number."""
    return {"number": number, "trials": {f"set-{k}": [float(number)] * 40 for k in range(10)}, "end": number}


def write_until_killed(folder: Path, newest: int, count: int, after_s: float) -> int:
    """The number of the last document whose saving had returned in a process that was killed."""
    reads, writes = os.pipe()
    writer = os.fork()
    if writer == 0:
        with contextlib.suppress(BaseException):  # whatever ends the loop, nothing of the parent may go on here
            store = FileStore(folder)
            while True:
                newest += 1
                store.save(NAME, document(newest))
                os.write(writes, newest.to_bytes(8, "big"))
        os._exit(1)
    os.close(writes)
    with open(reads, "rb") as numbers:
        saved = numbers.read(8 * count)  # it is at work, however slow the disk
        select.select([], [], [], after_s)
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)
        saved += numbers.read()
    return int.from_bytes(saved[(len(saved) // 8 - 1) * 8 :][:8], "big")


def check(folder: Path, saved: int) -> int:
    """The number of the document on the disk, which is whole and no older than the one that was `saved`."""
    store = FileStore(folder)
    loaded = store.load(NAME)
    assert isinstance(loaded, dict), store.aside
    number: int = loaded["number"]
    assert loaded == document(number)
    assert number >= saved
    return number


def test_killed_at_any_instant_the_last_document_saved_is_there(tmp_path: Path) -> None:
    newest, stream = 0, Stream(1, "store", "kill")
    for k in range(KILLS):
        saved = write_until_killed(tmp_path, newest, 1 + k % 3, stream.uniform(0.0, LONGEST_S))
        newest = check(tmp_path, saved)
    assert newest > KILLS


@pytest.mark.parametrize("text", [json.dumps({**document(7), "end": 6}), json.dumps(document(8))[:-20]])
def test_a_document_that_is_lost_torn_or_unreadable_is_noticed(tmp_path: Path, text: str) -> None:
    path = tmp_path / f"{NAME}.json"
    path.write_text(json.dumps(document(5)))
    assert check(tmp_path, 5) == 5
    with pytest.raises(AssertionError):
        check(tmp_path, 6)
    path.write_text(text)
    with pytest.raises(AssertionError):
        check(tmp_path, 5)
