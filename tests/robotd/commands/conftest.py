"""What tests of commands share."""

from pathlib import Path

import pytest

from robotd.files import paths


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of sockets, in place of this user's and of the system's."""
    monkeypatch.setenv("RUNTIME_DIRECTORY", str(tmp_path))
    monkeypatch.setitem(paths.SYSTEM, "runtime", ("RUNTIME_DIRECTORY", tmp_path))
    return tmp_path
