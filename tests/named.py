"""Which published examples and reports the tests prove: by the names of those that can fail, in their source."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
ID = re.compile(r"(?<![A-Za-z0-9])[A-Z]{1,2}\d+(?![A-Za-z0-9])")
Test = ast.FunctionDef | ast.AsyncFunctionDef


def named(*folders: str) -> set[str]:
    """The ids that tests of `folders` name: in their name, their docstring or an id of their parameters.

    A test without an assertion of its own proves nothing and names nothing; nor does one that is skipped.
    """
    paths = (path for folder in folders for path in (TESTS / folder).rglob("test_*.py"))
    return {name for path in paths for name in ids_of(path.read_text(encoding="utf-8"))}


def ids_of(source: str) -> set[str]:
    """The ids that the tests of one module name."""
    module = ast.parse(source)
    tables = {
        target.id: node.value
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    words: list[str] = []
    for test in tests_of(module):
        marks = [mark for mark in test.decorator_list if "pytest.mark" in ast.unparse(mark)]
        if asserts(test) and not any(ast.unparse(mark).startswith("pytest.mark.skip") for mark in marks):
            words += [test.name.upper().replace("_", " "), ast.get_docstring(test) or ""]
            words += [word for mark in marks for word in words_of(mark, tables)]
    return set(ID.findall(" ".join(words)))


def tests_of(module: ast.Module) -> Iterator[Test]:
    """The functions of a module, and of its test classes, that pytest collects."""
    for node in module.body:
        several = node.body if isinstance(node, ast.ClassDef) and node.name.startswith("Test") else [node]
        yield from (one for one in several if isinstance(one, Test) and one.name.startswith("test_"))


def asserts(test: Test) -> bool:
    """It has an assertion, or expects an exception."""
    return any(
        isinstance(node, ast.Assert) or (isinstance(node, ast.Attribute) and node.attr == "raises")
        for node in ast.walk(test)
    )


def words_of(mark: ast.expr, tables: dict[str, ast.expr]) -> Iterator[str]:
    """The texts of a mark, and the keys or texts of the tables of its module that it takes parameters from."""
    for node in ast.walk(mark):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.Name) and node.id in tables:
            table = tables[node.id]
            of = [key for key in table.keys if key is not None] if isinstance(table, ast.Dict) else [table]
            yield from (word for one in of for word in words_of(one, {}))
