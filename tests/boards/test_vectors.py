"""Published examples of what boards speak, and reports from the field: each has a test that names it.

A test names them by its own name, by its docstring, or by an id of its parameters (`tests/named.py`).
"""

from tests.named import named

SERIES = {"RB": range(1, 15), "FM": range(1, 16), "KB": range(1, 9), "MA": range(1, 8), "P": range(201, 232)}
VECTORS = [
    f"{kind}{n:02}" for kind, numbers in SERIES.items() for n in numbers
]  # Roomba, Firmata, Kobuki, Maestro, P2OS
REPORTS = "A1 A3 A4 A5 A6 A7 A8 A10 A11 A13 B1 B2 B4 B6 B7 B8 C1 C3 C5 D1 D3 D4 D5 D7 D8 D13 D15 D16"
FOLDERS = ("boards", "robotd")


def test_every_example_and_every_report_has_a_test_that_names_it() -> None:
    assert sorted({*VECTORS, *REPORTS.split()} - named(*FOLDERS)) == []
