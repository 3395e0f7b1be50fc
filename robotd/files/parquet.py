"""Tables as Parquet; importing this needs pyarrow."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow.parquet import ParquetWriter

from robotd.files.tables import Rows, drafted

ROW_GROUP = 50  # batches


def write_parquet(path: Path, rows: Rows) -> None:
    """Each column has the type that fits all its values; OSError, and ValueError where no type does."""
    try:
        schemas = [_table(batch, rows.columns).schema for batch in rows.batches()]
        schema = pa.unify_schemas(schemas, promote_options="permissive")
    except (pa.ArrowException, OverflowError) as error:
        raise ValueError(f"{path}: a column has values that no type fits: {error}") from error
    with drafted(path) as draft, draft.open("wb") as file, ParquetWriter(file, schema) as writer:
        batches = rows.batches()
        while group := [_table(batch, rows.columns, schema) for batch in islice(batches, ROW_GROUP)]:
            writer.write_table(pa.concat_tables(group))


def _table(batch: Sequence[Mapping[str, Any]], names: Iterable[str], schema: pa.Schema | None = None) -> pa.Table:
    return pa.table({name: [row.get(name) for row in batch] for name in names}, schema=schema)
