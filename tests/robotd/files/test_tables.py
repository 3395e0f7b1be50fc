"""Tables of any length, as CSV and Parquet files."""

import csv
import math
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from robotd.files import tables
from robotd.files.parquet import write_parquet
from robotd.files.refusal import Refusal
from robotd.files.tables import Rows, write_csv, write_table

ROWS: list[dict[str, Any]] = [{"a": 'x, "y"\nz', "b": True}, {"b": False, "d": 1.5}, {"a": None, "c": "é"}]


class Broken:
    def __str__(self) -> str:
        raise ZeroDivisionError


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


def test_a_table_that_is_not_finished_leaves_the_earlier_one_and_no_draft(tmp_path: Path) -> None:
    write_table(tmp_path / "t.csv", [{"a": 1}], [])
    with pytest.raises(ZeroDivisionError):
        write_table(tmp_path / "t.csv", [{"a": 2}, {"a": Broken()}], [])
    with pytest.raises(ValueError, match=r"t\.csv: "):
        write_parquet(tmp_path / "t.csv", rows_of([{"a": "x"}, {"a": 1}], tmp_path))
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("t.csv", "a\n1\n")]


# -- more rows than memory keeps


def rows_of(found: Iterable[Mapping[str, Any]], folder: Path) -> Rows:
    rows = Rows(folder, ["t"])
    for row in found:
        rows.append(row)
    return rows


@pytest.fixture(autouse=True)
def two_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "BATCH", 2)


def test_rows_that_are_put_aside_are_in_the_table_too(tmp_path: Path) -> None:
    with closing(rows_of([{"a": 1}, {}, {"t": 2}, {"b": 3}, {"a": 4}], tmp_path)) as rows:
        write_csv(tmp_path / "t.csv", rows)
    assert (tmp_path / "t.csv").read_text() == "t,a,b\n,1,\n,,\n2,,\n,,3\n,4,\n"


@pytest.mark.parametrize(("count", "batches"), [(0, [0]), (2, [2]), (3, [2, 1]), (4, [2, 2]), (5, [2, 2, 1])])
def test_rows_come_in_batches_as_often_as_they_are_wanted(tmp_path: Path, count: int, batches: list[int]) -> None:
    with closing(rows_of(found := [{"t": n} for n in range(count)], tmp_path / "made")) as rows:
        for _ in range(2):
            assert [len(batch) for batch in rows.batches()] == batches
            assert [row for batch in rows.batches() for row in batch] == found
        assert (tmp_path / "made").exists() == (count > 2)
        assert not [*tmp_path.rglob("*/*")]


def test_rows_that_cannot_be_put_aside_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Refusal, match="choose another folder"):
        rows_of(ROWS, tmp_path / "file" / "tables")


NONE, TEXT = [None] * 3, ["x", None, "y"]
COLUMNS: dict[str, list[Any]] = {
    "early": [*TEXT, *NONE], "late": [*NONE, *TEXT], "flag": [*NONE, True, False, True],
    "real": [1, 2, 3, 4, 0.5, None], "small": [0.5, 1, 2, 3, 4, 5], "whole": [None, 2, 3, 4, 5, 6],
}  # fmt: skip


@pytest.mark.parametrize("group", [1, 2, 50])
def test_columns_of_parquet_have_the_types_of_all_their_values(
    tmp_path: Path, group: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("robotd.files.parquet.ROW_GROUP", group)
    found = [{name: own[k] for name, own in COLUMNS.items() if own[k] is not None} for k in range(6)]
    with closing(rows_of(found, tmp_path)) as rows:
        write_parquet(tmp_path / "t.parquet", rows)
    names = dict.fromkeys(["t", *(name for row in found for name in row)])
    expected = pa.table({name: [row.get(name) for row in found] for name in names})
    assert parquet.read_table(tmp_path / "t.parquet").equals(expected)
    assert parquet.ParquetFile(tmp_path / "t.parquet").num_row_groups == math.ceil(3 / group)


@pytest.mark.parametrize("values", [[1, 2, "x"], [True, True, 0.5], [1, 2, 1 << 70]])
def test_a_column_of_values_that_no_type_fits_is_refused(tmp_path: Path, values: list[Any]) -> None:
    rows = rows_of([{"t": one} for one in values], tmp_path)
    with closing(rows), pytest.raises(ValueError, match=r"t\.parquet: "):
        write_parquet(tmp_path / "t.parquet", rows)
    assert not [*tmp_path.iterdir()]
