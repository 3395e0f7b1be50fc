"""Without the extras each command works, or ends with one line that says what to install."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from robotd.__main__ import main
from robotd.files.refusal import EXTRAS
from tests.docs_pages import ROOT

BLOCK = f"""
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {sorted(EXTRAS)}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Blocked())
"""
ZENOH = "--radio zenoh@zenoh://tcp/127.0.0.1:7447 --key-file team.key"


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a robot's files, in which every Python lacks the extras."""
    folder = tmp_path_factory.mktemp("bare")
    (folder / "sitecustomize.py").write_text(BLOCK, encoding="utf-8")
    assert main(["bundle", "patrol", "--out", str(folder / "mock"), "--board", "mock", "--radio", "none"]) == 0
    assert main(["bundle", "patrol", "--out", str(folder / "real"), "--board", "r2", "--radio", "none"]) == 0
    assert main(["keygen", str(folder / "team.key")]) == 0
    return folder


RUN = """
import contextlib, io, json, sys
from robotd.__main__ import main
for words in json.loads(sys.argv[1]):
    err, out = io.StringIO(), io.StringIO()
    with contextlib.redirect_stderr(err), contextlib.redirect_stdout(out):
        try:
            code = main(words)
        except SystemExit as end:
            code = end.code
    print(json.dumps([code, err.getvalue(), out.getvalue()]))
"""


def process(bare: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Python without the extras, in the folder `bare`."""
    environment = {**os.environ, "PYTHONPATH": f"{bare}:{ROOT}", "STATE_DIRECTORY": str(bare)}
    environment["RUNTIME_DIRECTORY"] = str(bare)
    argv = [sys.executable, *words]
    return subprocess.run(
        argv, cwd=bare, env=environment, capture_output=True, text=True, timeout=600, check=False
    )


def run(bare: Path, lines: Sequence[str]) -> list[tuple[int, str, str]]:
    """The exit status, standard error and output of commands, one after the other in one process."""
    done = process(bare, "-c", RUN, json.dumps([line.split() for line in lines]))
    return [(code, printed, out) for code, printed, out in map(json.loads, done.stdout.splitlines())]


NEEDS = {
    "sim cleanup --log none": "sim",
    "sim cleanup --processes": "sim",
    "demo": "sim",
    "emulate create2": "sim",
    "live": "sim",
    "experiment optimality --runs 1": "sim",
    "bundle patrol --out again --board mock": "sim",
    "plot run.jsonl": "plot",
    f"motivate {ROOT}/docs/examples/push.toml --plot levels.svg": "plot",
    "export run.jsonl --parquet tables": "parquet",
    "export run.jsonl --mcap run.mcap": "foxglove",
    f"base-station patrol {ZENOH}": "zenoh",
}
CODES = {
    "check patrol": 0,
    "check real/amber/robot.toml --elsewhere": 0,
    "bundle patrol --out other --board r2 --radio none": 0,
    "board /dev/null --json": 2,
    "status --robot nobody": 1,  # a robot of this computer may be running
}


def test_a_command_that_needs_an_extra_ends_with_one_line_that_names_it(bare: Path) -> None:
    for (line, extra), (code, printed, out) in zip(NEEDS.items(), run(bare, [*NEEDS]), strict=True):
        assert (code, len(printed.splitlines()), out) == (2, 1, ""), line
        assert f"pip install 'robotd[{extra}]'" in printed


def test_a_daemon_that_needs_an_extra_ends_with_one_line_that_names_it(bare: Path) -> None:
    done = process(bare, "-m", "robotd", "run", "mock/amber/robot.toml")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "pip install 'robotd[sim]'" in done.stderr


def test_a_robots_computer_needs_no_extra(bare: Path) -> None:
    done = run(bare, [*CODES])
    assert [code for code, *_ in done] == list(CODES.values()), done
    assert not any("pip install" in printed for _, printed, _ in done)
