"""Finding plug-ins by name: those that are installed, and those of a configuration's own files."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from robotd.files.nearest import unknown
from robotd.files.output import keep_stdout
from robotd.files.plugins import GROUPS, Plugins, UnknownPlugin, describe_error, load_files
from robotd.model.plain import from_plain, to_plain

BEHAVIORS = "robotd.behaviors"
MINE = 'ROBOTD = {"robotd.behaviors": {"my-set": int, "move-spill": float}}\n'


def file(folder: Path, text: str, name: str = "mine.py") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("group", "name"),
    [
        (BEHAVIORS, "move-spill"), ("robotd.boards", "mock"), ("robotd.radios", "none"),
        ("robotd.coordinators", "alliance"),
    ],
)  # fmt: skip
def test_what_is_installed_is_found_by_name(group, name) -> None:
    assert hasattr(Plugins().get(group, name), "Settings")
    assert name in Plugins().names(group)


def test_a_name_that_is_unknown_is_refused_with_the_nearest_and_all_there_are() -> None:
    with pytest.raises(UnknownPlugin) as error:
        Plugins().get(BEHAVIORS, "move-spil")
    words = str(error.value)
    assert words.startswith("no behavior is called 'move-spil'; did you mean 'move-spill'? (there are: avoid-")
    assert all(name in words for name in Plugins().names(BEHAVIORS))
    assert unknown("robot", "xyzzy", ["red"]) == "no robot is called 'xyzzy' (there are: red)"
    assert unknown("robot", "xyzzy", []) == "no robot is called 'xyzzy' (there are: none)"


def test_files_bring_plugins_of_their_own_and_may_replace_an_installed_one(tmp_path) -> None:
    other = 'ROBOTD = {"robotd.behaviors": {"other": str}, "robotd.boards": {"box": dict}}\n'
    plugins = load_files([file(tmp_path, MINE), file(tmp_path, other, "other.py")])
    assert [plugins.get(BEHAVIORS, name) for name in ("my-set", "move-spill", "other")] == [int, float, str]
    assert Plugins().get(BEHAVIORS, "move-spill") is not float
    assert {"my-set", "other"} <= {*plugins.names(BEHAVIORS)} - {*Plugins().names(BEHAVIORS)}
    assert plugins.get("robotd.boards", "box") is dict
    with pytest.raises(UnknownPlugin):
        plugins.get("robotd.boards", "other")


@pytest.mark.parametrize("text", ["", "ROBOTD = 3\n", 'ROBOTD = {"robotd.sheep": {}}\n'])
def test_a_file_that_brings_nothing_or_an_unknown_group_is_refused_with_its_name(tmp_path, text) -> None:
    with pytest.raises(ValueError, match=r"mine\.py: expected ROBOTD = .*robotd\.behaviors") as refused:
        load_files([file(tmp_path, text)])
    assert all(group in str(refused.value) for group in GROUPS)


@pytest.mark.parametrize("name", ["mine.txt", "absent.py", "folder.py"])
def test_what_is_no_python_file_is_refused(tmp_path, name) -> None:
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "mine.txt").write_text(MINE)
    with pytest.raises(ValueError, match="not a Python file that can be read"):
        load_files([tmp_path / name])


def test_a_file_that_ends_the_program_is_a_fault_of_the_file_and_its_prints_are_no_answer(tmp_path, capfd) -> None:
    with pytest.raises(ValueError, match=r"mine\.py: .*sys\.exit"):
        load_files([file(tmp_path, "import sys\nprint('hello')\nsys.exit(0)\n")])
    assert capfd.readouterr() == ("", "hello\n")


def test_an_answer_in_json_is_alone_whatever_prints_beside_it(capfd) -> None:
    for for_json in (True, False):
        with keep_stdout(for_json=for_json):
            sys.stdout.write("plug-in\n")
            sys.stdout.flush()
            subprocess.run(["echo", "process"], check=True)
        sys.stdout.write("answer\n")
        out, err = capfd.readouterr()
        assert (out, err) == (("answer\n", "plug-in\nprocess\n") if for_json else (out, ""))


def test_a_file_that_fails_leaves_nothing_behind(tmp_path) -> None:
    before = set(sys.modules)
    with pytest.raises(ZeroDivisionError):
        load_files([file(tmp_path, "1 / 0\n")])
    assert set(sys.modules) == before


DATACLASSES = """
from __future__ import annotations
from dataclasses import dataclass
from typing import ClassVar

@dataclass
class Spot:
    x: float = %s

@dataclass
class State:
    kind: ClassVar[int] = 0
    spot: Spot | None = None

ROBOTD = {"robotd.behaviors": {"state": State, "spot": Spot}}
"""


def test_the_state_of_a_behavior_from_a_file_can_be_frozen_and_thawed(tmp_path) -> None:
    """Two files of one name in two folders do not meet: each finds its own names."""
    for folder, x in (("a", 1.0), ("b", 2.0), ("a", 3.0)):
        plugins = load_files([file(tmp_path / folder, DATACLASSES % x)])
        state, spot = plugins.get(BEHAVIORS, "state"), plugins.get(BEHAVIORS, "spot")
        thawed = from_plain(state, to_plain(state(spot())))
        assert (thawed, thawed.spot.x) == (state(spot()), x)


def test_a_file_changed_within_a_second_is_read_as_it_is_and_leaves_no_compiled_copy(tmp_path) -> None:
    for x in (1.0, 2.0):
        path = file(tmp_path, DATACLASSES % x)
        os.utime(path, (1e9, 1e9))
        assert load_files([path]).get(BEHAVIORS, "spot")().x == x
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


BROKEN = """
from behaviors.steering import clip

class Silent(Exception):
    def __str__(self):
        raise RuntimeError

def by_itself():
    raise KeyError("x" * 500)

def in_a_library():
    clip(None, 1.0)

def without_words():
    raise Silent

ROBOTD = {"robotd.behaviors": {name: globals()[name] for name in ("by_itself", "in_a_library", "without_words")}}
"""


@pytest.mark.parametrize(
    ("name", "line", "word"),
    [("by_itself", 9, "KeyError: 'xxx"), ("in_a_library", 12, "TypeError: "), ("without_words", 15, "Silent (")],
)
def test_what_a_plug_in_raised_is_described_with_its_file_and_line_in_few_words(
    name, line, word, tmp_path
) -> None:
    plugin = load_files([file(tmp_path, BROKEN, "br\nken.py")]).get(BEHAVIORS, name)
    with pytest.raises(Exception) as caught:  # noqa: PT011 - of any kind
        plugin()
    words = describe_error(caught.value)
    assert words.startswith(word)
    assert words.endswith(f" (br?ken.py, line {line}, in {name})")
    assert len(words) < 300


def test_an_exception_of_robotd_is_described_with_the_module_of_it_and_one_that_was_not_raised_without() -> None:
    with pytest.raises(UnknownPlugin) as caught:
        Plugins().get(BEHAVIORS, "no-such")
    assert "(robotd/files/plugins.py, line " in describe_error(caught.value)
    assert describe_error(ValueError("why")) == "ValueError: why"
