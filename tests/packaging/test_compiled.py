"""Compiled modules: their sources as mypyc is given them, and the choice between compiled and interpreted ones."""

import ast
import importlib
import os
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import pytest

from robotd import Sources

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "packaging" / "compiled"
MODULES = (FOLDER / "modules.txt").read_text(encoding="utf-8").split()
IN_PLACE = any((ROOT / "robotd" / "model").glob("senses.*.so"))
SAMPLE = '''"""A module."""

from __future__ import annotations

from dataclasses import dataclass, field

from robotd.model.value import value

MOST, LEAST = 3, 1


@value
class Point:
    """Somewhere."""

    x: float
    y: float = 2.0
    names: dict[str, int] = field(default_factory=dict)
    seen: int = field(default=0, compare=False)

    def far(self) -> float:
        return self.x + self.y


@dataclass(slots=True, kw_only=True)
class Count:
    number: int = MOST
    twice: int = field(init=False)

    def __post_init__(self) -> None:
        self.twice = 2 * self.number


class Base:
    name = "base"
    kind = "plain"

    def __init__(self) -> None:
        self.name = "made"


class Wrong(ValueError):
    """Left as it is."""
'''


@pytest.fixture(scope="module")
def rewriting() -> Any:
    sys.path.insert(0, str(FOLDER))
    yield importlib.import_module("rewrite")
    sys.path.remove(str(FOLDER))


def made(source: str) -> dict[str, Any]:
    module = type(sys)("sample_module")
    sys.modules["sample_module"] = module
    exec(compile(source, "sample", "exec"), module.__dict__)
    return module.__dict__


def places(source: str) -> list[tuple[str, int]]:
    """Functions and classes with their lines, but for those that are added."""
    added = ("__init__", "__eq__", "__hash__")
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    found = (node for node in ast.walk(ast.parse(source)) if isinstance(node, kinds))
    return sorted((node.name, node.lineno) for node in found if node.name not in added)


@pytest.mark.parametrize("name", MODULES)
def test_a_rewritten_module_keeps_the_lines_of_what_it_defines(name: str, rewriting: Any) -> None:
    source = (ROOT / name).read_text(encoding="utf-8")
    assert places(rewriting.rewrite(source, ())) == places(source)


def test_a_rewritten_dataclass_is_made_compared_hashed_and_shown_as_before(rewriting: Any) -> None:
    text = rewriting.rewrite(SAMPLE, {"name"})
    before, after = made(SAMPLE), made(text.replace("if typing.TYPE_CHECKING: ", ""))
    assert "def __init__(self, x: float, y: float = 2.0" in text
    for given in ((1.0,), (1.0, 3.0), (1.0, 2.0, {"a": 1}), (1.0, 2.0, {}, 5)):
        one, other = before["Point"](*given), after["Point"](*given)
        assert repr(one) == repr(other)
        assert one.far() == other.far()
        assert (other == after["Point"](1.0), one == before["Point"](1.0)) == ((one == before["Point"](1.0),) * 2)
    assert after["Point"](1.0) != before["Point"](1.0)
    assert after["Point"](1.0).names is not after["Point"](1.0).names
    assert after["Point"].__annotations__["names"] == "dict[str, int]"
    assert (after["Count"]().twice, after["Count"](number=2).twice) == (6, 4)
    with pytest.raises(TypeError):
        after["Count"](2)
    with pytest.raises(TypeError):
        hash(after["Point"](1.0))  # of a dict, as before


def test_what_subclasses_may_replace_and_constants_are_marked_and_errors_left_alone(rewriting: Any) -> None:
    text = rewriting.rewrite(SAMPLE, {"name"})
    assert "MOST: typing.Final = 3; LEAST: typing.Final = 1" in text
    assert text.count("@mypy_extensions.mypyc_attr(allow_interpreted_subclasses=True)") == 1
    assert '    kind: typing.ClassVar[typing.Any] = "plain"' in text
    assert '    name = "base"' in text


def test_sources_of_ours_are_found_and_nothing_else() -> None:
    path = [str(ROOT / "robotd" / "model")]
    spec = Sources.find_spec("robotd.model.senses", path)
    assert isinstance(spec.loader, SourceFileLoader)
    assert Sources.find_spec("robotd.model.nothing", path) is None
    assert Sources.find_spec("json.decoder", path) is None
    assert Sources.find_spec("robotd") is None


@pytest.mark.parametrize(("pure", "word"), [("1", "pure Python"), ("", "compiled" if IN_PLACE else "pure Python")])
def test_the_version_says_what_runs_and_sources_run_where_they_are_asked_for(pure: str, word: str) -> None:
    words = [sys.executable, "-c", "import boards.mock.rays as r, robotd.__main__ as m; m.main(['--version']); "
             "print(r.__file__)"]  # fmt: skip
    environment = os.environ | {"ROBOTD_PURE": pure}
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)
    version, file = done.stdout.splitlines()
    assert version.endswith(f"({word})")
    assert file.endswith(".py") == (word == "pure Python")
