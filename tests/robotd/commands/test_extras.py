"""Without the extras each command works, or ends with one line that says what to install."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from robotd.__main__ import main
from robotd.files.extras import EXTRAS
from tests.docs_pages import ROOT

BLOCK = f"""
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {sorted(EXTRAS)}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Blocked())
"""
ZENOH = ("--radio", "zenoh@zenoh://tcp/127.0.0.1:7447", "--key-file", "team.key")


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a robot's files, in which every Python lacks the extras."""
    folder = tmp_path_factory.mktemp("bare")
    (folder / "sitecustomize.py").write_text(BLOCK, encoding="utf-8")
    assert main(["bundle", "patrol", "--out", str(folder / "mock"), "--board", "mock", "--radio", "none"]) == 0
    assert main(["bundle", "patrol", "--out", str(folder / "real"), "--board", "r2", "--radio", "none"]) == 0
    assert main(["keygen", str(folder / "team.key")]) == 0
    return folder


def run(bare: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "robotd", *words],
        cwd=bare,
        env={
            **os.environ,
            "PYTHONPATH": f"{bare}:{ROOT}",
            "RUNTIME_DIRECTORY": str(bare),
            "STATE_DIRECTORY": str(bare),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ("sim", ("sim", "cleanup", "--log", "none")),
        ("sim", ("sim", "cleanup", "--processes")),
        ("sim", ("demo",)),
        ("sim", ("experiment", "optimality", "--runs", "1")),
        ("sim", ("run", "mock/amber/robot.toml")),
        ("sim", ("bundle", "patrol", "--out", "again", "--board", "mock")),
        ("plot", ("plot", "run.jsonl")),
        ("plot", ("motivate", str(ROOT / "docs/examples/push.toml"), "--plot", "levels.svg")),
        ("zenoh", ("base-station", "patrol", *ZENOH)),
    ],
)
def test_a_command_that_needs_an_extra_ends_with_one_line_that_names_it(
    bare: Path, extra: str, words: tuple[str, ...]
) -> None:
    done = run(bare, *words)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert f"pip install 'robotd[{extra}]'" in done.stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("check", "patrol"), 0),
        (("check", "real/amber/robot.toml", "--elsewhere"), 0),
        (("bundle", "patrol", "--out", "other", "--board", "r2", "--radio", "none"), 0),
        (("board", "/dev/null", "--json"), 2),
        (("status", "--robot", "nobody"), 1),  # a robot of this computer may be running
    ],
)
def test_a_robots_computer_needs_no_extra(bare: Path, words: tuple[str, ...], code: int) -> None:
    done = run(bare, *words)
    assert done.returncode == code, done.stderr
    assert "pip install" not in done.stderr + done.stdout
