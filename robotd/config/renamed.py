"""Keys of files that have another name now: the old one is read, with a warning, for one version.

A field declares its former names after its own: `Field(validation_alias=AliasChoices("new_s", "old_s"))`, in
robot files, missions, and the settings of behaviors, boards, modems and coordinators alike.
"""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import AliasChoices, BaseModel

from robotd.config.schema import Path_


def find_renamed(kind: Any, data: Any, at: Path_ = ()) -> Iterator[tuple[Path_, str]]:
    """The path of each key in `data`, a `kind`, that has its former name, and the name that it has now."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        for name, field in kind.model_fields.items() if isinstance(data, Mapping) else ():
            alias = field.validation_alias
            names = [str(one) for one in alias.choices] if isinstance(alias, AliasChoices) else [name]
            for old in names:
                if old in data:
                    yield from () if old == name else [((*at, old), name)]
                    yield from find_renamed(field.annotation, data[old], (*at, old))
        return
    inner = typing.get_args(kind)
    entries = data.items() if isinstance(data, Mapping) else enumerate(data) if isinstance(data, list) else ()
    for key, value in entries if inner else ():
        yield from (found for one in inner for found in find_renamed(one, value, (*at, key)))
