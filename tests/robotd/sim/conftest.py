from pathlib import Path

import pytest

from .small import text


@pytest.fixture
def small_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """One robot's small mission, as a file in the folder to work in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(text(("green",)))
    return "small.toml"
