"""As much of pandas as the pages use, where it is not installed: a table of records with the same columns."""

from __future__ import annotations

import csv
import types
from collections.abc import Mapping, Sequence
from typing import Any


class DataFrame:
    def __init__(self, records: Sequence[Mapping[str, Any]]) -> None:
        self.columns = list(records[0])
        self._records = records
        assert all(list(record) == self.columns for record in records)
        assert all(isinstance(value, str | int | float) for record in records for value in record.values())

    def __len__(self) -> int:
        return len(self._records)

    def to_csv(self, path: str, *, index: bool) -> None:
        assert not index
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, self.columns)
            writer.writeheader()
            writer.writerows(self._records)


def pandas_stand_in() -> types.ModuleType:
    module = types.ModuleType("pandas")
    module.__dict__["DataFrame"] = DataFrame
    return module
