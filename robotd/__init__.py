"""Which modules are imported: where some are compiled, ROBOTD_PURE makes their sources be taken all the same.

Compiled and interpreted modules do not mix, so that this holds for all packages; each imports this one first.
"""

import os
import sys
from collections.abc import Sequence
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader

PACKAGES = ("robotd", "boards", "radio", "behaviors", "motivation")


class Sources:
    """Finds the sources of our modules; what is none of them is left to the finders after it."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        """See `importlib.abc.MetaPathFinder`."""
        if path is None or name.partition(".")[0] not in PACKAGES:
            return None
        finders = (FileFinder(entry, (SourceFileLoader, SOURCE_SUFFIXES)) for entry in path)
        found = (finder.find_spec(name) for finder in finders)
        return next((spec for spec in found if spec is not None and spec.loader is not None), None)


if os.environ.get("ROBOTD_PURE"):
    sys.meta_path.insert(0, Sources)
