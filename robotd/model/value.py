"""Value types: dataclasses that are never changed once they are made, without what freezing them costs."""

import sys
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(kind: type[T]) -> type[T]:
    """Make `kind` a dataclass with slots, equal and hashed by its fields; `replace` gives a changed one.

    The type checker refuses to set a field; at run time this is noticed under `python -X dev` alone. A frozen
    dataclass sets each field by a call, which makes it five times as dear, and a tick makes twenty of them.
    """
    if sys.flags.dev_mode:
        return dataclass(frozen=True, slots=True)(kind)
    return dataclass(slots=True, unsafe_hash=True)(kind)
