"""Whether the modules under test are compiled, and what tests do to objects of compiled classes."""

from pathlib import Path
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


def stale(root: Path) -> list[str]:
    """The modules whose sources are newer than what was compiled of them."""
    names = (root / "packaging" / "compiled" / "modules.txt").read_text(encoding="utf-8").split()
    made = {name: next((root / name).parent.glob(f"{Path(name).stem}.*.so"), None) for name in names}
    return [
        name
        for name, file in made.items()
        if file is not None and file.stat().st_mtime < (root / name).stat().st_mtime
    ]
