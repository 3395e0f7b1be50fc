"""Tables as CSV files, written row by row."""

import csv
from pathlib import Path
from typing import Any

import pytest

from robotd.files.csv_table import csv_table, write_table

ROWS: list[dict[str, Any]] = [{"a": 'x, "y"\nz', "b": True}, {"b": False, "d": 1.5}, {"a": None, "c": "é"}]


def read(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_a_column_that_a_later_row_brings_is_in_its_order_and_empty_before(tmp_path: Path) -> None:
    write_table(tmp_path / "t.csv", ROWS, ["b", "a"])
    assert read(tmp_path / "t.csv") == [
        ["b", "a", "c", "d"], ["true", 'x, "y"\nz', "", ""], ["false", "", "", "1.5"], ["", "", "é", ""],
    ]  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_a_column_that_comes_later_and_is_the_last_has_its_name_too(tmp_path: Path) -> None:
    write_table(tmp_path / "t.csv", [{"a": 1}, {"a": 2, "z": 3}], [])
    assert (tmp_path / "t.csv").read_text() == "a,z\n1,\n2,3\n"


def test_a_table_without_rows_has_its_first_columns(tmp_path: Path) -> None:
    write_table(tmp_path / "t.csv", [], ["b", "a"])
    assert (tmp_path / "t.csv").read_text() == "b,a\n"


def test_each_row_is_in_the_file_before_the_next_one_is_made(tmp_path: Path) -> None:
    with csv_table(tmp_path / "t.csv", ["n"]) as table:
        for n in range(20_000):
            table.append({"n": n, "text": "x" * 100})
        (draft,) = tmp_path.iterdir()
        assert draft.stat().st_size > 2_000_000
    assert table.count == 20_000


def test_a_table_that_is_not_finished_leaves_the_earlier_one_and_no_draft(tmp_path: Path) -> None:
    write_table(tmp_path / "t.csv", [{"a": 1}], [])
    with pytest.raises(ZeroDivisionError), csv_table(tmp_path / "t.csv", []) as table:
        table.append({"a": 1 / 0})
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("t.csv", "a\n1\n")]
