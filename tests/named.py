"""Which published examples and reports the tests prove: by the names of those that can fail."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parent
ID = re.compile(r"(?<![A-Za-z0-9])[A-Z]{1,2}\d+(?![A-Za-z0-9])")


def named(*folders: str) -> set[str]:
    """The ids that collected tests of `folders` name: in their name, their docstring or an id of their parameters.

    A test without an assertion of its own proves nothing and names nothing.
    """
    paths = sorted(path for folder in folders for path in (TESTS / folder).rglob("test_*.py"))
    found: set[str] = set()
    for path in paths:
        words = path.relative_to(TESTS.parent).with_suffix("").parts
        for test in collected(importlib.import_module(".".join(words))):
            found |= ids_of(test)
    return found


def collected(module: Any) -> Iterator[Callable[..., Any]]:
    """The functions of a module, and of its classes, that pytest collects and does not skip."""
    for name, thing in vars(module).items():
        holders = (
            inspect.getmembers(thing) if inspect.isclass(thing) and name.startswith("Test") else [(name, thing)]
        )
        for own, test in holders:
            if (
                own.startswith("test_")
                and inspect.isfunction(test)
                and "skip" not in {m.name for m in marks(test)}
            ):
                yield test


def marks(test: Any) -> list[Any]:
    """Its marks of pytest."""
    found: list[Any] = list(getattr(test, "pytestmark", ()))
    return found


def ids_of(test: Callable[..., Any]) -> set[str]:
    """The ids that one test proves; none where it asserts nothing."""
    words = [test.__name__.upper().replace("_", " "), test.__doc__ or ""]
    for mark in marks(test):
        if mark.name == "parametrize":
            words += parameter_ids(*mark.args, **mark.kwargs)
    found = set(ID.findall(" ".join(words)))
    return found if found and asserts(test) else set()


def asserts(test: Callable[..., Any]) -> bool:
    """It has an assertion, or expects an exception."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(test))))
    return any(
        isinstance(node, ast.Assert) or (isinstance(node, ast.Attribute) and node.attr == "raises")
        for node in ast.walk(tree)
    )


def parameter_ids(names: Any, values: Iterable[Any], ids: Any = None, **_: Any) -> list[str]:
    """What pytest calls each set of values, as far as that holds texts: its id, or the texts among the values."""
    found: list[str] = []
    for index, value in enumerate(values):
        own = getattr(value, "id", None) if hasattr(value, "values") and hasattr(value, "marks") else None
        several = not isinstance(names, str) or "," in names
        parts = getattr(value, "values", value) if own is not None else value
        parts = tuple(parts) if several and isinstance(parts, list | tuple) else (parts,)
        if own is not None:
            found.append(str(own))
        elif callable(ids):
            found += [str(ids(part)) for part in parts]
        elif ids is not None:
            found.append(str(list(ids)[index]))
        else:
            found += [part for part in parts if isinstance(part, str)]
    return found
