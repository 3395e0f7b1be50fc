"""What outlives a process, in memory and on a disk."""

import json
import os
from pathlib import Path

import pytest

from robotd.storage.store import FileStore, MemoryStore, Store

DOCUMENT = {"stamp": [3, 65535], "known": {"2": None}, "share": 0.1}


@pytest.fixture(params=["memory", "disk"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return MemoryStore() if request.param == "memory" else FileStore(tmp_path / "not" / "there" / "yet")


def test_a_document_is_read_as_it_was_saved_and_another_is_not_there(store) -> None:
    for document in ({"stamp": [4, 0], "more": 1}, DOCUMENT):  # the second replaces the first whole
        store.save("radio", document)
        assert store.load("radio") == document
    assert store.load("other") is None


def test_what_is_done_with_a_document_after_saving_or_loading_does_not_change_it(store) -> None:
    document = {"stamp": [1, 2]}
    store.save("radio", document)
    document["stamp"].append(3)
    store.load("radio")["stamp"].append(4)
    assert store.load("radio") == {"stamp": [1, 2]}


def test_a_document_that_is_set_aside_is_no_longer_there_and_the_store_lists_it(store) -> None:
    store.save("learned", DOCUMENT)
    assert list(store.aside) == []
    store.set_aside("learned", "it is of another robot")
    assert store.load("learned") is None
    (words,) = store.aside
    assert "learned" in words
    assert words.endswith(": it is of another robot")


# -- on a disk


@pytest.mark.parametrize("content", [b"", b"{", b'{"a": 1', b"\0\0\0\0", b"nonsense", b"\xff\xfe\x00", None])
def test_a_file_that_a_power_cut_spoilt_or_a_folder_is_set_aside_and_counts_as_none(tmp_path, content) -> None:
    path = tmp_path / "radio.json"
    path.mkdir() if content is None else path.write_bytes(content)
    store = FileStore(tmp_path)
    assert store.load("radio") is None
    aside = tmp_path / "radio.corrupt"
    assert aside.is_dir() if content is None else aside.read_bytes() == content
    assert (len(store.aside), str(path) in store.aside[0]) == (1, True)
    store.save("radio", DOCUMENT)
    assert store.load("radio") == DOCUMENT


def test_a_save_that_was_cut_leaves_the_old_document(tmp_path, monkeypatch) -> None:
    store = FileStore(tmp_path)
    store.save("radio", DOCUMENT)

    def power_cut(self: Path, target: Path) -> Path:
        raise OSError("cut before the new name")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", power_cut)
        with pytest.raises(OSError, match="cut"):
            store.save("radio", {"stamp": "new"})
    assert store.load("radio") == DOCUMENT


def test_the_document_and_its_name_are_on_the_disk_before_the_call_returns(tmp_path, monkeypatch) -> None:
    """A file without its bytes, or bytes without their name, would both be lost in a power cut."""
    steps: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def noted(fd: int) -> None:
        steps.append("folder" if os.path.isdir(f"/proc/self/fd/{fd}") else "file")
        fsync(fd)

    def renamed(self: Path, target: Path) -> Path:
        assert json.loads(self.read_text()) == DOCUMENT
        steps.append("name")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(Path, "replace", renamed)
    FileStore(tmp_path).save("radio", DOCUMENT)
    assert steps == ["file", "name", "folder"]


def test_a_folder_that_cannot_be_made_is_an_os_error(tmp_path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = FileStore(tmp_path / "file" / "state")
    with pytest.raises(OSError, match="file"):
        store.save("radio", DOCUMENT)
    assert store.load("radio") is None
