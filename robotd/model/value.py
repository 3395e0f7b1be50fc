"""Value types: dataclasses that are never changed once they are made, without what freezing them costs."""

import sys
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, fields, make_dataclass
from typing import Any, Final, TypeVar, dataclass_transform

T = TypeVar("T")
_OPTIONS: Final = {"__init__": "init", "__repr__": "repr", "__eq__": "eq", "__hash__": "unsafe_hash"}


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(kind: type[T]) -> type[T]:
    """Make `kind` a dataclass with slots, equal and hashed by its fields; `replace` gives a changed one.

    The type checker refuses to set a field; at run time this is noticed under `python -X dev` alone. A frozen
    dataclass sets each field by a call, which makes it five times as dear, and a tick makes twenty of them.
    Its methods are compiled when first called, as most of those of the hundred kinds that a start makes never are.
    """
    if sys.flags.dev_mode:
        return dataclass(frozen=True, slots=True)(kind)
    kind.__doc__ = kind.__doc__ or kind.__name__  # else a dataclass spells its signature out, which takes long
    for name, method in _UNMADE.items():
        if name not in vars(kind):
            setattr(kind, name, method)
    return dataclass(init=False, repr=False, eq=False, slots=True)(kind)


def _unmade(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **named: Any) -> Any:
        for kind in type(self).__mro__:
            if vars(kind).get(name) is method:  # another thread may have been faster
                setattr(kind, name, _made(kind, name))
                break
        return getattr(self, name)(*args, **named)

    method.__name__ = name
    return method


def _made(kind: Any, name: str) -> Any:
    """The method that a dataclass with the fields of `kind` has."""
    own = [(one.name, one.type, copy(one)) for one in fields(kind)]
    options: Any = {**dict.fromkeys(("init", "repr", "eq"), False), _OPTIONS[name]: True}
    kept = {name: getattr(kind, name) for name in ("__doc__", "__post_init__") if hasattr(kind, name)}
    return vars(make_dataclass(kind.__name__, own, namespace=kept, **options))[name]


_UNMADE: Final = {name: _unmade(name) for name in _OPTIONS}
