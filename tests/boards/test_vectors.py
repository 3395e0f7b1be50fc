"""Published examples of what boards speak, and reports from the field: each has a test that names it.

A test names them by a key of its table, by its own name, or by a comment beside its name.
"""

from __future__ import annotations

import re
from pathlib import Path

VECTORS = (
    *(f"RB{n:02}" for n in range(1, 15)),  # Roomba's Open Interface
    *(f"P{n}" for n in range(201, 232)),  # P2OS
    *(f"FM{n:02}" for n in range(1, 16)),  # Firmata
    *(f"KB{n:02}" for n in range(1, 9)),  # Kobuki
    *(f"MA{n:02}" for n in range(1, 8)),  # Maestro
)
REPORTS = (
    "A1", "A3", "A4", "A5", "A6", "A7", "A8", "A10", "A11", "A13",
    "B1", "B2", "B4", "B6", "B7", "B8",
    "C1", "C3", "C5",
    "D1", "D3", "D4", "D5", "D7", "D8", "D13", "D15", "D16",
)  # fmt: skip
TESTS = Path(__file__).parents[1]


def named() -> set[str]:
    """What the tests of boards and of ports name."""
    files = [*(TESTS / "boards").glob("test_*.py"), *(TESTS / "robotd").glob("test_*.py")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files if path != Path(__file__))
    tests = {part.upper() for name in re.findall(r"def (test_\w+)", text) for part in name.split("_")}
    beside = {word for comment in re.findall(r"# (.*)", text) for word in re.findall(r"[A-Z]+\d+", comment)}
    return tests | beside | set(re.findall(r'"([A-Z]+\d+)"', text))


def test_every_example_and_every_report_has_a_test_that_names_it() -> None:
    assert sorted({*VECTORS, *REPORTS} - named()) == []


def test_what_no_test_names_is_found_missing() -> None:
    assert "A2" not in named()
