"""Whether the modules under test are compiled, and what tests do to objects of compiled classes."""

from typing import Any

import pytest

from robotd.model import senses

COMPILED = not str(senses.__file__).endswith(".py")
needs_sources = pytest.mark.skipif(COMPILED, reason="it replaces a method that compiled code calls directly")


class Altered:
    """`original` with some attributes replaced, as no attribute of a compiled object can be."""

    def __init__(self, original: Any, **others: Any) -> None:
        self.original = original
        self.__dict__.update(others)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)
