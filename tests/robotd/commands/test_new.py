"""`robotd new`: what it writes works as it is, and touches nothing else."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from robotd.__main__ import main
from robotd.commands.new import KINDS

ROOT = Path(__file__).parents[3]
TRY = """
import contextlib, sys
from robotd.__main__ import main
from robotd.config import reference
from robotd.files.plugins import Plugins
import pytest
points, tests = (text.split(",") for text in sys.argv[1:])
for point in points:
    Plugins().get(*point.split())
with open("page.md", "w", encoding="utf-8") as page:
    page.write(reference.reference())
with open("simulated.json", "w", encoding="utf-8") as simulated, contextlib.redirect_stdout(simulated):
    parts = ["--board", "own-board", "--radio", "own-radio"]
    assert main(["sim", "patrol", "--bytes", *parts, "--duration", "5", "--json", "--log", "none"]) == 0
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *tests]))
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tracked source tree, with what of it was compiled, so that it is not compiled again."""
    copy = tmp_path_factory.mktemp("copy") / "robotd"
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for file in filter(Path.is_file, map(ROOT.joinpath, listed.splitlines())):
        place = copy / file.relative_to(ROOT).parent
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, place)
        for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.cpython-*.pyc"):
            (place / "__pycache__").mkdir(exist_ok=True)
            shutil.copy2(compiled, place / "__pycache__")
    return copy


def run(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Python with the copy before the installed tree."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *words], cwd=tree, env=environment, capture_output=True, text=True, check=False
    )


def contents(tree: Path) -> dict[str, bytes]:
    files = (path for path in tree.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {path.relative_to(tree).as_posix(): path.read_bytes() for path in files}


def install(tree: Path) -> None:
    """What `pip install -e .` makes of the entry points."""
    project = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    folder = tree / f"robotd-{project['version']}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: robotd\nVersion: {project['version']}\n")
    groups = [f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in points.items())
              for group, points in project["entry-points"].items()]  # fmt: skip
    (folder / "entry_points.txt").write_text("\n".join(groups))


@pytest.mark.long
def test_in_a_checkout_each_kind_is_found_passes_its_test_and_touches_the_project_and_one_page(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(tree)
    monkeypatch.chdir(tree)
    assert {main(["new", kind, f"own-{kind}", "--json"]) for kind in KINDS} == {0}
    own = [name for row in capsys.readouterr().out.splitlines() for name in json.loads(row)["written"]]
    after = contents(tree)
    assert {name for name in after if after[name] != before.get(name)} == set(own)
    assert {name for name in own if name in before} == {"pyproject.toml"}
    install(tree)
    points = ",".join(f"{place.group} own-{kind}" for kind, place in KINDS.items() if place.group)
    tried = run(tree, "-c", TRY, points, ",".join(name for name in own if name.startswith("tests/")))
    assert tried.returncode == 0, tried.stdout + tried.stderr
    assert "own-board" in (tree / "page.md").read_text(encoding="utf-8")
    assert json.loads((tree / "simulated.json").read_text(encoding="utf-8"))["robots"]["amber"]


@pytest.mark.parametrize("name", ["Own", "own_one", "-own", "../own", "", "o" * 41])
def test_a_name_that_no_plug_in_may_have_is_refused(name: str, tmp_path: Path) -> None:
    assert main(["new", "behavior", "--folder", str(tmp_path), "--", name]) == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("there", ["own.py", "test_own.py"])
def test_nothing_is_overwritten_and_nothing_half_written(there: str, tmp_path: Path) -> None:
    (tmp_path / there).write_text("mine")
    assert main(["new", "behavior", "own", "--folder", str(tmp_path)]) == 2
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(there, "mine")]


def test_elsewhere_both_files_are_in_one_folder_and_what_is_next_can_be_copied(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "my missions"
    assert main(["new", "mission", "two-rounds", "--folder", str(folder)]) == 0
    step = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("next: "))
    tests = str(folder / "test_two_rounds.py")
    assert shlex.split(step)[1:] == ["python", "-m", "pytest", "-q", tests]
    assert sorted(path.name for path in folder.iterdir()) == ["test_two_rounds.py", "two-rounds.toml"]
    assert main(["check", str(folder / "two-rounds.toml")]) == 0


def test_elsewhere_a_device_has_its_emulator_beside_it_and_passes_its_test(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    for kind in ("board", "radio"):
        assert main(["new", kind, f"own-{kind}", "--folder", str(tmp_path / kind)]) == 0
        names = (f"own_{kind}.py", f"own_{kind}_emulator.py", f"test_own_{kind}.py")
        assert tuple(sorted(path.name for path in (tmp_path / kind).iterdir())) == names
    plugins = [word for kind in ("board", "radio") for word in (f"--{kind}", f"own-{kind}", "--plugin",
               str(tmp_path / kind / f"own_{kind}.py"))]  # fmt: skip
    assert main(["sim", "patrol", "--bytes", *plugins, "--duration", "5", "--log", "none"]) == 0
    passed = run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", ".")
    assert passed.returncode == 0, passed.stdout
