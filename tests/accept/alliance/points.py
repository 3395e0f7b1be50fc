"""Line 9: where readers stumble, what other programs have got wrong, and the worked values: a test for each."""

from __future__ import annotations

import re

from tests.accept.check import Check, Found, passed
from tests.accept.desk import ROOT, Desk

PAGE = ROOT / "docs" / "faithfulness.md"
POINTS = "## Where readers stumble"
NAMED = re.compile(r"(test_\w+)::(test_\w+)")


def named(text: str) -> list[str]:
    """The tests that a text names, as pytest does; LookupError for one that is not there once."""
    found = []
    for file, test in dict.fromkeys(NAMED.findall(text)):
        head = f"\ndef {test}("
        paths = [path for path in (ROOT / "tests").rglob(f"{file}.py") if head in path.read_text(encoding="utf-8")]
        if len(paths) != 1:
            raise LookupError(f"{file}::{test} is there {len(paths)} times")
        found.append(f"{paths[0].relative_to(ROOT)}::{test}")
    return found


def points(desk: Desk) -> Found:
    """All tests of the page's part on points that readers trip over and errors found elsewhere."""
    text = PAGE.read_text(encoding="utf-8")
    tests = named(text[text.index(POINTS) :])
    found = passed(desk, *tests)
    return found._replace(figure=f"{len(tests)} tests: {found.figure}", ok=found.ok and bool(tests))


def every_name(desk: Desk) -> Found:
    """All that the page names is there, and the worked values hold."""
    return passed(desk, "tests/test_faithfulness.py", "tests/motivation/alliance/test_learning.py")


CHECKS = (
    Check(
        "9.1",
        "points that readers trip over, errors found elsewhere",
        "pytest (tests of docs/faithfulness.md)",
        points,
    ),
    Check("9.2", "each name of the page; the worked values", "pytest tests/test_faithfulness.py ...", every_name),
)
